import { computed, effect, signal } from '@preact/signals'
import { answerOf, api, ORIGIN, standing, token } from './api.ts'
import { commandLine } from './commands.ts'
import { filterOf } from './filter.ts'
import { asOf, point } from './point.ts'
import { Ring } from './ring.ts'
import { formatRoute, parseRoute, type Route } from './route.ts'
import { follow } from './stream.ts'
import type { Clock, Entry, Fault, Hold, Key, KeyLimits, Namespace } from './types.ts'

/** So many requests the page remembers. */
export const REMEMBERED = 2000
/** So many rows the list draws at first; scrolling draws more. */
export const DRAWN = 60

export const route = signal<Route>(parseRoute(location.hash))
export const namespace = computed(() => route.value.namespace)
/** What acts acts on one world; where all are shown it is `default`. */
export const world = computed(() => (namespace.value === '*' ? 'default' : namespace.value))

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash)
})

export const hrefOf = (change: Partial<Route>): string =>
  formatRoute({ ...route.value, id: undefined, ...change })

export function go(change: Partial<Route>, replace = false): void {
  const hash = formatRoute({ ...route.value, ...change })
  if (hash === location.hash) return
  if (replace) history.replaceState(null, '', hash)
  else history.pushState(null, '', hash)
  route.value = parseRoute(hash)
}

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
export const clock = signal<(Clock & { readonly readAt: number }) | undefined>(undefined)
export const faults = signal<readonly Fault[]>([])
export const holds = signal<readonly Hold[]>([])
export const keys = signal<readonly Key[]>([])
export const limits = signal<ReadonlyMap<string, KeyLimits>>(new Map())
export const namespaces = signal<readonly Namespace[]>([])
export const petCount = signal<number | undefined>(undefined)
/** Grows when the pets may have changed. */
export const petsVersion = signal(0)
/** The first answer about the journal is there. */
export const loaded = signal(false)
/** Real time, twice a second. */
export const tick = signal(Date.now())
setInterval(() => {
  tick.value = Date.now()
}, 500)

/** What the clock of the world reads now. */
export const liveNow = computed(() => {
  const known = clock.value
  if (!known) return tick.value
  return Date.parse(known.now) + (known.frozen ? 0 : Math.max(0, tick.value - known.readAt))
})

/** What the page shows as now: at a point in time, what the clock read then. */
export const worldNow = computed(() => point.value?.at ?? liveNow.value)

export const command = (...words: readonly string[]): string =>
  commandLine({ origin: ORIGIN, namespace: world.value }, ...words)

export const inWorld = () => ({ params: { query: { namespace: world.value } } })

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
  const { id } = route.value
  return id === undefined ? undefined : rows.newest(1, ({ entry }) => entry.id === id)[0]
})

/** Keys that sent something, the last one first. */
export const seenKeys = computed(() => {
  version.value
  const seen = new Set<string>()
  for (const { entry } of rows.newest(200)) {
    if (entry.key === null || entry.plan === null) continue
    seen.add(entry.key.includes('…') ? `psk_${entry.plan}` : entry.key)
    if (seen.size === 4) break
  }
  return [...seen]
})

let waiting: Entry[] = []
/** What the journal held when it was read: the stream may tell of it once more. */
let inJournal: ReadonlySet<string> = new Set()
/** What came while the journal is being read. */
let meanwhile: Entry[] | undefined
const nameOf = ({ namespace: of, id, at }: Entry): string => `${of} ${id} ${at}`
let drawing = false

/** Takes what came; all of a frame is drawn at once, and drawing leaves most of the time to everything else. */
function take(entry: Entry): void {
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

/** Not more often than once in `milliseconds`, and once more at the end. */
function throttled(milliseconds: number, act: () => Promise<void>): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      act().catch(() => {})
    }, milliseconds)
  }
}

export const refreshFaults = throttled(50, async () => {
  const query = { namespace: world.value, ...asOf() }
  faults.value = await answerOf(api.GET('/faults', { params: { query } }))
})
export const refreshHolds = throttled(50, async () => {
  holds.value = await answerOf(api.GET('/holds', inWorld()))
})
export const refreshLimits = throttled(150, async () => {
  const wanted = new Set([...seenKeys.value, 'psk_free', 'psk_pro'].slice(0, 5))
  if (route.value.view === 'limits')
    for (const { key, revoked } of keys.value) if (!revoked) wanted.add(key.replace(/\..*/, ''))
  const found = await Promise.all(
    [...wanted].map(async (key) => {
      const answer = api.GET('/keys/{key}/limits', {
        params: { path: { key }, query: { namespace: world.value, ...asOf() } },
      })
      return [key, await answerOf(answer).catch(() => undefined)] as const
    }),
  )
  limits.value = new Map(found.filter((each): each is [string, KeyLimits] => each[1] !== undefined))
})
export const refreshKeys = throttled(50, async () => {
  keys.value = await answerOf(api.GET('/keys', inWorld()))
  refreshLimits()
})
export const refreshNamespaces = throttled(300, async () => {
  namespaces.value = await answerOf(api.GET('/namespaces'))
})
const countPets = throttled(150, async () => {
  petCount.value = (await answerOf(api.GET('/health', inWorld()))).pets
})

interface StateEvent {
  readonly changed: readonly string[]
  readonly pets: number
  readonly clock: Clock
}

function onState({ changed, pets, clock: told }: StateEvent): void {
  clock.value = { ...told, readAt: Date.now() }
  petCount.value = pets
  if (changed.includes('pets')) petsVersion.value++
  if (changed.includes('keys')) refreshKeys()
  if (changed.includes('requests')) reload().catch(() => {})
  refreshFaults()
  refreshHolds()
  refreshLimits()
  refreshNamespaces()
}

function onRequest(entry: Entry): void {
  take(entry)
  refreshLimits()
  if (entry.decision.startsWith('fault:')) refreshFaults()
  if (hasHolds()) refreshHolds()
  if (entry.method === 'POST') {
    petsVersion.value++
    countPets()
  }
}

/** A held request is in no journal yet: it is looked for as long as a rule or a hold is there. */
const hasHolds = (): boolean =>
  holds.peek().length > 0 || faults.peek().some(({ effect }) => 'hold' in effect)

setInterval(() => {
  if (hasHolds() && standing.peek().state === 'live') {
    refreshHolds()
    refreshFaults()
  }
}, 1000)

function onMore(more: More): void {
  counted.push(more)
  countedOnly.value += more.count
}

function forget(): void {
  rows.clear()
  inJournal = new Set()
  meanwhile = undefined
  waiting = []
  counted.clear()
  countedOnly.value = 0
}

/** The journal as it is; what came meanwhile follows it. */
async function reload(): Promise<void> {
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

/** Follows the world that the address names, from now on and for as long as the page is open. */
export function start(): void {
  let stop = new AbortController()
  const followed = computed(() => `${namespace.value} ${token.value}`)
  effect(() => {
    followed.value
    stop.abort()
    stop = new AbortController()
    forget()
    point.value = undefined
    loaded.value = false
    const { signal } = stop
    const onOpen = () => {
      reload().catch(() => {})
      refreshKeys()
    }
    const onEvent = (event: string, data: string) => {
      if (signal.aborted) return
      if (event === 'request') onRequest(JSON.parse(data) as Entry)
      else if (event === 'more') onMore(JSON.parse(data) as More)
      else if (event === 'state') onState(JSON.parse(data) as StateEvent)
    }
    queueMicrotask(() => void follow(namespace.peek(), { onOpen, onEvent }, signal))
  })
}
