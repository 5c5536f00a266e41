import { computed, signal } from '@preact/signals'
import { ALL } from './address.ts'
import { answerOf, api, replyOf, standing } from './api.ts'
import { readControl } from './document.ts'
import { pointEvent, sentKeys } from './events.ts'
import { inWorld, namespace, point, route, shown, world } from './location.ts'
import { paced } from './paced.ts'
import type { Clock, Decision, Fault, Hold, Key, Limits, Namespace } from './types.ts'

type ReadClock = Clock & { readonly readAt: number }

/** The clock of the world, read at a time of this machine; and that of the point that is looked at. */
export const clock = signal<ReadClock | undefined>(undefined)
const clockThen = signal<Clock | undefined>(undefined)
export const faults = signal<readonly Fault[]>([])
export const holds = signal<readonly Hold[]>([])
export const keys = signal<readonly Key[]>([])
/** By the name of the key. */
export const limits = signal<ReadonlyMap<string, Limits>>(new Map())
export const namespaces = signal<readonly Namespace[]>([])
/** The namespace that the address names does not exist. */
export const isMissing = signal(false)
/** Why the point cannot be seen, in the words of the sandbox. */
export const unseen = signal('')
/** The effective decisions; they do not change while the sandbox runs. */
export const decisions = signal<readonly Decision[]>([])
export const fixtures = signal<readonly string[]>([])
/** Grows when the pets may have changed. */
export const petsVersion = signal(0)

export const petsChanged = paced(250, async () => {
  petsVersion.value++
})

/** Real time, twice a second. */
export const tick = signal(Date.now())

/** The clock that the page shows: at a point it stands. */
export const shownClock = computed(() => {
  if (point.value === undefined) return clock.value
  return clockThen.value && { ...clockThen.value, frozen: true, readAt: 0 }
})

/** The time of the clock that the page shows, in milliseconds; its real time, where nothing is known yet. */
export const worldNow = computed(() => {
  const known = shownClock.value
  if (!known) return pointEvent.value?.at ?? tick.value
  return Date.parse(known.now) + (known.frozen ? 0 : Math.max(0, tick.value - known.readAt))
})

export const refreshFaults = paced(250, async () => {
  faults.value = await answerOf(api.GET('/faults', { params: { query: shown() } }))
})
export const refreshHolds = paced(250, async () => {
  holds.value = point.value === undefined ? await answerOf(api.GET('/holds', inWorld())) : []
})
export const refreshNamespaces = paced(1000, async () => {
  namespaces.value = await answerOf(api.GET('/namespaces'))
})

/** The key whose quota the page draws, by its name. */
export const chosenKey = computed(
  () => route.value.key ?? sentKeys.value[0] ?? keys.value[0]?.name ?? 'psk_free',
)

/** The keys in the instruments: those that sent something, and else the first ones. */
export const panelKeys = computed(() => {
  const names = [
    ...sentKeys.value,
    ...(sentKeys.value.length === 0 ? keys.value.slice(0, 2).map(nameOf) : []),
  ]
  return names.includes(chosenKey.value) ? names : [...names, chosenKey.value]
})

export const nameOf = ({ key, name = key }: Key): string => name

/** A key as it is sent, by its name. */
export const keyNamed = (name: string): string =>
  keys.value.find((each) => nameOf(each) === name)?.key ?? name

/** Without the suffix that names a namespace. */
export const bareKey = (key: string): string => key.replace(/\..*/, '')

/** Keys whose limits have changed, by name; undefined = those of all may have. */
let stale: Set<string> | undefined

const readLimits = paced(250, async () => {
  const changed = stale
  stale = new Set()
  if (namespace.value === ALL) return
  const wanted = new Set([chosenKey.value, ...panelKeys.value.slice(0, 4)])
  if (route.value.view === 'limits') for (const key of keys.value) if (!key.revoked) wanted.add(nameOf(key))
  const found = await Promise.all(
    [...wanted].map(async (name) => {
      const known = limits.peek().get(name)
      if (known && changed && !changed.has(name)) return [name, known] as const
      const path = { key: bareKey(keyNamed(name)) }
      const answer = answerOf(api.GET('/keys/{key}/limits', { params: { path, query: shown() } }))
      return [name, await answer.catch(() => undefined)] as const
    }),
  )
  limits.value = new Map(found.flatMap(([name, view]) => (view ? [[name, view] as const] : [])))
})
/** Those of a key, or of all. */
export function refreshLimits(name?: string): void {
  if (name === undefined) stale = undefined
  else stale?.add(name)
  readLimits()
}

export const refreshKeys = paced(250, async () => {
  keys.value = await answerOf(api.GET('/keys', { params: { query: shown() } }))
  refreshLimits()
})

/** Facts that stay the same while the sandbox runs, and whether the namespace exists. */
export async function readFacts(): Promise<void> {
  const { data, headers } = await replyOf(api.GET('/health', inWorld()))
  fixtures.value = data.fixtures
  isMissing.value = headers.get('x-sandbox-namespace') === 'new'
  decisions.value = await answerOf(api.GET('/decisions'))
  await readControl()
}

/** The state at the point, or now. */
export async function look(): Promise<void> {
  const then = point.value
  unseen.value = ''
  clockThen.value = undefined
  refreshFaults()
  refreshHolds()
  refreshKeys()
  petsVersion.value++
  if (then === undefined) return
  try {
    const told = await answerOf(api.GET('/clock', { params: { query: shown() } }))
    if (point.peek() === then) clockThen.value = told
  } catch (error) {
    if (point.peek() === then) unseen.value = (error as Error).message
  }
}

/** A held request is in no journal yet: it is looked for as long as a rule or a hold is there. */
export const hasHolds = (): boolean =>
  holds.peek().length > 0 || faults.peek().some(({ effect }) => 'hold' in effect)

export const effective = (name: string): unknown => decisions.value.find((each) => each.name === name)?.value

/** A name that no namespace has yet, for a copy. */
export const freeName = computed(() => {
  const taken = new Set([world.value, ...namespaces.value.map(({ name }) => name)])
  let number = 2
  while (taken.has(`w${number}`)) number++
  return `w${number}`
})

export const isLive = (): boolean => standing.peek().state === 'live'
