import { computed, effect, signal } from '@preact/signals'
import type { PetRow } from '../pets/pet-pages.ts'
import { keyOf } from '../requests/copy-as.ts'
import { answerOf, api, BASE, Refusal, send, standing } from '../sandbox/api.ts'
import { save } from '../sandbox/download.ts'
import { rows, selected, version } from '../sandbox/journal.ts'
import { go, world } from '../sandbox/location.ts'
import type { Clock, PetStatus } from '../sandbox/types.ts'
import { clock, refreshFaults, refreshLimits } from '../sandbox/world-state.ts'
import { keepDigits } from '../text/json.ts'
import { type Point, point } from './point.ts'

/** What the running sandbox can do, by its own document: an older one has no history. */
const operations = signal<ReadonlySet<string>>(new Set())

effect(() => {
  if (standing.value.state !== 'live') return
  readOperations().then(
    (names) => {
      operations.value = names
    },
    () => {},
  )
})

async function readOperations(): Promise<Set<string>> {
  const response = await send(new Request(`${BASE}/openapi.json`))
  const { paths = {} } = (await response.json()) as { paths?: Record<string, object> }
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )
  return new Set(all)
}

const can = (operation: string) => computed(() => operations.value.has(operation))
export const canTravel = can('get /history')
export const canRewind = can('post /rewind')
export const canFork = can('post /fork')
export const canRecord = can('get /recording')

/** The requests of the world that the handle can stand before, oldest first. */
export const stops = computed<readonly Point[]>(() => {
  version.value
  const of = world.value
  return rows
    .newest(1000, ({ entry }) => entry.namespace === of)
    .map(({ entry, at }) => ({ id: entry.id, at }))
    .reverse()
})

/** Where the handle stands: an index of `stops`, or behind the last one, which is now. */
export const standsAt = computed(() => {
  const found = point.value ? stops.value.findIndex(({ id }) => id === point.value?.id) : -1
  return found < 0 ? stops.value.length : found
})

export function travelTo(index: number): void {
  if (!canTravel.value) return
  point.value = stops.value[Math.max(0, index)]
}

/** To before the request nearest to an instant; behind the last request, that is now. */
export function travelNear(instant: number): void {
  const all = stops.value
  const last = all.at(-1)
  if (!last || instant > last.at) {
    travelTo(all.length)
    return
  }
  let best = 0
  for (const [index, { at }] of all.entries())
    if (Math.abs(at - instant) < Math.abs((all[best] as Point).at - instant)) best = index
  travelTo(best)
}

/** What the sandbox said where the point is beyond its reach. */
export const gone = signal('')
/** What the clock read at the point. */
const clockThen = signal<Clock | undefined>(undefined)
/** The pets as they were at the point. */
export const petsThen = signal<readonly PetRow[] | undefined>(undefined)

/** The clock that the page shows: at a point in time it stands. */
export const shownClock = computed(() =>
  point.value && clockThen.value ? { ...clockThen.value, frozen: true, readAt: 0 } : clock.value,
)

async function control(method: string, path: string, body?: object, query: object = {}): Promise<string> {
  const values = new URLSearchParams({ namespace: world.peek(), ...query })
  const init = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await send(new Request(`${BASE}${path}?${values}`, { method, ...init }))
  const text = await response.text()
  if (response.ok) return text
  let message = `The sandbox answered with ${response.status}.`
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? message
  } catch {
    // Not every refusal is an Error.
  }
  throw new Refusal(message, response.status)
}

effect(() => {
  const now = point.value
  world.value
  refreshFaults()
  refreshLimits()
  gone.value = ''
  clockThen.value = undefined
  petsThen.value = undefined
  if (now) look(now).catch(() => {})
})

async function look(then: Point): Promise<void> {
  const query = { at: then.id, side: 'before' }
  try {
    const told = JSON.parse(await control('GET', '/clock', undefined, query)) as Clock
    if (point.peek() !== then) return
    clockThen.value = told
    const { pets } = JSON.parse(keepDigits(await control('GET', '/export', undefined, query))) as {
      pets: PetRow[]
    }
    if (point.peek() === then) petsThen.value = pets
  } catch (error) {
    if (point.peek() === then) gone.value = (error as Error).message
  }
}

export const petsThenOf = (status: PetStatus | ''): readonly PetRow[] | undefined =>
  status === '' ? petsThen.value : petsThen.value?.filter((pet) => pet.status === status)

export async function rewind(to: string): Promise<void> {
  await control('POST', '/rewind', { to, side: 'before' })
  point.value = undefined
}

export async function fork(into: string, at: string): Promise<void> {
  await control('POST', '/fork', { into, at, side: 'before' })
  point.value = undefined
  go({ namespace: into, id: undefined, view: 'requests' })
}

export const saveRecording = (): Promise<void> =>
  save(`/recording?namespace=${encodeURIComponent(world.peek())}`, `${world.peek()}.jsonl`)

/** Both windows of a key before and after a request. */
async function limitsAround(key: string, id: string) {
  const at = (side: 'before' | 'after') =>
    answerOf(
      api.GET('/keys/{key}/limits', {
        params: { path: { key }, query: { ...{ at: id, side }, namespace: world.peek() } },
      }),
    )
  const [before, after] = await Promise.all([at('before'), at('after')])
  return { id, before, after }
}

type Around = Awaited<ReturnType<typeof limitsAround>>
export const around = signal<Around | undefined>(undefined)

/** Of the request that is looked at, where the sandbox still knows it. */
effect(() => {
  const entry = selected.value?.entry
  around.value = undefined
  if (!canTravel.value || !entry || entry.plan === null || entry.namespace !== world.value) return
  const key = keyOf(entry)?.replace(/\..*/, '')
  if (key === undefined) return
  limitsAround(key, entry.id).then(
    (found) => {
      if (selected.peek()?.entry.id === found.id) around.value = found
    },
    () => {},
  )
})
