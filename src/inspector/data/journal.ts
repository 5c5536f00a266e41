import { computed, signal } from '@preact/signals'
import { isMasked } from '../text/keys.ts'
import { answerOf, api } from './api.ts'
import { filterOf } from './filter.ts'
import { namespace, route, world } from './location.ts'
import { point } from './point.ts'
import { Ring } from './ring.ts'
import type { Entry } from './types.ts'

/** The most requests that the page remembers. */
export const REMEMBERED = 2000
/** An exchange, with when it was for the many comparisons of a drawing. */
export interface Row {
  readonly entry: Entry
  /** In milliseconds. */
  readonly at: number
}

export const rows = new Ring<Row>(REMEMBERED)
/** Requests that came too fast to be sent one by one. */
export interface CountedRequests {
  /** In milliseconds. */
  readonly at: number
  readonly count: number
  readonly statuses: Readonly<Record<string, number>>
}
/** Put together in parts of so many milliseconds: over a minute, the timeline has no shorter ones. */
const TOGETHER = 500
export const counted = new Ring<CountedRequests>(400)
/** How many those are. */
export const countedOnly = signal(0)
/** Grows when what came is drawn: drawing costs the same however much comes. */
export const version = signal(0)
export const paused = signal(false)
/** The last row that was hidden, in this page only. */
const clearedTo = signal<Row | undefined>(undefined)
/** The time that the list is about; undefined = all. */
export const span = signal<{ readonly from: number; readonly to: number } | undefined>(undefined)
/** The first answer about the journal is there. */
export const loaded = signal(false)

const isWithin = (at: number, { from, to }: { from: number; to: number }): boolean => at >= from && at <= to

/** Those that are not hidden, newest first. */
export const kept = computed(() => {
  version.value
  const all = rows.newest(REMEMBERED)
  const end = clearedTo.value ? all.indexOf(clearedTo.value) : -1
  return end < 0 ? all : all.slice(0, end)
})

/** There is none, and the sandbox has said so. */
export const isEmpty = computed(() => {
  version.value
  return rows.length === 0 && loaded.value
})

/** Whether a row passes the filter; each is looked at once, as its texts are long. */
const filter = computed(() => {
  const matches = filterOf(route.value.filter)
  const known = new WeakMap<Row, boolean>()
  return (row: Row): boolean => {
    const found = known.get(row) ?? matches(row.entry)
    known.set(row, found)
    return found
  }
})

let shown: { rows: readonly Row[]; total: number } = { rows: [], total: 0 }
/** The rows of the list, newest first; while it is paused, the rows of that moment. */
export const listed = computed(() => {
  const matches = filter.value
  const time = span.value
  if (paused.value) return shown
  const found = kept.value.filter((row) => (!time || isWithin(row.at, time)) && matches(row))
  shown = { rows: found, total: kept.value.length }
  return shown
})

const later = computed<ReadonlySet<Row>>(() => {
  const then = point.value
  if (!then) return new Set()
  const end = kept.value.findIndex(({ entry }) => entry.id === then.id && entry.namespace === world.value)
  return new Set(end < 0 ? kept.value.filter(({ at }) => at >= then.at) : kept.value.slice(0, end + 1))
})

/** Whether it had not come yet where the page stands in time. */
export const isLater = (row: Row): boolean => later.value.has(row)

/** The request that the address names. */
export const selected = computed(() => {
  version.value
  const { id, of } = route.value
  if (id === undefined) return undefined
  return rows.newest(1, ({ entry }) => entry.id === id && (of === undefined || entry.namespace === of))[0]
})

/** Keys that sent something, the last one first. */
export const seenKeys = computed(() => {
  version.value
  const seen = new Set<string>()
  for (const { entry } of rows.newest(200)) {
    if (entry.key === null || entry.plan === null) continue
    seen.add(isMasked(entry.key) ? `psk_${entry.plan}` : entry.key)
    if (seen.size === 4) break
  }
  return [...seen]
})

let waiting: Entry[] = []
/** The ids read from the journal: the stream may send them again. */
let inJournal: ReadonlySet<string> = new Set()
/** Entries that arrive while the journal is being read. */
let meanwhile: Entry[] | undefined
/** Ids begin anew in each namespace, and come again after a rewind. */
export const nameOf = ({ namespace: of, id, at }: Entry): string => `${of} ${id} ${at}`

export function take(entry: Entry): void {
  if (inJournal.has(nameOf(entry))) return
  meanwhile?.push(entry)
  waiting.push(entry)
  if (waiting.length > REMEMBERED) waiting = waiting.slice(-REMEMBERED)
  if (missing > 0) missing++
  drawSoon()
}

