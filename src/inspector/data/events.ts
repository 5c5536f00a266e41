import { computed, signal } from '@preact/signals'
import { count, grouped } from '../text/text.ts'
import { ALL } from './address.ts'
import { answerOf, api, replyOf } from './api.ts'
import { filterOf } from './filter.ts'
import { namespace, point, route, world } from './location.ts'
import { paced } from './paced.ts'
import type { Entry, Point } from './types.ts'

/** A request, or a control call that changed something. */
export type HistoryEvent = RequestEvent | CallEvent

interface Happened {
  /** Unlike ids, it is one of a kind: these come again after a rewind, and in each namespace. */
  readonly name: string
  readonly id: string
  /** In milliseconds: real time, and what the clock of the namespace showed then. */
  readonly real: number
  readonly at: number
  /** The branch that has it, where a rewind undid it. */
  readonly branch?: string
}

export interface RequestEvent extends Happened {
  readonly kind: 'request'
  readonly entry: Entry
}

export interface CallEvent extends Happened {
  readonly kind: 'call'
  readonly what: string
  /** The words of the command line that does the same. */
  readonly line?: readonly string[]
  /** What the clock showed before, unless nobody knows. */
  readonly before?: number
  readonly isFrozen: boolean
  /** The branch that a rewind made. */
  readonly undid?: string
}

/** Requests that came too fast to be sent one by one. */
export interface Counted {
  /** In real time. */
  readonly real: number
  readonly statuses: Readonly<Record<string, number>>
}

/** The limit of requests that the page keeps, and that of the journal. */
export const REMEMBERED = 2000
const JOURNALED = 1000

/** By name, oldest first. */
let all = new Map<string, HistoryEvent>()
/** Requests that were too many to be sent one by one: their count by status, by the start of an interval of real time. */
const counted = new Map<number, Record<string, number>>()
/** The events that are drawn. It changes at intervals, so that the cost of drawing does not depend on their rate. */
export const events = signal<readonly HistoryEvent[]>([])
const countedAll = signal<readonly Counted[]>([])
export const paused = signal(false)
/** Whether the journal was read. */
export const loaded = signal(false)
/** Why there are no older points, in the words of the sandbox. */
export const gone = signal('')
/** Events up to this instant are hidden, in this page only. */
export const clearedTo = signal(0)
/** The names of keys with requests, in the order of their first request. */
export const sentKeys = signal<readonly string[]>([])

const isKept = ({ real }: { readonly real: number }): boolean => real > clearedTo.value

/** Those that are not hidden. */
export const kept = computed(() => (clearedTo.value === 0 ? events.value : events.value.filter(isKept)))
export const countedEvents = computed(() => countedAll.value.filter(isKept))

const isRequest = (event: HistoryEvent): event is RequestEvent => event.kind === 'request'

const isPresentRequest = (event: HistoryEvent): event is RequestEvent =>
  isRequest(event) && event.branch === undefined

/** The requests of the present, oldest first; those that are hidden, too. */
export const allRequests = computed(() => events.value.filter(isPresentRequest))
export const requests = computed(() => kept.value.filter(isPresentRequest))

/** How many requests of the present are hidden. */
export const hidden = computed(() => allRequests.value.length - requests.value.length)

export const isEmpty = computed(() => loaded.value && events.value.length === 0)

/** Whether an event passes the filter; each is looked at once, as its texts are long. */
const filter = computed(() => {
  const { matches, unknown } = filterOf(route.value.filter ?? '')
  const known = new WeakMap<RequestEvent, boolean>()
  const isWanted = (event: RequestEvent): boolean => {
    const found = known.get(event) ?? matches(event.entry)
    known.set(event, found)
    return found
  }
  return { isWanted, unknown }
})
/** Fields in the filter that there are not. */
export const unknownFields = computed(() => filter.value.unknown)

export const span = computed(() => {
  const { from, to } = route.value
  return from === undefined || to === undefined ? undefined : { from: Number(from), to: Number(to) }
})

