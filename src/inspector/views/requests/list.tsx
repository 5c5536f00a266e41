import { computed, effect, signal, untracked } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { rewind } from '../../data/acts.ts'
import { ALL } from '../../data/address.ts'
import {
  addressOf,
  clearedTo,
  events,
  gone,
  type HistoryEvent,
  isLater,
  listed,
  pointEvent,
  requests,
  selected,
} from '../../data/events.ts'
import { command, commandIn, go, hrefOf, namespace, route } from '../../data/location.ts'
import { namespaces } from '../../data/state.ts'
import { Act } from '../../parts/act.tsx'
import { useWindow } from '../../parts/window.ts'
import { brief, count, visible } from '../../text/text.ts'
import { timeOfDay, took } from '../../text/time.ts'
import { classOf } from '../timeline/plot.ts'
import { type Line, linesOf, runWith } from './lines.ts'
import { keyOfEntry, type RowFinding, remainingOf } from './words.ts'

/** The runs that are open, by the name of their oldest request. */
const open = signal<ReadonlySet<string>>(new Set())
const lines = computed(() => linesOf(listed.value, open.value, isLater))
/** The line that has the focus, or had it last. */
const focused = signal('')
const isNarrow = signal(false)

const indexOf = (key: string): number => lines.peek().findIndex((line) => line.key === key)
const isSelectable = (line: Line | undefined): boolean => line !== undefined && line.kind !== 'date'

function setOpen(line: Line | undefined, isWanted: boolean): void {
  if (line?.kind !== 'request' || line.count < 2) return
  const name = line.run.at(-1)?.name ?? ''
  const next = new Set(open.value)
  if (isWanted) next.add(name)
  else next.delete(name)
  open.value = next
}

/** The index of the line that the keys move from. */
function placeOf(): number {
  const at = indexOf(focused.peek())
  if (at >= 0) return at
  const name = selected.peek()?.name
  return lines.peek().findIndex((line) => line.kind !== 'date' && line.event.name === name)
}

/** To the line that many further, or the next one that can be chosen; by 0, back to the list. Where a request is open, the next one is opened. */
export function step(by: number): void {
  const all = lines.peek()
  const from = placeOf()
  let to = Math.min(all.length - 1, Math.max(0, from < 0 ? 0 : from + by))
  while (all[to] && !isSelectable(all[to])) to += by < 0 && to > 0 ? -1 : 1
  const line = all[to]
  if (!line || line.kind === 'date') return
  focused.value = line.key
  wantsFocus = true
  moved.value++
  if (route.value.id !== undefined && !isNarrow.value && line.kind === 'request')
    go(addressOf(line.event), true)
}
const moved = signal(0)
let wantsFocus = false

function onKey(event: KeyboardEvent): void {
  const line = lines.peek()[placeOf()]
  const steps: Readonly<Record<string, () => void>> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    PageDown: () => step(10),
    PageUp: () => step(-10),
    Home: () => step(-lines.peek().length),
    End: () => step(lines.peek().length),
    ArrowRight: () => setOpen(line, true),
    ArrowLeft: () => setOpen(line, false),
  }
  const act = steps[event.key]
  if (!act || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  act()
}

/** Opens the run of what the address names, so that its row is there. */
export function startList(): void {
  effect(() => {
    const event = selected.value
    const run = untracked(() => runWith(lines.value, event))
    if (run !== undefined) untracked(() => (open.value = new Set([...open.value, run])))
    if (event) focused.value = event.name
  })
}

const noteWidth = (width: number): void => {
  isNarrow.value = width < 600
}

