import { undo, undoable } from '../data/acts.ts'
import { go, point, route } from '../data/location.ts'
import { standsAt, travelTo } from '../data/travel.ts'
import { attempt } from '../parts/act.tsx'
import { helpOpen, instrument } from '../parts/panels.ts'
import { step } from '../views/requests/list.tsx'
import { shownView, VIEWS } from '../views/views.ts'
import { copyLine } from './foot.tsx'

/** The keyboard shortcuts, as the help shows them. */
export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['j  k', 'next, previous row'],
  ['→  ←', 'on a row: open and close a run'],
  ['Enter', 'look at the row'],
  ['Esc', 'back; close what is open; clear the filter'],
  ['/', 'search'],
  ...VIEWS.map(({ key, title }) => [`g ${key}`, title] as const),
  ['g n', 'namespaces'],
  ['[  ]', 'back and forward in time, step by step'],
  ['←  →', 'on the handle of the timeline: the same; PageUp, PageDown: ten; Home, End; Enter rewinds'],
  ['←  →', 'on the timeline: its values; with Shift: a span; Enter: the nearest row'],
  ['u', 'undo the last rewind or action'],
  ['y', 'copy the command at the foot'],
  ['?', 'these keys'],
]

let going = 0

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLInputElement && target.type !== 'checkbox')

const hasDialog = (): boolean => document.querySelector('dialog[open], :popover-open') !== null

/** Listens for keys, for as long as the page is open. */
export function startKeyboard(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') return leave(event)
    if (isTyping(event.target)) return
    // Keys do not reach behind a dialog.
    if (hasDialog() && event.key !== 'y') return
    const isGoing = Date.now() - going < 1200
    const place = isGoing ? VIEWS.find(({ key }) => key === event.key) : undefined
    const act = place
      ? () => go({ view: place.name })
      : isGoing && event.key === 'n'
        ? () => document.querySelector<HTMLElement>('.namespace')?.click()
        : ACTS[event.key]
    if (!act) return
    if (event.key !== 'g') going = 0
    event.preventDefault()
    act()
  })
}

const ACTS: Readonly<Record<string, () => void>> = {
  g: () => {
    going = Date.now()
  },
  j: () => move(1),
  k: () => move(-1),
  '[': () => travelTo(standsAt.value - 1),
  ']': () => travelTo(standsAt.value + 1),
  '/': () => {
    if (shownView.value.search === '') go({ view: 'requests', id: undefined })
    const focus = () => document.querySelector<HTMLElement>(shownView.value.search)?.focus()
    // At once where it is there: the next key is already meant for it.
    focus()
    setTimeout(focus)
  },
  u: () => {
    const found = undoable.value
    if (found) void attempt('notice', () => undo(found.call))
  },
  '?': () => {
    helpOpen.value = !helpOpen.value
  },
  y: copyLine,
}

function move(by: number): void {
  if (route.value.view === 'requests') step(by)
}

/** One step back: what is open is closed, what is chosen is let go. */
function leave(event: KeyboardEvent): void {
  // The browser closes it.
  if (hasDialog()) return
  const { id, filter, from, q } = route.value
  const { target } = event
  if (instrument.value !== '') instrument.value = ''
  else if (isTyping(target)) {
    const field = target as HTMLInputElement
    if (field.id === 'filter' && filter) go({ filter: undefined }, true)
    else if (field.id === 'search' && q) go({ q: undefined }, true)
    else field.blur()
    if (field.type === 'search') event.preventDefault()
  } else if (point.value !== undefined) go({ at: undefined }, true)
  else if (id !== undefined) {
    go({ id: undefined, branch: undefined, of: undefined })
    step(0)
  } else if (filter || from) go({ filter: undefined, from: undefined, to: undefined }, true)
}