let frozen: readonly HistoryEvent[] = []
/** What the list shows, newest first: while it is paused, that of the moment. Control calls match no word. */
export const listed = computed<readonly HistoryEvent[]>(() => {
  const { isWanted } = filter.value
  const time = span.value
  const isAll = !route.value.filter
  const from = paused.value ? frozen : kept.value
  frozen = from
  return from
    .filter(
      (event) =>
        (!time || (event.real >= time.from && event.real <= time.to)) &&
        (isRequest(event) ? isWanted(event) : isAll),
    )
    .reverse()
})

/** Requests that came since the list was paused. */
export const missed = computed(() =>
  paused.value ? requests.value.length - frozen.filter(isPresentRequest).length : 0,
)

const isPoint = ({ id, branch }: HistoryEvent): boolean => id === point.value && branch === undefined

/** The event at the point that the page shows. */
export const pointEvent = computed(() =>
  point.value === undefined ? undefined : events.value.findLast(isPoint),
)

const later = computed<ReadonlySet<HistoryEvent>>(() => {
  const at = point.value === undefined ? -1 : events.value.findLastIndex(isPoint)
  return new Set(at < 0 ? [] : events.value.slice(at))
})
/** Whether it had not come yet where the page stands in time. */
export const isLater = (event: HistoryEvent): boolean => later.value.has(event)

/** The event that the address names. */
export const selected = computed(() => {
  const { id, of, branch } = route.value
  if (id === undefined) return undefined
  return events.value.findLast(
    (event) =>
      event.id === id &&
      event.branch === branch &&
      (of === undefined || !isRequest(event) || event.entry.namespace === of),
  )
})

/** Where an event is in the address. */
export const addressOf = (event: HistoryEvent) => ({
  view: 'requests',
  id: event.id,
  branch: event.branch,
  of: namespace.value === ALL && isRequest(event) ? event.entry.namespace : undefined,
})

const requestEvent = (entry: Entry): RequestEvent => ({
  kind: 'request',
  name: `${entry.namespace} ${entry.id} ${entry.receivedAt}`,
  id: entry.id,
  real: Date.parse(entry.receivedAt),
  at: Date.parse(entry.at),
  ...(entry.branch && { branch: entry.branch }),
  entry,
})

const callEvent = ({ id, receivedAt, at, after = at, what, line, frozen, branch }: Point): CallEvent => ({
  kind: 'call',
  name: `${id} ${receivedAt}`,
  id,
  real: Date.parse(receivedAt),
  at: Date.parse(after),
  before: Date.parse(at),
  what,
  ...(line && { line }),
  isFrozen: frozen === true,
  ...(branch && { branch }),
})

const isCall = (id: string): boolean => id.startsWith('ctl_')

/** The rewinds: each undid the points of a branch. */
function rewindsIn(points: readonly Point[]): CallEvent[] {
  const branches = grouped(
    points.filter(({ branch }) => branch),
    ({ branch = '' }) => branch,
  )
  return [...branches].map(([undid, undone]) => {
    const first = undone[0] as Point
    const real = Date.parse(first.undoneAt ?? first.receivedAt)
    return {
      kind: 'call',
      name: `${undid} ${real}`,
      id: undid,
      real,
      at: Date.parse(first.at),
      what: `back before ${first.id}: ${countText(undone.map(({ id }) => ({ kind: isCall(id) ? 'call' : 'request' })))} undone`,
      isFrozen: false,
      undid,
    }
  })
}

/** `26 requests and 1 control call` */
export function countText(events: readonly Pick<HistoryEvent, 'kind'>[]): string {
  const calls = events.filter(({ kind }) => kind === 'call').length
  const requests = events.length - calls
  return [
    ...(requests > 0 || calls === 0 ? [count(requests, 'request')] : []),
    ...(calls > 0 ? [count(calls, 'control call')] : []),
  ].join(' and ')
}

export const takeRequest = (entry: Entry): void => take(requestEvent(entry))
export const takeCall = (point: Point): void => take(callEvent(point))