/** Requests and control calls, newest first: a grid with one tab stop. */
export function List() {
  const all = lines.value
  const row = isNarrow.value ? 46 : 24
  const tops = useMemo(() => {
    let top = 0
    return [0, ...all.map(({ kind }) => (top += kind === 'request' ? row : 24))]
  }, [all, row])
  const view = useWindow(tops, (index) => all[index]?.key, indexOf, noteWidth)
  const target = selected.value?.name
  useLayoutEffect(() => {
    view.reveal(all.findIndex((line) => line.kind !== 'date' && line.event.name === target))
  }, [target])
  const then = pointEvent.value
  useEffect(() => {
    if (then) view.reveal(all.findIndex((line) => line.kind !== 'date' && !isLater(line.event)))
  }, [then])
  const shift = moved.value
  useLayoutEffect(() => {
    if (!wantsFocus) return
    wantsFocus = false
    view.reveal(placeOf())
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-row="${CSS.escape(focused.peek())}"]`)?.focus(),
    )
  }, [shift])
  const hasStop = all.some(({ key }) => key === focused.value)
  const firstRow = all.find(isSelectable)?.key
  return (
    <div class="scroll" ref={view.host} onScroll={view.onScroll}>
      <div
        role="treegrid"
        tabIndex={-1}
        aria-label="Requests and control calls, newest first"
        aria-rowcount={all.length}
        class="rows"
        style={{ height: `${view.height}px`, paddingTop: `${view.top}px` }}
        onKeyDown={onKey}
      >
        {all.slice(view.first, view.last).map((line, index) => (
          <Row
            key={line.key}
            line={line}
            number={view.first + index + 1}
            isStop={line.key === (hasStop ? focused.value : firstRow)}
            isLooked={
              line.kind !== 'date' && !(line.kind === 'request' && line.isOpen) && isLooked(line, target)
            }
          />
        ))}
      </div>
      {all.length === 0 ? <Nothing /> : <End />}
    </div>
  )
}

const isLooked = (line: Exclude<Line, { kind: 'date' }>, name: string | undefined): boolean =>
  line.kind === 'call' ? line.event.name === name : line.run.some((each) => each.name === name)

function Nothing() {
  const total = requests.value.length
  const { filter } = route.value
  const origin = namespaces.value.find(({ name }) => name === namespace.value)?.origin
  if (filter || route.value.from)
    return (
      <p class="none">
        No request matches <code>{brief(filter ?? 'the span of time', 60)}</code>.{' '}
        <a href={hrefOf({ filter: undefined, from: undefined, to: undefined })}>
          Show all {total.toLocaleString('en')}
        </a>
      </p>
    )
  return (
    <p class="none">
      {origin && (
        <>
          A copy of{' '}
          <a href={hrefOf({ namespace: origin.namespace, at: undefined, id: undefined })}>
            {origin.namespace}
          </a>
          {origin.at && ` ${origin.side} ${origin.at}`}.{' '}
        </>
      )}
      {clearedTo.value > 0
        ? 'Nothing since. The next request appears here.'
        : 'The next request appears here.'}
    </p>
  )
}

const End = () =>
  gone.value === '' || clearedTo.value > 0 ? null : (
    <p class="none">There are no older ones: {brief(gone.value)}.</p>
  )

interface RowProps {
  readonly line: Line
  readonly number: number
  readonly isStop: boolean
  readonly isLooked: boolean
}

/** What opens a row, by mouse and by Enter. */
const openRow = (event: HistoryEvent): void => go(addressOf(event))

function Row({ line, number, isStop, isLooked: looked }: RowProps) {
  if (line.kind === 'date')
    return (
      <div role="row" class="row date" aria-rowindex={number}>
        <span role="gridcell">{line.text}</span>
      </div>
    )
  const { event } = line
  const look = [
    'row',
    line.kind,
    event.branch !== undefined || isLater(event) ? 'pale' : '',
    line.kind === 'request' && line.isInner ? 'inner' : '',
  ]
  const toggle = () => setOpen(line, line.kind === 'request' && !line.isOpen)
  const isRun = line.kind === 'request' && line.count > 1
  return (
    <div
      role="row"
      class={look.filter(Boolean).join(' ')}
      tabIndex={isStop ? 0 : -1}
      data-row={line.key}
      data-command={commandOf(event)}
      aria-rowindex={number}
      aria-level={line.kind === 'request' && line.isInner ? 2 : 1}
      aria-selected={looked}
      aria-expanded={isRun ? line.isOpen : undefined}
      onFocus={() => {
        focused.value = line.key
      }}
      onClick={({ target }) => {
        if ((target as Element).closest('a, button')) return
        if (isRun) toggle()
        else openRow(event)
      }}
      onKeyDown={({ key, target, currentTarget }) => {
        if (key === 'Enter' && target === currentTarget) openRow(event)
      }}
    >
      {line.kind === 'call' ? <Call event={line.event} /> : <Cells line={line} />}
    </div>
  )
}

const commandOf = (event: HistoryEvent): string =>
  event.kind === 'request'
    ? commandIn(event.entry.namespace, 'rewind', event.id)
    : event.undid === undefined
      ? event.line
        ? command(...event.line)
        : command('rewind', event.id)
      : command('rewind', '--undo', '--branch', event.undid)

/** A control call: a thin line, with its undo. */
function Call({ event }: { event: Extract<HistoryEvent, { kind: 'call' }> }) {
  const since = events.value.filter(
    (each) => each.kind === 'request' && each.branch === undefined && each.real >= event.real,
  ).length
  const isPast = event.branch !== undefined || event.undid !== undefined
  return (
    <>
      <span role="gridcell" class="at">
        {timeOfDay(event.at)}
      </span>
      <span role="gridcell" class={event.line?.[0] === 'clock' || event.undid ? 'what strong' : 'what'}>
        <span class="diamond" aria-hidden="true">
          ◆
        </span>
        {brief(event.what, 120)}
      </span>
      {!isPast && (
        <span role="gridcell" class="more">
          <Act
            tabIndex={-1}
            class="text small"
            always
            command={command('rewind', event.id)}
            run={() => rewind(event.id)}
          >
            {since > 0 ? `Rewind to before it, ${count(since, 'request')} too` : 'Undo'}
          </Act>
          <a tabIndex={-1} href={hrefOf({ at: event.id })}>
            See before
          </a>
        </span>
      )}
    </>
  )
}

function Cells({
  line: { event, count: amount, isOpen, isInner, findings },
}: {
  line: Extract<Line, { kind: 'request' }>
}) {
  const { entry } = event
  const { method, path, query, status, ms } = entry
  const left = remainingOf(entry)
  return (
    <>
      <span role="gridcell" class="at">
        {timeOfDay(event.at)}
      </span>
      <span role="gridcell" class="method">
        {brief(method, 12)}
      </span>
      <span role="gridcell" class="target">
        <span
          class="path"
          title={path.length + query.length > 30 ? brief(`${path}${query && `?${query}`}`, 1000) : undefined}
        >
          {brief(query ? `${path}?${query}` : path)}
        </span>
        {amount > 1 && (
          <span class="count">
            {isOpen && '▾ '}× {amount.toLocaleString('en')}
          </span>
        )}
      </span>
      <span role="gridcell" class={`status ${classOf(status)}`}>
        {status === 0 ? 'none' : status}
      </span>
      <Findings findings={findings} isInner={isInner} />
      <span role="gridcell" class="key">
        {visible(keyOfEntry(entry))}
      </span>
      {namespace.value === ALL && (
        <span role="gridcell" class="of">
          {entry.namespace}
        </span>
      )}
      <span role="gridcell" class="left">
        {left?.toLocaleString('en')}
      </span>
      <span role="gridcell" class="took">
        {took(ms)}
      </span>
    </>
  )
}

/** About so many characters of findings fit; they are never cut. */
const FITTING = 40

/** All that fit: of those that do not, the number. */
function Findings({ findings }: { findings: readonly RowFinding[]; isInner: boolean }) {
  let room = FITTING
  const shown = findings.filter(({ text }, index) => {
    room -= text.length + 2
    return index === 0 || room >= 0
  })
  const more = findings.length - shown.length
  return (
    <span
      role="gridcell"
      class="finding"
      title={more > 0 ? findings.map(({ text }) => visible(text)).join(', ') : undefined}
    >
      {shown.map(({ text, tone }) => (
        <span key={text} class={tone}>
          <Linked text={brief(text, 80)} />
        </span>
      ))}
      {more > 0 && <span class="quiet">+{more}</span>}
    </span>
  )
}

/** The ids of requests in a text lead there. */
export function Linked({ text }: { text: string }) {
  const parts = text.split(/(req_\d{6,16})/)
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <a key={part} tabIndex={-1} href={hrefOf({ view: 'requests', id: part, branch: undefined })}>
            {part}
          </a>
        ),
      )}
    </>
  )
}
