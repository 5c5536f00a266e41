import { computed, signal } from '@preact/signals'
import { bareKey, isMasked } from '../text/keys.ts'
import { answerOf, api, standing } from './api.ts'
import { chosenKey } from './chosen-key.ts'
import { inWorld, route, world } from './location.ts'
import { paced } from './paced.ts'
import { point, shown } from './point.ts'
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
/** For what comes often. */
export const petsChangedLater = paced(500, async () => petsChanged())

/** Real time, twice a second. */
export const tick = signal(Date.now())
setInterval(() => {
  if (!document.hidden) tick.value = Date.now()
}, 500)

/** The time of the world now. */
export const liveNow = computed(() => {
  const known = clock.value
  if (!known) return tick.value
  return Date.parse(known.now) + (known.frozen ? 0 : Math.max(0, tick.value - known.readAt))
})

/** The time that the page shows: at a point in time, the time then. */
export const worldNow = computed(() => point.value?.at ?? liveNow.value)

/** The most rules that are remembered. */
const RULES = 1000

export const refreshFaults = paced(250, async () => {
  faults.value = await answerOf(api.GET('/faults', { params: { query: shown() } }))
  const known = rules.peek()
  const isNew = ({ id, effect }: Fault) => JSON.stringify(known.get(id)?.effect) !== JSON.stringify(effect)
  const news = faults.value.filter(isNew)
  if (news.length > 0)
    rules.value = new Map([...known, ...news.map((rule) => [rule.id, rule] as const)].slice(-RULES))
})
export const refreshHolds = paced(250, async () => {
  holds.value = await answerOf(api.GET('/holds', inWorld()))
})

/** Keys whose limits have changed; undefined = those of all may have. */
let staleKeys: Set<string> | undefined

const readLimits = paced(250, async () => {
  const stale = staleKeys
  staleKeys = new Set()
  const wanted = new Set([chosenKey()])
  if (route.value.view === 'limits')
    for (const { key, revoked } of keys.value) if (!revoked) wanted.add(bareKey(key))
  const found = await Promise.all(
    [...wanted].map(async (key) => {
      const known = limits.peek().get(key)
      if (known && stale && !stale.has(key)) return [key, known] as const
      const answer = api.GET('/keys/{key}/limits', {
        params: { path: { key }, query: shown() },
      })
      return [key, await answerOf(answer).catch(() => undefined)] as const
    }),
  )
  limits.value = new Map(found.filter((each): each is [string, KeyLimits] => each[1] !== undefined))
})
export const refreshLimits = (): void => {
  staleKeys = undefined
  readLimits()
}
/** Those of the key that an exchange came with; a masked one may be any. */
export const refreshLimitsOf = (key: string | null): void => {
  if (key === null) return
  if (isMasked(key)) staleKeys = undefined
  else staleKeys?.add(bareKey(key))
  readLimits()
}

export const refreshKeys = paced(250, async () => {
  keys.value = await answerOf(api.GET('/keys', { params: { query: shown() } }))
  refreshLimits()
})
export const refreshNamespaces = paced(250, async () => {
  namespaces.value = await answerOf(api.GET('/namespaces'))
})
/** The stream of one namespace says nothing of the others. */
setInterval(() => {
  if (standing.peek().state === 'live') refreshNamespaces()
}, 3000)

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