/** After each request that was drawn, and at most: a stream that rushes must leave the time to keys and clicks. */
const REST = 40
const LONGEST_REST = 250
let restUntil = 0
let isDue = false

function drawSoon(): void {
  if (isDue) return
  isDue = true
  const pause = restUntil - performance.now()
  if (pause > 0) setTimeout(() => requestAnimationFrame(draw), pause)
  else requestAnimationFrame(draw)
}

function draw(): void {
  isDue = false
  // A rush is drawn as seldom as that: nobody reads more.
  const rest = missing > 0 ? LONGEST_REST : Math.min(LONGEST_REST, REST * waiting.length)
  restUntil = performance.now() + rest
  for (const entry of waiting) rows.push(rowOf(entry))
  waiting = []
  version.value++
}

const rowOf = (entry: Entry): Row => ({ entry, at: Date.parse(entry.at) })

/** How many of the last requests were not all sent one by one; 0 where none is missing. */
let missing = 0
/** The number of requests that the sandbox keeps. */
const JOURNALED = 1000
/** The rush is over once nothing was left out for so long. */
const QUIET = 1000
let filling: ReturnType<typeof setTimeout> | undefined

/** Takes what came too fast to be sent one by one; the journal has it when the rush is over. */
export function takeMore({
  at,
  count,
  statuses,
}: Omit<CountedRequests, 'at'> & { readonly at: string }): void {
  const more = { at: Date.parse(at), count, statuses }
  const last = counted.at(counted.length - 1)
  const part = (instant: number) => Math.floor(instant / TOGETHER)
  if (last && part(last.at) === part(more.at)) counted.replaceLast(sum(last, more))
  else counted.push(more)
  countedOnly.value += count
  missing += count
  clearTimeout(filling)
  filling = setTimeout(() => {
    fill().catch(() => {})
  }, QUIET)
  drawSoon()
}

function sum({ at, ...one }: CountedRequests, other: CountedRequests): CountedRequests {
  const statuses = { ...one.statuses }
  for (const [status, count] of Object.entries(other.statuses))
    statuses[status] = (statuses[status] ?? 0) + count
  return { at, count: one.count + other.count, statuses }
}

/** Hides what is there, in this page only. */
export function clear(): void {
  draw()
  clearedTo.value = rows.newest(1)[0]
  leaveOut(() => false)
  missing = 0
  clearTimeout(filling)
}

/** Keeps of what was only counted what `keep` holds for. */
function leaveOut(keep: (more: CountedRequests) => boolean): void {
  const left = counted.newest(counted.length, keep).reverse()
  counted.clear()
  for (const more of left) counted.push(more)
  countedOnly.value = left.reduce((sum, { count }) => sum + count, 0)
}

export function forget(): void {
  rows.clear()
  version.value = version.peek() + 1
  leaveOut(() => false)
  inJournal = new Set()
  meanwhile = undefined
  clearedTo.value = undefined
  waiting = []
  missing = 0
  clearTimeout(filling)
}

/** The last entries of the journal and what came meanwhile; undefined where that is not wanted any more. */
async function read(limit?: number): Promise<readonly Entry[] | undefined> {
  const came: Entry[] = []
  meanwhile = came
  const query = { namespace: namespace.value, ...(limit && { limit }) }
  const entries = (await answerOf(api.GET('/requests', { params: { query } })).catch((error) => {
    if (meanwhile === came) meanwhile = undefined
    throw error
  })) as Entry[]
  // Another reading has begun since, or another world is looked at.
  if (meanwhile !== came) return undefined
  const names = new Set(entries.map(nameOf))
  return [...entries, ...came.filter((entry) => !names.has(nameOf(entry)))]
}

/** The journal as it is; what came meanwhile follows it. */
export async function reload(): Promise<void> {
  const entries = await read()
  if (!entries) return
  forget()
  inJournal = new Set(entries.map(nameOf))
  waiting = [...entries]
  draw()
  loaded.value = true
}

/** Puts in what a rush has left out, as far as the journal still has it. */
async function fill(): Promise<void> {
  const entries = await read(Math.min(missing, JOURNALED))
  if (!entries) return
  draw()
  inJournal = new Set(entries.map(nameOf))
  const known = rows.newest(REMEMBERED).reverse()
  const rowNamed = new Map(known.map((row) => [nameOf(row.entry), row]))
  rows.clear()
  for (const row of known) if (!inJournal.has(nameOf(row.entry))) rows.push(row)
  for (const entry of entries) rows.push(rowNamed.get(nameOf(entry)) ?? rowOf(entry))
  const since = Date.parse(entries[0]?.at ?? '')
  leaveOut(({ at }) => at < since)
  meanwhile = undefined
  missing = 0
  version.value++
}
