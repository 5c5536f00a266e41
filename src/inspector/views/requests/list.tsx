import { computed, effect, signal, untracked } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { targetOf } from '../../../world/traffic/address.ts'
import { canRewind, rewind, undoText, undoWords } from '../../data/actions.ts'
import { hasState, realNow } from '../../data/api.ts'
import { type CallEvent, callText, type HistoryEvent, type RequestEvent } from '../../data/event.ts'
import { allRequests, clearedTo, events, goneReason, loaded, requests, showAll } from '../../data/events.ts'
import { addressIn, addressOf, isLater, listed, pointEvent, selected, span } from '../../data/listed.ts'
import { command, commandIn, EVERYTHING, go, hrefOf, isAll, route, world } from '../../data/location.ts'
import { clock, ownNamespace, presentTime } from '../../data/state.ts'
import type { Entry } from '../../data/types.ts'
import { ActionButton } from '../../parts/buttons.tsx'
import { stepOf, useWindow } from '../../parts/window.ts'
import { amount, brief, timeOfDay, took, visible } from '../../text/text.ts'
import { classOf, clockAt, isMark } from '../timeline/plot.ts'
import { type Line, lineOf, linesOf, type Row } from './lines.ts'
import { findingsOf, keyOfEntry, remainingOf } from './words.ts'

/** The keys of open runs. */
const openRuns = signal<ReadonlySet<string>>(new Set())
const lines = computed(() => linesOf(listed.value, openRuns.value, isLater))
/** The key of the line that has, or last had, the focus. */
const focused = signal('')
/** The tab stop of the list: that line, or else the first row. */
const tabStop = computed(
  () =>
    lines.value.find(({ key }) => key === focused.value) ?? lines.value.find(({ kind }) => kind !== 'date'),
)
/** Whether the focus should move to that line. */
const wantsFocus = signal(false)
/** Whether requests.css uses two lines per request. */
const isNarrow = signal(false)

const indexOf = (key: string | undefined): number => lines.peek().findIndex((line) => line.key === key)
const selectedLine = computed(() => lineOf(lines.value, selected.value?.name))

function setOpen({ key, run }: Row, isWanted: boolean): void {
  const others = [...openRuns.value].filter((each) => each !== key)
  if (run.length > 1) openRuns.value = new Set(isWanted ? [...others, key] : others)
}

/** The index of the line from which keys move. */
function currentIndex(): number {
  const at = indexOf(focused.peek())
  return at >= 0 ? at : indexOf(selectedLine.peek()?.key)
}

const focusRow = (): void => {
  const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(focused.peek())}"]`)
  row?.focus({ preventScroll: true })
  // On low screens, the page scrolls too.
  row?.scrollIntoView({ block: 'nearest' })
}

/** The element that the focus leaves for a line that is not drawn yet. If it is elsewhere by then, a later key moved it. */
let leaving: Element | null = null
const focusDrawnRow = (): void => {
  const { activeElement, body } = document
  // If it is gone, the page itself has moved the focus.
  const isGone = !leaving?.checkVisibility()
  if (activeElement === leaving || (isGone && (activeElement === body || activeElement?.id === 'main')))
    focusRow()
}

/** Moves by `by` lines that can be selected; 0 returns to the list. If a request is open, opens the next one. */
export function step(by: number): void {
  const all = lines.peek()
  const from = currentIndex()
  let to = Math.min(all.length - 1, Math.max(0, from < 0 ? 0 : from + by))
  while (all[to]?.kind === 'date') to += by < 0 && to > 0 ? -1 : 1
  const line = all[to]
  if (!line || line.kind === 'date') return
  focused.value = line.key
  wantsFocus.value = true
  // At once if it is drawn, because the next key is meant for it.
  focusRow()
  leaving = document.activeElement
  if (route.value.id !== undefined && !isNarrow.value && line.kind === 'request')
    go(addressOf(line.run[0]), true)
}

/** Closes the detail, and returns to its row. */
export function close(): void {
  go({ id: undefined })
  step(0)
}

