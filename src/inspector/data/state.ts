import { computed, type Signal, signal } from '@preact/signals'
import { answerOf, api, replyOf } from './api.ts'
import { readControl } from './document.ts'
import { pointEvent, sentKeys } from './events.ts'
import { inWorld, point, route, shown, world } from './location.ts'
import { paced } from './paced.ts'
import type { Clock, Decision, Fault, Hold, Key, Limits, Namespace } from './types.ts'

/** Something that the sandbox is asked for, and what asks again where it may have changed. */
export function asked<Value>(
  first: Value,
  rest: number,
  ask: () => Value | Promise<Value>,
): readonly [value: Signal<Value>, refresh: () => void] {
  const value = signal(first)
  const read = async () => {
    value.value = await ask()
  }
  return [value, paced(rest, read)]
}

const then = () => ({ params: { query: shown() } })

export const [faults, refreshFaults] = asked<readonly Fault[]>([], 250, () =>
  answerOf(api.GET('/faults', then())),
)
export const [holds, refreshHolds] = asked<readonly Hold[]>([], 250, () =>
  point.value === undefined ? answerOf(api.GET('/holds', inWorld())) : [],
)
export const [keys, refreshKeys] = asked<readonly Key[]>([], 250, () => answerOf(api.GET('/keys', then())))
export const [namespaces, refreshNamespaces] = asked<readonly Namespace[]>([], 1000, () =>
  answerOf(api.GET('/namespaces')),
)
/** Another one whenever the pets may have changed. */
export const [petsVersion, petsChanged] = asked(0, 250, () => Date.now())

/** All that any change may concern. */
export function refresh(): void {
  refreshFaults()
  refreshHolds()
  refreshKeys()
  refreshNamespaces()
}

/** The namespace that the address names does not exist. */
export const isMissing = signal(false)
/** Why the point cannot be seen, in the words of the sandbox. */
export const unseen = signal('')
/** The effective decisions; they do not change while the sandbox runs. */
export const decisions = signal<readonly Decision[]>([])
export const fixtures = signal<readonly string[]>([])

/** Real time, twice a second. */
export const tick = signal(Date.now())

/** The clock of the world, read at a time of this machine; and that of the point that is looked at. */
export const clock = signal<(Clock & { readonly readAt: number }) | undefined>(undefined)
const clockThen = signal<Clock | undefined>(undefined)

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

export const nameOf = ({ key, name = key }: Key): string => name

/** What is left of each key, by its name. */
export const limits = computed<ReadonlyMap<string, Limits>>(
  () => new Map(keys.value.flatMap((key) => (key.limits ? [[nameOf(key), key.limits]] : []))),
)

/** The key whose quota the page draws, by its name. */
export const chosenKey = computed(
  () => route.value.key ?? sentKeys.value[0] ?? keys.value[0]?.name ?? 'psk_free',
)

/** The keys in the instruments: those that sent something, and else the first ones. */
export const panelKeys = computed(() => {
  const sent = sentKeys.value
  const names = sent.length > 0 ? sent : keys.value.slice(0, 2).map(nameOf)
  return [...new Set([...names, chosenKey.value])]
})

/** A key as it is sent, by its name. */
export const keyNamed = (name: string): string =>
  keys.value.find((each) => nameOf(each) === name)?.key ?? name

/** Without the suffix that names a namespace. */
export const bareKey = (key: string): string => key.replace(/\..*/, '')

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
  const at = point.value
  unseen.value = ''
  clockThen.value = undefined
  refresh()
  petsChanged()
  if (at === undefined) return
  try {
    const told = await answerOf(api.GET('/clock', then()))
    if (point.peek() === at) clockThen.value = told
  } catch (error) {
    if (point.peek() === at) unseen.value = (error as Error).message
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
