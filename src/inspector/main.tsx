import './style.css'
import { render } from 'preact'
import { start } from './data/follow.ts'
import { startFooter } from './frame/footer.tsx'
import { startKeyboard } from './frame/keyboard.tsx'
import { Shell, startTitle } from './frame/shell.tsx'
import { startPets } from './views/pets/shown-pets.ts'
import { startList } from './views/requests/list.tsx'

start()
startTitle()
startKeyboard()
startFooter()
startList()
startPets()
render(<Shell />, document.getElementById('page') as HTMLElement)
