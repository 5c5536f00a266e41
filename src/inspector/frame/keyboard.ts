import { standsAt, travelTo } from '../data/history.ts'
import { listed, nameOf, type Row, selected } from '../data/journal.ts'
import { go, route } from '../data/location.ts'
import { helpOpen, instrumentsOpen } from '../data/panels.ts'
import { point } from '../data/point.ts'
import { attempt, copy, shownCommand } from '../parts/act.tsx'
import { focusRow } from '../views/requests/list.tsx'
import { VIEWS } from '../views/views.ts'

/** The keyboard shortcuts, as the help shows them. */
export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['j  k', 'next, previous request'],
  ['Enter', 'look at the request'],
  ['Esc', 'back; close what is open'],
  ['/', 'filter the list'],
  ...VIEWS.map(({ key, title }) => [`g ${key}`, title] as const),
  ['[  ]', 'back and forward in time, request by request'],
  ['←  →', 'on the handle of the timeline: the same; Home: the first request, End: now'],
  ['←  →', 'on the timeline: move the span; with Shift: longer, shorter'],
  ['y', 'copy the command at the foot'],
  ['?', 'these keys'],
]

let going = 0

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Escape') return leave(event)
  if (isTyping(event.target)) return
  // Keys do not reach behind a dialog.
  if (hasDialog() && event.key !== '?' && event.key !== 'y') return
  const place = Date.now() - going < 1200 ? VIEWS.find(({ key }) => key === event.key) : undefined
  if (place) {
    going = 0
    event.preventDefault()
    return go({ view: place.name, id: undefined })
  }
  const act = ACTS[event.key]
  if (!act) return
  event.preventDefault()
  act()
})

const ACTS: Readonly<Record<string, () => void>> = {
  g: () => {
    going = Date.now()
  },
  j: () => step(1),
  k: () => step(-1),
  '[': () => travelTo(standsAt.value - 1),
  ']': () => travelTo(standsAt.value + 1),
  '/': () => {
    go({ view: 'requests' })
    const focus = () => document.querySelector<HTMLInputElement>('#filter')?.focus()
    // At once where it is there: the next key is already meant for it.
    focus()
    setTimeout(focus)
  },
  '?': () => {
    helpOpen.value = !helpOpen.value
  },
  y: () => {
    if (shownCommand.value !== '') void attempt('page', () => copy(shownCommand.value))
  },
}

const hasDialog = (): boolean => document.querySelector('dialog[open]') !== null

function leave(event: KeyboardEvent): void {
  // The browser closes it.
  if (hasDialog()) return
  if (instrumentsOpen.value) instrumentsOpen.value = false
  else if (isTyping(event.target)) (event.target as HTMLElement).blur()
  else if (point.value) point.value = undefined
  else if (route.value.id !== undefined) go({ id: undefined })
}

/** The row that a key went to last: a stream that rushes may have pushed it out of sight. */
let last: Row | undefined

/** To the next request of the list, whichever has the focus or is looked at. */
function step(by: 1 | -1): void {
  if (route.value.view !== 'requests') return
  const { rows } = listed.value
  const name = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row
  const focused =
    name === undefined ? (selected.value ?? last) : rows.find(({ entry }) => nameOf(entry) === name)
  const at = focused ? rows.indexOf(focused) : -1
  const to = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))
  const row = rows[to]
  if (!row) return
  last = row
  if (route.value.id !== undefined && !isNarrow()) go({ id: row.entry.id, of: row.entry.namespace }, true)
  focusRow(to)
}

const isNarrow = (): boolean => matchMedia('(max-width: 979px)').matches