function take(event: HistoryEvent): void {
  // The stream may repeat events that were read from the history.
  if (all.has(event.name)) return
  all.set(event.name, event)
  dropOldest(all, REMEMBERED)
  drawSoon()
}

function dropOldest<Key>(map: Map<Key, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}

function draw(): void {
  events.value = [...all.values()]
  countedAll.value = [...counted].map(([real, statuses]) => ({ real, statuses }))
  const known = sentKeys.peek()
  const sent = new Set(known)
  for (const event of events.value) if (isRequest(event) && event.entry.keyName) sent.add(event.entry.keyName)
  if (sent.size > known.length) sentKeys.value = [...sent]
}

/** Draws at intervals, so that a fast stream leaves time for keys and clicks. */
const drawSoon = paced(250, async () => draw())

/** After this time without counted requests, in milliseconds, the journal is read again. */
const QUIET = 1000
/** Counted requests are added up in intervals of this length, in milliseconds, which is that of the shortest bar. */
const TOGETHER = 250
/** Set while requests are only counted. */
let filling: ReturnType<typeof setTimeout> | undefined

/** Adds requests that were only counted. The journal is read again when the rate has dropped. */
export function takeMore({ statuses }: { readonly statuses: Readonly<Record<string, number>> }): void {
  const real = Math.floor(Date.now() / TOGETHER) * TOGETHER
  const sum = { ...counted.get(real) }
  for (const [status, count] of Object.entries(statuses)) sum[status] = (sum[status] ?? 0) + count
  counted.set(real, sum)
  dropOldest(counted, JOURNALED)
  clearTimeout(filling)
  filling = setTimeout(() => {
    filling = undefined
    reload().catch(() => {})
  }, QUIET)
  drawSoon()
}

/** Hides all present events, in this page only. */
export function clear(): void {
  draw()
  clearedTo.value = Math.max(Date.now(), events.value.at(-1)?.real ?? 0)
}

/** Called when another namespace is selected. */
export function forget(): void {
  clearTimeout(filling)
  filling = undefined
  all.clear()
  counted.clear()
  readings++
  sentKeys.value = []
  paused.value = false
  loaded.value = false
  clearedTo.value = 0
  gone.value = ''
  draw()
}

/** The number of readings that began. */
let readings = 0

/**
 * Reads all requests and control calls, undone ones too; later ones come by the stream. Resolves to false if another
 * reading has begun since, or another namespace was selected.
 */
export async function reload(): Promise<boolean> {
  const reading = ++readings
  const known = new Set(all.keys())
  const of = namespace.peek()
  const params = { query: { namespace: of, branch: '*' } }
  const [entries, history] = await Promise.all([
    answerOf(api.GET('/requests', { params })),
    of === ALL ? undefined : replyOf(api.GET('/history', { params })),
  ])
  if (reading !== readings) return false
  gone.value = history?.headers.get('x-sandbox-history') ?? ''
  const came = [...all.values()].filter(({ name }) => !known.has(name))
  put(entries as Entry[], history?.data ?? [], came)
  return true
}

function put(entries: readonly Entry[], points: readonly Point[], came: readonly HistoryEvent[]): void {
  const calls = points.filter(({ id }) => isCall(id)).map(callEvent)
  const present = entries.filter(({ branch }) => !branch)
  // A full journal drops requests earlier than the page.
  const since = present.length < JOURNALED ? 0 : Date.parse(present[0]?.receivedAt ?? '')
  const older = [...all.values()].filter(({ real }) => real < since).slice(-JOURNALED)
  const read = [...older, ...came, ...entries.map(requestEvent), ...calls, ...rewindsIn(points)]
  all = new Map(read.sort((a, b) => a.real - b.real).map((event) => [event.name, event]))
  for (const real of counted.keys()) if (real >= since) counted.delete(real)
  loaded.value = true
  draw()
}

/** The requests of the world that the handle can stand before, and its control calls, oldest first. */
export const stops = computed(() =>
  events.value.filter(
    (event) =>
      event.branch === undefined &&
      (isRequest(event) ? event.entry.namespace === world.value : event.undid === undefined),
  ),
)
