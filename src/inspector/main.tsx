import { effect } from '@preact/signals'
import { render } from 'preact'
import { start } from './data/follow.ts'
import { Shell } from './frame/shell.tsx'
import { shownView } from './views/views.ts'
import './frame/keyboard.ts'

effect(() => {
  document.title = `${shownView.value.title} · petstore-sandbox`
})
start()
render(<Shell />, document.getElementById('page') as HTMLElement)
