import type { CallEvent, HistoryEvent, RequestEvent } from '../../data/event.ts'
import { dateOf } from '../../text/text.ts'
import { findingsOf, keyOfEntry } from './words.ts'

export interface Row {
  readonly kind: HistoryEvent['kind']
  readonly key: string
  /** Newest first. Adjacent requests that look the same are one row. */
  readonly run: readonly [RequestEvent, ...RequestEvent[]] | readonly [CallEvent]
  readonly isOpen: boolean
  /** Whether the row is part of an open run. */
  readonly isInner: boolean
}

/** A line of the list: a row, or a date. */
export type Line = Row | { readonly kind: 'date'; readonly key: string; readonly text: string }

const runKeys = new WeakMap<HistoryEvent, string>()

/** Equal for requests that may share a row. */
function runKeyOf(event: HistoryEvent): string {
  if (event.kind === 'call') return event.name
  const known = runKeys.get(event)
  if (known !== undefined) return known
  const { entry, branch } = event
  const { method, path, query, status, test, namespace } = entry
  const seen = [dateOf(event.at), namespace, keyOfEntry(entry), method, path, query, status, test, branch]
  const key = JSON.stringify([...seen, ...findingsOf(entry).map(({ kind }) => kind)])
  runKeys.set(event, key)
  return key
}

/** The keys of the rows, by the names of their events. */
let keys: ReadonlyMap<string, string> = new Map()

/** A row keeps its key, and with it the focus, when newer events join it and when its oldest ones are dropped. */
function keysOf(runs: readonly (readonly [HistoryEvent, ...HistoryEvent[]])[]): typeof keys {
  const next = new Map<string, string>()
  const taken = new Set<string>()
  for (const run of runs.toReversed()) {
    const { name } = run.at(-1) ?? run[0]
    const known = keys.get(name) ?? name
    const key = taken.has(known) ? name : known
    taken.add(key)
    for (const each of run) next.set(each.name, key)
  }
  return next
}

/** `events`: newest first. `open`: the keys of open runs. */
export function linesOf(
  events: readonly HistoryEvent[],
  open: ReadonlySet<string>,
  isLater: (event: HistoryEvent) => boolean,
): Line[] {
  const runs: [HistoryEvent, ...HistoryEvent[]][] = []
  for (const event of events) {
    const run = runs.at(-1)
    if (run && runKeyOf(run[0]) === runKeyOf(event) && isLater(run[0]) === isLater(event)) run.push(event)
    else runs.push([event])
  }
  keys = keysOf(runs)
  let date = ''
  return runs.flatMap((run): Line[] => {
    const [{ kind, name, at }] = run
    const key = keys.get(name) as string
    const isOpen = run.length > 1 && open.has(key)
    const row = { kind, key, run: run as Row['run'], isOpen, isInner: false }
    const innerOf = (each: HistoryEvent) => ({ key: `in ${each.name}`, run: [each] as Row['run'] })
    const inner = isOpen
      ? run.map((each) => ({ ...row, ...innerOf(each), isOpen: false, isInner: true }))
      : []
    const text = dateOf(at)
    const head = text === date ? [] : [{ kind: 'date', key: `${text} ${key}`, text } as const]
    date = text
    return [...head, row, ...inner]
  })
}

/** The line of an event; if its run is open, its own line. */
export const lineOf = (lines: readonly Line[], name: string | undefined): Row | undefined =>
  lines.findLast((line): line is Row => line.kind !== 'date' && line.run.some((each) => each.name === name))
