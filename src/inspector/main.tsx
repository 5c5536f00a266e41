import './style.css'
import { render } from 'preact'
import { start } from './data/follow.ts'
import { startFooter } from './frame/footer.tsx'
import { startKeyboard } from './frame/keyboard.tsx'
import { Shell } from './frame/shell.tsx'
import { startClicks } from './parts/buttons.tsx'
import { startList } from './views/requests/list.tsx'

start()
startKeyboard()
startClicks()
startFooter()
startList()
render(<Shell />, document.getElementById('page') as HTMLElement)
