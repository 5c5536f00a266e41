import type { CallEvent, HistoryEvent, RequestEvent } from '../../data/events.ts'
import { dateOf } from '../../text/time.ts'
import { earlyText, findingsOf, keyOfEntry, type RowFinding } from './words.ts'

/** What the list shows, line by line. */
export type Line =
  | { readonly kind: 'date'; readonly key: string; readonly text: string }
  | { readonly kind: 'call'; readonly key: string; readonly event: CallEvent }
  | {
      readonly kind: 'request'
      readonly key: string
      /** The newest of a run. */
      readonly event: RequestEvent
      /** More than 1: neighbours that are equal in all that is seen are one line. */
      readonly count: number
      readonly run: readonly RequestEvent[]
      readonly isOpen: boolean
      /** It is one of a run that is open. */
      readonly isInner: boolean
      readonly findings: readonly RowFinding[]
    }

const runKeys = new WeakMap<RequestEvent, string>()

/** Equal for requests that may be one line. */
function runKeyOf(event: RequestEvent): string {
  const known = runKeys.get(event)
  if (known !== undefined) return known
  const { entry, branch } = event
  const { method, path, query, status, test, namespace } = entry
  const kinds = findingsOf(entry).map(({ kind }) => kind)
  const key = JSON.stringify([namespace, keyOfEntry(entry), method, path, query, status, test, kinds, branch])
  runKeys.set(event, key)
  return key
}

/** `events`: newest first. `open`: the runs that are open, by the name of their oldest request. */
export function linesOf(
  events: readonly HistoryEvent[],
  open: ReadonlySet<string>,
  isLater: (event: HistoryEvent) => boolean,
): Line[] {
  const lines: Line[] = []
  let date = ''
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as HistoryEvent
    const day = dateOf(event.at)
    if (day !== date) lines.push({ kind: 'date', key: `${day} ${event.name}`, text: day })
    date = day
    if (event.kind === 'call') {
      lines.push({ kind: 'call', key: event.name, event })
      continue
    }
    const run = [event]
    for (let next = events[i + 1]; next && isSame(event, next, day, isLater); next = events[i + run.length])
      run.push(next as RequestEvent)
    i += run.length - 1
    pushRun(lines, run, open)
  }
  return lines
}

const isSame = (
  event: RequestEvent,
  next: HistoryEvent,
  day: string,
  isLater: (event: HistoryEvent) => boolean,
): boolean =>
  next.kind === 'request' &&
  runKeyOf(event) === runKeyOf(next) &&
  dateOf(next.at) === day &&
  isLater(event) === isLater(next)

function pushRun(lines: Line[], run: readonly RequestEvent[], open: ReadonlySet<string>): void {
  const [event] = run as [RequestEvent]
  const oldest = run.at(-1) as RequestEvent
  const isOpen = run.length > 1 && open.has(oldest.name)
  const findings = findingsOf(event.entry)
  const line = { kind: 'request' as const, event, run, isOpen, isInner: false, count: run.length }
  const key = run.length > 1 ? `run ${oldest.name}` : event.name
  lines.push({ ...line, key, findings: run.length > 1 ? rangeOf(run, findings) : findings })
  if (!isOpen) return
  for (const each of run) {
    const inner = { ...line, event: each, run: [each], count: 1, isOpen: false, isInner: true }
    lines.push({ ...inner, key: each.name, findings: findingsOf(each.entry) })
  }
}

/** Early retries of a run have a range. */
function rangeOf(run: readonly RequestEvent[], findings: readonly RowFinding[]): readonly RowFinding[] {
  const early = run.flatMap(({ entry }) => entry.findings.flatMap(({ earlyMs }) => earlyMs ?? []))
  if (early.length === 0) return findings
  const text = earlyText(Math.min(...early), Math.max(...early))
  return findings.map((each) => (each.kind === 'early' ? { ...each, text } : each))
}

/** The run that has a request, where it is not alone. */
export const runWith = (lines: readonly Line[], event: HistoryEvent | undefined): string | undefined => {
  const line = lines.find(
    (each) => each.kind === 'request' && each.count > 1 && each.run.some(({ name }) => name === event?.name),
  )
  return line?.kind === 'request' ? line.run.at(-1)?.name : undefined
}
