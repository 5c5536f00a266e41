import { render } from 'preact'
import { Shell } from './shell.tsx'
import { start } from './state.ts'
import './keyboard.ts'

start()
render(<Shell />, document.getElementById('page') as HTMLElement)
