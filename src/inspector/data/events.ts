import { computed, signal } from '@preact/signals'
import { grouped } from '../../text/grouped.ts'
import { ALL } from './address.ts'
import { api, realNow, replyOf } from './api.ts'
import { eventsOf, type HistoryEvent, isRequest, type RequestEvent } from './event.ts'
import { namespace } from './location.ts'
import { paced } from './paced.ts'
import type { Entry } from './types.ts'

/** The number of requests that were too many to be sent one by one. */
export interface Counted {
  /** In real time. */
  readonly real: number
  readonly statuses: Readonly<Record<string, number>>
}

/** The limit of requests that the page keeps, and that of the journal. */
const REMEMBERED = 2000
const JOURNALED = 1000

/** By name, in the order of the history. */
let all = new Map<string, HistoryEvent>()
/** Requests that were too many to be sent one by one: their count by status, by the start of an interval of real time. */
const counted = new Map<number, Record<string, number>>()
/** The events that are drawn. It changes at intervals, so that the cost of drawing does not depend on their rate. */
export const inHistory = signal<readonly HistoryEvent[]>([])
/** The drawn events that were not undone. */
export const present = computed(() => inHistory.value.filter(({ branch }) => branch === undefined))
/** All, by the time at which they were received. The history has a request where it was answered. */
export const events = computed(() => inHistory.value.toSorted((a, b) => a.real - b.real))
const countedAll = signal<readonly Counted[]>([])
/** The number of requests that the page does not list: the journal had dropped them, or they came since as counts. */
const onlyCounted = signal(0)
/** How many of them were there when the page was cleared. */
const hiddenCount = signal(0)
export const paused = signal(false)
/** Whether the journal was read. */
export const loaded = signal(false)
/** The real time of each point of the history by id: the journal may have dropped its request. */
export const reach = signal<ReadonlyMap<string, number>>(new Map())
/** The reason why there are no older points, in the words of the sandbox. */
export const goneReason = signal('')
/** Events up to this instant are hidden, in this page only. */
export const clearedTo = signal(0)
/** The names of keys with requests, in the order of their first request. */
export const sentKeys = signal<readonly string[]>([])

const isAfterClear = ({ real }: { readonly real: number }): boolean => real > clearedTo.value

/** The events that are not hidden. */
export const visibleEvents = computed(() => events.value.filter(isAfterClear))
/** The visible events with a row in the list. A rewind that undid nothing has none. */
export const rowEvents = computed(() =>
  visibleEvents.value.filter((event) => event.kind === 'request' || event.undone !== ''),
)
export const countedEvents = computed(() => countedAll.value.filter(isAfterClear))

export const isPresentRequest = (event: HistoryEvent): event is RequestEvent =>
  isRequest(event) && event.branch === undefined

/** The requests that were not undone, oldest first, including hidden ones. */
export const allRequests = computed(() => events.value.filter(isPresentRequest))
export const requests = computed(() => rowEvents.value.filter(isPresentRequest))

/** The number of requests that are hidden, that were undone, and that were only counted. */
export const counts = computed(() => ({
  hidden: allRequests.value.length - requests.value.length,
  undone: rowEvents.value.filter(isRequest).length - requests.value.length,
  onlyCounted: onlyCounted.value - (clearedTo.value === 0 ? 0 : hiddenCount.value),
}))

export function addEvent(event: HistoryEvent): void {
  // The stream may repeat events that were read from the history.
  if (all.has(event.name)) return
  all.set(event.name, event)
  for (const name of all.keys()) {
    if (all.size <= REMEMBERED) break
    all.delete(name)
  }
  drawSoon()
}

function draw(): void {
  inHistory.value = [...all.values()]
  // The timeline begins with the first event of the page.
  const first = events.value[0]?.real ?? 0
  for (const real of counted.keys()) if (real + INTERVAL_MS < first) counted.delete(real)
  countedAll.value = [...counted].map(([real, statuses]) => ({ real, statuses }))
  const names = new Set(events.value.flatMap((event) => (isRequest(event) && event.entry.keyName) || []))
  const sent = [...new Set([...sentKeys.peek().filter((name) => names.has(name)), ...names])]
  if (sent.join() !== sentKeys.peek().join()) sentKeys.value = sent
}

/** Draws at intervals, so that a fast stream leaves time for keys and clicks. */
const drawSoon = paced(async () => draw())