function onKey(event: KeyboardEvent): void {
  const { key } = event
  const line = lines.peek()[currentIndex()]
  const by = stepOf(key, 'ArrowUp', 'ArrowDown')
  const isRun = (key === 'ArrowRight' || key === 'ArrowLeft') && line && line.kind !== 'date'
  if ((by === undefined && !isRun) || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  if (by !== undefined) step(by)
  else if (isRun) setOpen(line, key === 'ArrowRight')
}

/** Opens the run of the selected event, so that its row is visible. */
export function startList(): void {
  effect(() => {
    if (!selected.value) return
    untracked(() => {
      if (selectedLine.value) setOpen(selectedLine.value, true)
      focused.value = selectedLine.value?.key ?? ''
    })
  })
}

/** Requests and control calls, newest first: a grid with one tab stop. */
export function List() {
  const all = lines.value
  const height = isNarrow.value ? 46 : 24
  const topOf = useMemo(() => {
    let top = 0
    const tops = [0, ...all.map(({ kind }) => (top += kind === 'request' ? height : 24))]
    return (index: number) => tops[index] ?? 0
  }, [all, height])
  const view = useWindow({
    count: all.length,
    topOf,
    // The key of a date changes with the row below it.
    keyAt: (index) => (all[index]?.kind === 'date' ? all[index + 1] : all[index])?.key,
    indexOf,
    focused: () => document.activeElement?.getAttribute('data-row') ?? undefined,
    onSize: () =>
      (isNarrow.value = getComputedStyle(document.querySelector('.heads') as Element).display === 'none'),
  })
  useLayoutEffect(() => view.reveal(indexOf(selectedLine.value?.key)), [selected.value?.name])
  const then = pointEvent.value
  useEffect(() => {
    if (then) view.reveal(all.findIndex((line) => line.kind !== 'date' && !isLater(line.run[0])))
  }, [then])
  const isMoved = wantsFocus.value
  useLayoutEffect(() => {
    if (!isMoved) return
    wantsFocus.value = false
    const place = currentIndex()
    // With its date above it: the list shows new requests only if it is at the top.
    if (all[place - 1]?.kind === 'date') view.reveal(place - 1)
    view.reveal(place)
    requestAnimationFrame(focusDrawnRow)
  }, [isMoved])
  return (
    <div class="scroll rows" ref={view.host} onScroll={view.onScroll} onFocusIn={view.onScroll}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table may be a tree grid (ARIA in HTML)
        role="treegrid"
        tabIndex={-1}
        aria-label="Requests and control calls, newest first"
        aria-rowcount={all.length + 1}
        onKeyDown={onKey}
      >
        <thead>
          <tr class="row heads small quiet" aria-rowindex={1}>
            <th class="at">clock, UTC</th>
            <td class="method" />
            <th class="target">path</th>
            <th class="status">status</th>
            <th class="finding">finding</th>
            <th class="key">key</th>
            {isAll.value && <th class="of">namespace</th>}
            <th class="left number">left</th>
            <th class="took number">took</th>
          </tr>
        </thead>
        <tbody style={view.style}>
          {all.slice(view.first, view.last).map((line, index) => (
            <LineRow key={line.key} line={line} number={view.first + index + 2} />
          ))}
        </tbody>
      </table>
      {all.length === 0 && <EmptyList />}
      {all.length > 0 && goneReason.value !== '' && clearedTo.value === 0 && (
        <p class="none">There are no older ones: {brief(goneReason.value)}.</p>
      )}
    </div>
  )
}

/** The selected range of time, by the clock of the namespace: `12:31:16 to 12:31:30`. */
export function spanText({ from, to }: { readonly from: number; readonly to: number }): string {
  const now = realNow()
  const present = { now, clock: presentTime(now), isFrozen: clock.value?.frozen, isAll: isAll.value }
  const input = { ...present, events: events.value }
  return [from, to].map((real) => timeOfDay(clockAt(input, real), 0)).join(' to ')
}

function EmptyList() {
  const { filter } = route.value
  if (!loaded.value) return <p class="none">Reading the requests.</p>
  if (filter || span.value)
    return (
      <p class="none">
        No request {filter && ['matches ', <code key="filter">{brief(filter, 60)}</code>]}
        {filter && span.value && ' and '}
        {span.value && `came from ${spanText(span.value)}`}.{' '}
        <a href={hrefOf(EVERYTHING)} onClick={showAll}>
          Show all {amount(allRequests.value.length)}
        </a>
      </p>
    )
  const { origin } = ownNamespace.value ?? {}
  return (
    <p class="none">
      {origin && (
        <>
          A copy of <a href={hrefOf({ namespace: origin.namespace })}>{origin.namespace}</a>
          {origin.at && ` ${origin.side} ${origin.at}`}.{' '}
        </>
      )}
      {clearedTo.value > 0 && 'Nothing since. '}The next request appears here.
    </p>
  )
}

/** Whether the user has selected a text in a row to copy it. An unsteady click selects one character at most. */
function isSelectedIn(row: Element): boolean {
  const selection = getSelection()
  return selection?.containsNode(row, true) === true && `${selection}`.length > 1
}

function LineRow({ line, number }: { line: Line; number: number }) {
  if (line.kind === 'date')
    return (
      <tr class="row date quiet" aria-rowindex={number}>
        <td>{line.text}</td>
      </tr>
    )
  const { run, key, kind, isOpen, isInner } = line
  const [event] = run
  const isRun = run.length > 1
  const pale = event.branch !== undefined || isLater(event) ? 'pale' : ''
  const select = () => go(addressOf(event))
  return (
    <tr
      class={`row data ${kind} ${pale} ${isInner ? 'inner' : ''}`}
      tabIndex={line === tabStop.value ? 0 : -1}
      data-row={key}
      data-command={commandOf(event)}
      aria-rowindex={number}
      aria-level={isInner ? 2 : 1}
      aria-selected={line === selectedLine.value}
      aria-expanded={isRun ? isOpen : undefined}
      onFocus={() => (focused.value = key)}
      onClick={({ target, currentTarget }) => {
        if ((target as Element).closest('a, button') || isSelectedIn(currentTarget)) return
        if (isRun && isOpen) setOpen(line, false)
        else select()
      }}
      onKeyDown={({ key, target, currentTarget }) => {
        if (key === 'Enter' && target === currentTarget) select()
      }}
    >
      <td class="at quiet">
        {timeOfDay(event.at, 0)}
        <span class="ms">{timeOfDay(event.at).slice(8)}</span>
      </td>
      {event.kind === 'call' ? <Call event={event} /> : <Cells row={line} event={event} />}
    </tr>
  )
}

function commandOf(event: HistoryEvent): string {
  const { id, branch, namespace = world.value } = event
  if (event.kind === 'call' && event.line) return command(...event.line)
  // The id of an undone event may be that of a present one.
  const undone = branch ?? (event.kind === 'call' ? event.undid : undefined)
  if (undone) return commandIn(namespace, ...undoWords(undone))
  return commandIn(namespace, ...(hasState.value ? ['rewind', id] : ['requests']))
}

/** A control call as a thin line with its undo. */
function Call({ event }: { event: CallEvent }) {
  const { id, real } = event
  const since = requests.value.filter((request) => request.real >= real).length
  return (
    <>
      <td class={isMark(event) ? 'what strong' : 'what quiet'}>{brief(callText(event), 120)}</td>
      {canRewind(event) && (
        <td class="more">
          <ActionButton tabIndex={-1} class="text small" text={undoText(since)} always {...rewind(id)} />
          <a class="b text small" tabIndex={-1} href={hrefOf({ at: id })}>
            See before
          </a>
        </td>
      )}
    </>
  )
}

/** The characters of findings that fit the narrowest row, and those of findings and key that fit a row on phones. */
const FITTING = 30
const FITTING_WITH_KEY = 29

function Cells({ row: { run, isOpen }, event: { entry } }: { row: Row; event: RequestEvent }) {
  const { method, status, ms } = entry
  const target = targetOf(entry)
  const key = visible(keyOfEntry(entry))
  const beside = isAll.value ? entry.namespace : key
  const entries = (run as readonly RequestEvent[]).map((each) => each.entry)
  const findings = findingsOf(entry, entries)
  let length = 0
  // A finding is never cut: the others are counted, and the id of a duplicate is in the detail then.
  const shown = findings.filter(({ text }, index) => {
    length += text.length + 2
    return index === 0 || length <= FITTING
  })
  const more = findings.length - shown.length
  return (
    <>
      <td class="method">{brief(method, 12)}</td>
      <td class="target line">
        <span class="cut" title={target.length > 30 ? brief(target, 1000) : undefined}>
          {brief(target)}
        </span>
        {run.length > 1 && (
          <kbd>
            {isOpen && '▾ '}× {amount(run.length)}
          </kbd>
        )}
      </td>
      <td class={`status ${classOf(status)}`}>{status === 0 ? 'none' : status}</td>
      <td class="finding" title={more > 0 ? findings.map(({ text }) => visible(text)).join(', ') : undefined}>
        {shown.map(({ text, tone }) => {
          const [what = '', id = ''] = text.split(/(?<= )(?=of req_\d+$)/)
          return (
            <span key={text} class={`cut ${tone}`}>
              {brief(what, 80)}
              {more === 0 && <span class="id">{linked(id, entry, -1)}</span>}
            </span>
          )
        })}
        {more > 0 && <span class="quiet">+{more}</span>}
      </td>
      <td class={`key quiet${length > 0 && length + beside.length > FITTING_WITH_KEY ? ' long' : ''}`}>
        {key}
      </td>
      {isAll.value && <td class="of quiet">{entry.namespace}</td>}
      <td class="left number quiet">{remainingOf(entry)?.toLocaleString('en')}</td>
      <td class="took number quiet">{took(ms)}</td>
    </>
  )
}

/** A text about a request, in which ids of requests are links. `tabIndex`: -1 in the list, which is one tab stop. */
export const linked = (text: string, entry: Entry, tabIndex?: number) =>
  text.split(/(req_\d{6,16})/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <a key={part} tabIndex={tabIndex} href={hrefOf(addressIn(entry, part))}>
        {part}
      </a>
    ),
  )
