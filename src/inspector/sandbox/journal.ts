import { computed, signal } from '@preact/signals'
import { filterOf } from '../requests/filter.ts'
import { isMasked } from '../text/keys.ts'
import { answerOf, api } from './api.ts'
import { namespace, route } from './location.ts'
import { Ring } from './ring.ts'
import type { Entry } from './types.ts'

/** So many requests the page remembers. */
export const REMEMBERED = 2000
/** So many rows the list draws at first; scrolling draws more. */
export const DRAWN = 60

/** An exchange, with when it was for the many comparisons of a drawing. */
export interface Row {
  readonly entry: Entry
  /** In milliseconds. */
  readonly at: number
}

export const rows = new Ring<Row>(REMEMBERED)
/** What came too fast to be sent one by one. */
export interface More {
  readonly at: string
  readonly count: number
  readonly statuses: Readonly<Record<string, number>>
}
export const counted = new Ring<More>(REMEMBERED)
/** How many those are. */
export const countedOnly = signal(0)
/** Grows once a frame where something came: drawing costs the same however much comes. */
export const version = signal(0)
export const paused = signal(false)
/** Rows before this number are hidden, in this page only. */
export const hiddenBefore = signal(0)
/** The time that the list is about; undefined = all. */
export const span = signal<{ readonly from: number; readonly to: number } | undefined>(undefined)
/** The first answer about the journal is there. */
export const loaded = signal(false)

const isWithin = (at: number, { from, to }: { from: number; to: number }): boolean => at >= from && at <= to

let shown: { rows: Row[]; total: number } = { rows: [], total: 0 }
/** What the list shows, newest first; while it is paused, what it showed then. */
export const listed = computed(() => {
  version.value
  const matches = filterOf(route.value.filter)
  const time = span.value
  const keep = ({ entry, at }: Row) => matches(entry) && (!time || isWithin(at, time))
  if (paused.value) return shown
  const hidden = rows.length - (rows.total - hiddenBefore.value)
  const all = hidden > 0 ? rows.length - hidden : rows.length
  const found = rows.newest(all).filter(keep)
  shown = { rows: found, total: all }
  return shown
})

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
/** What the journal held when it was read: the stream may tell of it once more. */
let inJournal: ReadonlySet<string> = new Set()
/** What came while the journal is being read. */
let meanwhile: Entry[] | undefined
/** Ids begin anew in each namespace, and come again after a rewind. */
export const nameOf = ({ namespace: of, id, at }: Entry): string => `${of} ${id} ${at}`
let drawing = false

/** Takes what came; all of a frame is drawn at once, and drawing leaves most of the time to everything else. */
export function take(entry: Entry): void {
  if (inJournal.has(nameOf(entry))) return
  meanwhile?.push(entry)
  waiting.push(entry)
  if (waiting.length > REMEMBERED) waiting = waiting.slice(-REMEMBERED)
  if (drawing) return
  drawing = true
  const pause = restUntil - performance.now()
  if (pause > 0) setTimeout(() => requestAnimationFrame(draw), pause)
  else requestAnimationFrame(draw)
}

/** When the next drawing may begin: after four times as long as the last one took. */
let restUntil = 0

function draw(): void {
  const began = performance.now()
  drawing = false
  for (const entry of waiting) rows.push({ entry, at: Date.parse(entry.at) })
  waiting = []
  version.value++
  // Preact draws in a microtask, the browser lays out in this frame.
  requestAnimationFrame(() => {
    const ended = performance.now()
    restUntil = ended + Math.min(400, 4 * Math.max(0, ended - began - 16))
  })
}

/** Takes what came too fast to be sent one by one. */
export function takeMore(more: More): void {
  counted.push(more)
  countedOnly.value += more.count
}

export function forget(): void {
  rows.clear()
  inJournal = new Set()
  meanwhile = undefined
  waiting = []
  counted.clear()
  countedOnly.value = 0
}

/** The journal as it is; what came meanwhile follows it. */
export async function reload(): Promise<void> {
  const came: Entry[] = []
  meanwhile = came
  const query = { namespace: namespace.value }
  const entries = (await answerOf(api.GET('/requests', { params: { query } }))) as Entry[]
  // Another reading has begun since, or another world is looked at.
  if (meanwhile !== came) return
  forget()
  inJournal = new Set(entries.map(nameOf))
  hiddenBefore.value = 0
  waiting = [...entries, ...came.filter((entry) => !inJournal.has(nameOf(entry)))]
  draw()
  loaded.value = true
}
