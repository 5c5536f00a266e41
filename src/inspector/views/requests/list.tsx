import { effect, signal, untracked } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { isLater, listed, nameOf, REMEMBERED, type Row, selected } from '../../data/journal.ts'
import { hrefOf, namespace, route } from '../../data/location.ts'
import { point } from '../../data/point.ts'
import { ALL } from '../../data/route.ts'
import { isMasked } from '../../text/keys.ts'
import { brief } from '../../text/text.ts'
import { timeOfDay, took } from '../../text/time.ts'
import { findingsOf, type RowMark, remainingOf } from './why.ts'

/** Drawn above and below what is seen, so that the next row is there when a key goes to it. */
const BESIDE = 5

const seen = signal(0)
/** How high the list and each of its rows is, in pixels. */
const room = signal({ height: 600, row: 25 })
let host: HTMLElement | null = null
/** The scroll position: new rows on top must not move the rows being read. */
let held: { readonly row: Row; readonly past: number } | undefined

const sizes = new ResizeObserver(() => {
  if (!host) return
  const row = Number.parseFloat(getComputedStyle(host).getPropertyValue('--row'))
  room.value = { height: host.clientHeight, row }
})

function settle(element: HTMLElement | null): void {
  sizes.disconnect()
  host = element
  held = undefined
  seen.value = 0
  if (element) sizes.observe(element)
}

function onScroll(): void {
  const { row: height } = room.peek()
  const top = host?.scrollTop ?? 0
  seen.value = Math.floor(top / height)
  const row = listed.peek().rows[seen.peek()]
  held = top > 0 && row ? { row, past: top % height } : undefined
}

/** At once: the event comes only after what is drawn next. */
function scrollTo(top: number): void {
  host?.scrollTo(0, top)
  onScroll()
}

/** The focus goes to a row of the list, which is scrolled there and drawn first. */
export function focusRow(index: number): void {
  const { row: height } = room.peek()
  const name = nameOf((listed.peek().rows[index] as Row).entry)
  const focus = () => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(name)}"]`)?.focus()
  focus()
  if (document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row === name) return
  scrollTo(Math.max(0, index - 1) * height)
  requestAnimationFrame(() => requestAnimationFrame(focus))
}

/** Scrolls to a row unless it is in sight. */
function bringInSight(index: number): void {
  const { height, row: rowHeight } = room.peek()
  const top = index * rowHeight - (host?.scrollTop ?? 0)
  if (top < 0 || top > height - rowHeight) scrollTo(index * rowHeight - height / 2)
}

/** Going back in time scrolls the list to that place; coming back, to the newest row. */
effect(() => {
  const isPast = point.value !== undefined
  untracked(() => {
    const { rows: found } = listed.value
    const at = found.findIndex((row) => !isLater(row))
    if (isPast) bringInSight(at < 0 ? found.length - 1 : at)
    else scrollTo(0)
  })
})

/** The request that is looked at is in sight, wherever its address came from. */
function useSelectedInSight(): void {
  const row = selected.value
  useLayoutEffect(() => {
    const at = row ? listed.peek().rows.indexOf(row) : -1
    if (at >= 0) bringInSight(at)
  }, [row])
}

/** The requests, of which only those that are seen are drawn. */
export function List() {
  const { rows: found, total } = listed.value
  const { height, row: rowHeight } = room.value
  const at = held ? found.indexOf(held.row) : -1
  const first = Math.max(0, (at < 0 ? Math.min(seen.value, found.length - 1) : at) - BESIDE)
  const shown = found.slice(first, first + Math.ceil(height / rowHeight) + 2 * BESIDE)
  const { id, of } = route.value
  useSelectedInSight()
  useLayoutEffect(() => {
    if (!host || at < 0) return
    const top = at * rowHeight + (held?.past ?? 0)
    if (Math.abs(host.scrollTop - top) >= 1) host.scrollTop = top
  })
  return (
    <div class="scroll" tabIndex={-1} ref={settle} onScroll={onScroll}>
      <ol
        class="rows"
        style={{ height: `${found.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}
      >
        {shown.map((row, index) => {
          const { entry } = row
          return (
            <li key={nameOf(entry)} aria-setsize={found.length} aria-posinset={first + index + 1}>
              <Line
                row={row}
                href={hrefOf({ id: entry.id, of: entry.namespace })}
                isSelected={id === entry.id && (of === undefined || of === entry.namespace)}
                isLater={isLater(row)}
              />
            </li>
          )
        })}
      </ol>
      {found.length === 0 && (
        <p class="none">
          {total === 0 ? 'Nothing yet. The next request appears here.' : 'No request matches the filter.'}
        </p>
      )}
      {total === REMEMBERED && found.length > 0 && (
        <p class="none">The page remembers the last {REMEMBERED.toLocaleString('en')} requests.</p>
      )}
    </div>
  )
}

export const statusClass = (status: number): string =>
  status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'

interface LineProps {
  readonly row: Row
  readonly href: string
  readonly isSelected: boolean
  readonly isLater: boolean
}

/** The mark of a row that lies after the point in time shown. */
const LATER: RowMark = { text: 'later', tone: 'plain' }

/** Not drawn again as long as its properties and the signals that it reads are the same. */
function Line({ row: { entry }, href, isSelected, isLater: later }: LineProps) {
  const left = remainingOf(entry)
  const found = findingsOf(entry)
  const findings = later ? [LATER, ...found] : found
  return (
    <a
      class={later ? 'row later' : 'row'}
      href={href}
      data-row={nameOf(entry)}
      aria-current={isSelected ? 'true' : undefined}
    >
      <span class="quiet at">{timeOfDay(entry.at)}</span>
      <span class="method">{brief(entry.method, 12)}</span>
      <span class="path">{brief(entry.query ? `${entry.path}?${entry.query}` : entry.path)}</span>
      <span class={`status ${statusClass(entry.status)}`}>{entry.status === 0 ? 'none' : entry.status}</span>
      <span class="quiet who">{who(entry)}</span>
      <span class="quiet left">{left === undefined ? '' : `${left.toLocaleString('en')} left`}</span>
      <span class="quiet ms">{took(entry.ms)}</span>
      <span class="findings">
        {findings.slice(0, 3).map(({ text, tone }) => (
          <span key={text} class={`finding ${tone}`}>
            {brief(text, 80)}
          </span>
        ))}
      </span>
    </a>
  )
}

function who({ key, plan, namespace: of }: Row['entry']): string {
  const name = key === null ? 'no key' : isMasked(key) ? `${plan ?? 'unknown'} key` : key
  return brief(namespace.value === ALL && of !== 'default' ? `${name} ${of}` : name, 40)
}
