import { effect } from '@preact/signals'
import { render } from 'preact'
import { TITLES } from './frame/head.tsx'
import { Shell } from './frame/shell.tsx'
import { start } from './sandbox/follow.ts'
import { route } from './sandbox/location.ts'
import './frame/keyboard.ts'

effect(() => {
  document.title = `${TITLES[route.value.view]} · petstore-sandbox`
})
start()
render(<Shell />, document.getElementById('page') as HTMLElement)
