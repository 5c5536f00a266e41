import { computed } from '@preact/signals'
import { undoLast } from '../data/actions.ts'
import { acting, hasNamespaces, hasShortcuts, hasState, switchShortcuts } from '../data/api.ts'
import { FIELD_NAMES } from '../data/filter.ts'
import { handleIndex, travelTo } from '../data/listed.ts'
import { EVERYTHING, go, point, route } from '../data/location.ts'
import { attempt, Button } from '../parts/buttons.tsx'
import { styled, Table } from '../parts/table.tsx'
import { close, step } from '../views/requests/list.tsx'
import { shownView, views } from '../views/views.ts'
import { copyLine } from './footer.tsx'

interface Shortcut {
  /** As the help shows them: `g r` means one after the other. */
  readonly keys: string
  readonly help: string
  /** An action for each key; absent if the element with the focus handles the key itself. */
  readonly actions?: readonly (() => unknown)[]
}

/** Shows or hides the help. */
export const toggleHelp = (): void => {
  document.getElementById('help')?.togglePopover()
}

const move = (by: number) => () => shownView.value.name === 'requests' && step(by)
/** Shows a view, in which Tab continues. */
const show = (view: string) => () => {
  go({ view })
  document.getElementById('main')?.focus()
}
const travel = (by: number) => () => travelTo(handleIndex.value + by)
const openNamespaces = () => document.querySelector<HTMLElement>('.namespace')?.click()

function search(): void {
  const field = () => document.querySelector<HTMLElement>('#main [type=search]')
  if (!field()) go({ view: 'requests', id: undefined })
  // After the view is drawn, but before the next key, which is meant for the field.
  queueMicrotask(() => field()?.focus())
}

/** A proxy has no earlier states. */
const OF_STATE: readonly Shortcut[] = [
  { keys: '[  ]', help: 'back and forward on the timeline, step by step', actions: [travel(-1), travel(1)] },
  { keys: '←  →', help: 'on its handle: the same; PageUp, PageDown: ten; Home, End; Enter rewinds' },
  { keys: 'u', help: 'undo the last rewind or action', actions: [() => attempt('notice', undoLast)] },
]

const shortcuts = computed((): readonly Shortcut[] => [
  { keys: 'j  k', help: 'next, previous row', actions: [move(1), move(-1)] },
  { keys: '→  ←', help: 'on a row: open and close a run' },
  { keys: 'Enter', help: 'open the row' },
  { keys: 'Esc', help: 'go back; close the panel; clear the filter' },
  { keys: '/', help: 'search', actions: [search] },
  ...views.value.map(({ key, title, name }) => ({ keys: `g ${key}`, help: title, actions: [show(name)] })),
  { keys: '←  →', help: 'on the timeline: its values; with Shift: a span; Enter: the nearest row' },
  ...(hasState.value ? OF_STATE : []),
  ...(hasNamespaces.value ? [{ keys: 'g n', help: 'namespaces', actions: [openNamespaces] }] : []),
  { keys: 'y', help: 'copy the command at the foot', actions: [copyLine] },
  { keys: '?', help: 'show these keys', actions: [toggleHelp] },
])

const actionOf = (key: string) => {
  const named = shortcuts.value.find(({ keys, actions }) => actions && keys.split('  ').includes(key))
  return named?.actions?.[named.keys.split('  ').indexOf(key)]
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('textarea, select, input:not([type=checkbox])')

const hasDialog = (): boolean => document.querySelector(':popover-open') !== null

const isUsable = (element: Element): boolean => element.checkVisibility() && !element.matches(':disabled')

/** If the element with the focus disappears or is disabled, moves it to the field of its list, to the undo, or to the view. */
function keepFocus(): void {
  let last: Element = document.body
  let list: Element | null = null
  addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element) || target.id === 'main') return
    last = target
    list = target.closest('.chooser, .inside')
  })
  const keep = () => {
    const { activeElement: now, body } = document
    const main = document.getElementById('main')
    if ((now !== body && now !== main && now !== last) || isUsable(last)) return
    const field = list?.checkVisibility() && list.querySelector('input')
    // The undo may appear after the view has received the focus.
    const undo = acting.count > 0 && document.querySelector<HTMLElement>('[aria-label=Undo] .primary')
    ;(field || undo || main)?.focus()
  }
  new MutationObserver(keep).observe(document, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled'],
  })
}

/** Listens for keys, for as long as the page is open. */
export function startKeyboard(): void {
  keepFocus()
  /** When `g` was pressed: the next key selects a view. */
  let going = 0
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') return leave(event)
    const isSent = event.key === 'Enter' && event.target instanceof HTMLInputElement
    if (isTyping(event.target) && !(event.repeat && isSent)) return
    // Held a little longer, a key would also press what the action has brought: the undo, or a form.
    if (event.repeat && /^(Enter|u)$/.test(event.key)) return event.preventDefault()
    // A dialog receives all keys.
    if (!hasShortcuts.value || (hasDialog() && event.key !== 'y')) return
    const isGoing = Date.now() - going < 1200
    const action = (isGoing && actionOf(`g ${event.key}`)) || actionOf(event.key)
    going = event.key === 'g' ? Date.now() : 0
    if (!action) return
    event.preventDefault()
    action()
  })
}

/** Closes what is open, or else clears the selection. */
function leave(event: KeyboardEvent): void {
  // The browser closes the dialog.
  if (hasDialog()) return
  const { id, filter, from, q, status } = route.value
  const { target } = event
  if (isTyping(target)) {
    const field = target as HTMLInputElement
    const submit = field.form?.querySelector<HTMLElement>('[type=submit]:enabled')
    if (field.id === 'filter' && filter) go({ filter: undefined }, true)
    else if (field.id === 'search' && q) go({ q: undefined }, true)
    else if (submit) submit.focus()
    else field.blur()
    if (field.type === 'search') event.preventDefault()
  } else if (point.value !== undefined) go({ at: undefined }, true)
  else if (id !== undefined) close()
  else if (status) go({ status: undefined }, true)
  else if (filter || from) go(EVERYTHING, true)
}

/** The keyboard shortcuts and the syntax of the filter. */
export const Help = () => (
  <dialog id="help" class="helping" popover="auto" tabIndex={-1} autofocus aria-label="Keys">
    <h2>Keys</h2>
    <Table
      headless
      columns={['Keys', styled('wraps', 'Action')]}
      rows={shortcuts.value}
      keyOf={({ help }) => help}
      cells={({ keys, help }) => [keys.split(/ +/).map((each) => [<kbd key={each}>{each}</kbd>, ' ']), help]}
    />
    <label class="check actions">
      <input type="checkbox" checked={hasShortcuts.value} onChange={switchShortcuts} />
      Keys of one character act, such as <kbd>j</kbd> and <kbd>/</kbd>
    </label>
    <h2>Filter</h2>
    <p class="quiet small">
      Words are searched in paths, headers and bodies. <code>status:4xx</code> <code>key:psk_free</code>{' '}
      <code>finding:early-retry</code> <code>test:"adds a pet"</code>; fields are {FIELD_NAMES.join(', ')}.
      Values of one field are alternatives; a minus in front excludes.
    </p>
    <Button text="Close" run={toggleHelp} />
  </dialog>
)
