import './style.css'
import { render } from 'preact'
import { start } from './data/follow.ts'
import { startFooter } from './frame/footer.tsx'
import { startKeyboard } from './frame/keyboard.tsx'
import { Shell } from './frame/shell.tsx'
import { startClicks } from './parts/buttons.tsx'
import { startList } from './views/requests/list.tsx'

const root = document.documentElement
/** The font size that the user has chosen for pages, in pixels. */
const chosen = Number.parseFloat(getComputedStyle(document.querySelector('.unseen') ?? root).fontSize)
/** A larger font enlarges the page, whose lengths are in pixels, as far as it fits the window. */
const enlarge = () => {
  const larger = Math.min(chosen / 16, innerWidth / 320, innerHeight / 480)
  root.style.setProperty('--larger', String(Math.max(1, larger)))
}
enlarge()
addEventListener('resize', enlarge)

start()
startKeyboard()
startClicks()
startFooter()
startList()
render(<Shell />, document.getElementById('page') as HTMLElement)
