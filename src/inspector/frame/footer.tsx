import { signal } from '@preact/signals'
import { optionsOf } from '../data/filter.ts'
import { command, route, shownFlags } from '../data/location.ts'
import { attempt, Button, copied, copy, Shortcut, Unbroken } from '../parts/buttons.tsx'
import { brief, visible } from '../text/text.ts'
import { shownView } from '../views/views.ts'

/** The element under the pointer, or else with the focus, if it has a command. */
let source: Element | null = null
const pointed = signal<{ readonly command: string; readonly what: string } | undefined>(undefined)

/** The options for what the view shows; undefined if its command has none for it. */
function optionsOfView(): readonly string[] | undefined {
  const { filter = '', from, q, status } = route.value
  const { name, at } = shownView.value
  if (name === 'requests') return from === undefined ? optionsOf(filter) : undefined
  const sought = Object.entries(name === 'pets' ? { q, status } : {})
  const options = sought.flatMap(([name, value]) => (value ? [`--${name}`, value] : []))
  return [...options, ...(at ? shownFlags() : [])]
}

function line(): string {
  if (pointed.value) return pointed.value.command
  const options = optionsOfView()
  return options ? command(shownView.value.line, ...options) : ''
}

/** Reads the command of the element again, which may have changed or be gone. */
function update(): void {
  if (!source?.isConnected) source = focusedSource()
  const text = source?.getAttribute('data-command') ?? undefined
  const button = source?.matches('button') ? source : undefined
  const what = brief((button?.getAttribute('aria-label') ?? button?.textContent ?? '').trim(), 40)
  if (text !== pointed.peek()?.command || what !== pointed.peek()?.what)
    pointed.value = text === undefined ? undefined : { command: text, what }
}

const sourceOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest('[data-command]') : null
const focusedSource = (): Element | null => sourceOf(document.activeElement)

/** Follows pointer and focus, and changes of their elements. */
export function startFooter(): void {
  const follow = ({ target }: Event) => {
    // In the foot, its command is read, scrolled and copied.
    if ((target as Element).closest('.footer')) return
    source = sourceOf(target) ?? focusedSource()
    update()
  }
  document.addEventListener('pointerover', follow)
  document.addEventListener('focusin', follow)
  const changes = new MutationObserver(update)
  changes.observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-command'] })
}

/** Copies the shown command line. */
export const copyLine = (): void => {
  update()
  if (line() !== '') void attempt('page', () => copy(line()))
}

/** Shows the command line for the element under the pointer or with the focus. */
export function Footer() {
  const text = line()
  return (
    <footer class="footer line data">
      <span class="accent" aria-hidden="true">
        $
      </span>
      <output class="command cut" aria-live="off" aria-label="The command for the focused element">
        <Unbroken text={visible(text.replace(/\s*\n\s*/g, ' '))} />
      </output>
      <span class="push" />
      <span class="what quiet small cut" aria-hidden="true">
        {pointed.value?.what}
      </span>
      {text !== '' && (
        <Button class="text small" run={copyLine}>
          <Shortcut name="y" /> {copied.value === text ? 'copied' : 'copies'}
        </Button>
      )}
    </footer>
  )
}