/** After this time without counted requests, in milliseconds, the journal is read again. */
const QUIET = 1000
/** Counted requests are added up in intervals of this length, in milliseconds, which is that of the shortest bar. */
const INTERVAL_MS = 250
let refill: ReturnType<typeof setTimeout> | undefined

/** Adds requests that were only counted. The journal is read again when the rate has dropped. */
export function addCounts({ count, statuses }: Omit<Counted, 'real'> & { readonly count: number }): void {
  const real = Math.floor(realNow() / INTERVAL_MS) * INTERVAL_MS
  const sum = { ...counted.get(real) }
  for (const [status, count] of Object.entries(statuses)) sum[status] = (sum[status] ?? 0) + count
  counted.set(real, sum)
  onlyCounted.value += count
  clearTimeout(refill)
  refill = setTimeout(() => void reload().catch(() => {}), QUIET)
  drawSoon()
}

/** Hides all current events, in this page only. */
export function clear(): void {
  draw()
  clearedTo.value = Math.max(realNow(), events.value.at(-1)?.real ?? 0)
  hiddenCount.value = onlyCounted.value
}

/** Shows what was hidden. */
export const showAll = () => (clearedTo.value = 0)

/** Called when another namespace is selected. */
export function forget(): void {
  clearTimeout(refill)
  all.clear()
  counted.clear()
  onlyCounted.value = 0
  reloads++
  sentKeys.value = []
  paused.value = false
  loaded.value = false
  showAll()
  goneReason.value = ''
  reach.value = new Map()
  draw()
}

/** The number of calls of `reload`. */
let reloads = 0

/**
 * Reads all requests and control calls, undone ones too; later ones come by the stream. Resolves to false if it
 * was called again meanwhile, or another namespace was selected.
 */
export async function reload(): Promise<boolean> {
  const current = ++reloads
  const known = new Set(all.keys())
  const asked = namespace.peek()
  const params = { query: { namespace: asked, branch: '*' } }
  const [{ data, headers }, history] = await Promise.all([
    replyOf(api.GET('/requests', { params })),
    asked === ALL ? undefined : replyOf(api.GET('/history', { params })),
  ])
  if (current !== reloads) return false
  const entries = data as Entry[]
  goneReason.value = history?.headers.get('x-sandbox-history') ?? ''
  const reached = history?.data.filter(({ branch }) => branch === undefined) ?? []
  reach.value = new Map(reached.map(({ id, receivedAt }) => [id, Date.parse(receivedAt)]))
  const came = [...all.values()].filter(({ name }) => !known.has(name))
  const present = entries.filter(({ branch }) => !branch)
  const journals = [...grouped(present, ({ namespace }) => namespace).values()]
  // A full journal has dropped requests that the page keeps, even of the millisecond of its oldest one.
  const full = journals.filter(({ length }) => length >= JOURNALED)
  const listed = eventsOf(entries, history?.data ?? [])
  const names = new Set(listed.map(({ name }) => name))
  // A rewind has the id of its branch, which another one may have later. A dropped branch can no longer be brought back.
  const kept = new Set([...all.values()].filter(({ name }) => names.has(name)).map(({ id }) => id))
  const isOlder = ({ name, real, namespace = asked, branch }: HistoryEvent) =>
    !names.has(name) &&
    (branch === undefined || kept.has(branch)) &&
    full.some(([oldest]) => oldest?.namespace === namespace && real <= Date.parse(oldest.receivedAt))
  const older = [...all.values()].filter(isOlder).slice(-JOURNALED)
  // If counts come meanwhile, it is unknown whether the journal has their requests; it is read again soon.
  const dropped = Number(headers.get('x-sandbox-dropped'))
  onlyCounted.value = Math.max(0, dropped - older.filter(isPresentRequest).length)
  hiddenCount.value = Math.min(hiddenCount.value, onlyCounted.value)
  const isDropped = (real: number) => full.some(([oldest]) => real < Date.parse(oldest?.receivedAt ?? ''))
  for (const real of counted.keys()) if (!isDropped(real + INTERVAL_MS)) counted.delete(real)
  all = new Map([...older, ...listed, ...came].map((event) => [event.name, event]))
  loaded.value = true
  // An empty list has no button to end the pause.
  if (all.size === 0) paused.value = false
  draw()
  return true
}
