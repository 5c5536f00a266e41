import { render } from 'preact'
import { Shell } from './frame/shell.tsx'
import { start } from './sandbox/follow.ts'
import './frame/keyboard.ts'

start()
render(<Shell />, document.getElementById('page') as HTMLElement)
