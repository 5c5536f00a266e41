import { computed, signal } from '@preact/signals'
import { chosenKey } from '../limits/chosen-key.ts'
import { bareKey } from '../text/keys.ts'
import { point, shown } from '../timeline/point.ts'
import { answerOf, api, standing } from './api.ts'
import { inWorld, route, world } from './location.ts'
import type { Clock, Fault, Hold, Key, KeyLimits, Namespace, NewFault } from './types.ts'

export const clock = signal<(Clock & { readonly readAt: number }) | undefined>(undefined)
export const faults = signal<readonly Fault[]>([])
/** Every rule that was seen, by its id: one that is gone still says what it did to a request. */
export const rules = signal<ReadonlyMap<string, Fault>>(new Map())
export const holds = signal<readonly Hold[]>([])
export const keys = signal<readonly Key[]>([])
export const limits = signal<ReadonlyMap<string, KeyLimits>>(new Map())
export const namespaces = signal<readonly Namespace[]>([])
/** Grows when the pets may have changed. */
export const petsVersion = signal(0)

export const petsChanged = (): void => {
  petsVersion.value++
}

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
  faults.value = await answerOf(api.GET('/faults', { params: { query: shown() } }))
  const known = rules.peek()
  const isNew = ({ id, effect }: Fault) => JSON.stringify(known.get(id)?.effect) !== JSON.stringify(effect)
  const news = faults.value.filter(isNew)
  if (news.length > 0) rules.value = new Map([...known, ...news.map((rule) => [rule.id, rule] as const)])
})
export const refreshHolds = throttled(50, async () => {
  holds.value = await answerOf(api.GET('/holds', inWorld()))
})
export const refreshLimits = throttled(150, async () => {
  const wanted = new Set([chosenKey()])
  if (route.value.view === 'limits')
    for (const { key, revoked } of keys.value) if (!revoked) wanted.add(bareKey(key))
  const found = await Promise.all(
    [...wanted].map(async (key) => {
      const answer = api.GET('/keys/{key}/limits', {
        params: { path: { key }, query: shown() },
      })
      return [key, await answerOf(answer).catch(() => undefined)] as const
    }),
  )
  limits.value = new Map(found.filter((each): each is [string, KeyLimits] => each[1] !== undefined))
})
export const refreshKeys = throttled(50, async () => {
  keys.value = await answerOf(api.GET('/keys', { params: { query: shown() } }))
  refreshLimits()
})
const readNamespaces = async () => {
  namespaces.value = await answerOf(api.GET('/namespaces'))
}
export const refreshNamespaces = throttled(300, readNamespaces)
/** For what comes often. */
export const refreshNamespacesLater = throttled(3000, readNamespaces)

export async function addFault(body: NewFault, namespace = world.peek()): Promise<void> {
  await answerOf(api.POST('/faults', { params: { query: { namespace } }, body }))
  refreshFaults()
}

/** A held request is in no journal yet: it is looked for as long as a rule or a hold is there. */
export const hasHolds = (): boolean =>
  holds.peek().length > 0 || faults.peek().some(({ effect }) => 'hold' in effect)

setInterval(() => {
  if (hasHolds() && standing.peek().state === 'live') {
    refreshHolds()
    refreshFaults()
  }
}, 1000)
