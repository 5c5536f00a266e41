import { computed, effect, signal } from '@preact/signals'
import { isMasked } from '../text/keys.ts'
import { answerOf, api } from './api.ts'
import { save } from './download.ts'
import { rows, selected, version } from './journal.ts'
import { inWorld, world } from './location.ts'
import { type PointInTime, point, shown } from './point.ts'
import type { Clock } from './types.ts'
import { clock, namespaces, refreshFaults, refreshKeys } from './world-state.ts'

/** The requests of the world that the handle can stand before, oldest first. */
export const stops = computed<readonly PointInTime[]>(() => {
  version.value
  const of = world.value
  return rows
    .newest(1000, ({ entry }) => entry.namespace === of)
    .map(({ entry, at }) => ({ id: entry.id, at }))
    .reverse()
})

/** The position of the handle: an index of `stops`, or behind the last one, which is now. */
export const standsAt = computed(() => {
  const found = point.value ? stops.value.findIndex(({ id }) => id === point.value?.id) : -1
  return found < 0 ? stops.value.length : found
})

export function travelTo(index: number): void {
  point.value = stops.value[Math.max(0, index)]
}

/** Back to now where the request of the point is gone: others rewind and reset, too. */
export function leaveGone(): void {
  const then = point.peek()
  if (then && !stops.peek().some(({ id, at }) => id === then.id && at === then.at)) point.value = undefined
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
    if (Math.abs(at - instant) < Math.abs((all[best] as PointInTime).at - instant)) best = index
  travelTo(best)
}

/** The message of the sandbox where the point cannot be reached. */
export const gone = signal('')
/** The clock at the point. */
const clockThen = signal<Clock | undefined>(undefined)

/** The clock that the page shows: at a point in time it stands. */
export const shownClock = computed(() =>
  point.value && clockThen.value ? { ...clockThen.value, frozen: true, readAt: 0 } : clock.value,
)

effect(() => {
  const then = point.value
  world.value
  refreshFaults()
  refreshKeys()
  gone.value = ''
  clockThen.value = undefined
  if (then) look(then)
})

async function look(then: PointInTime): Promise<void> {
  try {
    const told = await answerOf(api.GET('/clock', { params: { query: shown() } }))
    if (point.peek() === then) clockThen.value = told
  } catch (error) {
    if (point.peek() === then) gone.value = (error as Error).message
  }
}

export async function rewind(to: string): Promise<void> {
  await answerOf(api.POST('/rewind', { ...inWorld(), body: { to, side: 'before' } }))
  point.value = undefined
}

/** A name that no world has yet, for a copy. */
export const freeName = computed(() => {
  const taken = new Set([world.value, ...namespaces.value.map(({ name }) => name)])
  let number = 2
  while (taken.has(`w${number}`)) number++
  return `w${number}`
})

/** A copy of the world as it was before a request, under another name. */
export async function fork(namespace: string, into: string, at: string): Promise<void> {
  const params = { query: { namespace } }
  await answerOf(api.POST('/fork', { params, body: { into, at, side: 'before' } }))
}

/** Both windows of a key before and after a request. */
async function limitsAround(key: string, id: string) {
  const at = (side: 'before' | 'after') =>
    answerOf(
      api.GET('/keys/{key}/limits', {
        params: { path: { key }, query: { at: id, side, namespace: world.peek() } },
      }),
    )
  const [before, after] = await Promise.all([at('before'), at('after')])
  return { id, before, after }
}

type Around = Awaited<ReturnType<typeof limitsAround>>
export const around = signal<Around | undefined>(undefined)

/** Limits around the selected request, while the sandbox knows it. */
effect(() => {
  const entry = selected.value?.entry
  around.value = undefined
  // A key that is shown masked cannot be asked for.
  if (!entry?.key || entry.plan === null || isMasked(entry.key) || entry.namespace !== world.value) return
  limitsAround(entry.key, entry.id).then(
    (found) => {
      if (selected.peek()?.entry.id === found.id) around.value = found
    },
    () => {},
  )
})

/** A file that `petstore-sandbox replay` repeats. */
export const saveRecording = (): Promise<void> =>
  save(`/recording?namespace=${encodeURIComponent(world.peek())}`, `${world.peek()}.jsonl`)
