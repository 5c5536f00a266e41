import { computed, signal } from '@preact/signals'
import { iso } from '../../time/instant.ts'
import { isPast } from '../text/text.ts'
import { answerOf, api, hasState, realNow, replyOf, service } from './api.ts'
import { readControl, served } from './document.ts'
import { sentKeys } from './events.ts'
import { pointEvent } from './listed.ts'
import { go, inWorld, isAll, namespace, point, route, shownState, world } from './location.ts'
import { paced } from './paced.ts'
import type { Clock, Decision, Fault, Hold, Key, Limits, Namespace, Snapshot } from './types.ts'

/** A signal with data of the sandbox. `refresh` reads the data again. */
export function resource<Value>(first: Value, read: () => Value | Promise<Value>) {
  const data = signal(first)
  const place = () => `${namespace.peek()} ${point.peek()}`
  const refresh = paced(async () => {
    const asked = place()
    const value = await read()
    // If another namespace or point was selected meanwhile, its data is read next.
    if (place() === asked) data.value = value
  })
  return Object.assign(data, { refresh })
}

/** The value of a list until it is read. */
export const UNREAD: readonly never[] = []

const shownParams = () => ({ params: { query: shownState() } })

export const faults = resource<readonly Fault[]>(UNREAD, () => answerOf(api.GET('/faults', shownParams())))
export const holds = resource<readonly Hold[]>([], () =>
  point.value === undefined ? answerOf(api.GET('/holds', inWorld())) : [],
)
export const keys = resource<readonly Key[]>(UNREAD, () =>
  service.value === '' ? answerOf(api.GET('/keys', shownParams())) : UNREAD,
)
/** Read only while a view shows them. */
export const snapshots = resource<readonly Snapshot[]>(UNREAD, () =>
  answerOf(api.GET('/snapshots', inWorld())),
)
export const namespaces = resource<readonly Namespace[]>([], () =>
  answerOf(api.GET('/namespaces', inWorld())),
)
/** The namespace of the URL, if it exists. */
export const ownNamespace = computed(() => namespaces.value.find(({ name }) => name === namespace.value))
/** Changes whenever the pets may have changed. */
export const petsVersion = resource(0, () => Date.now())

/** Reads everything again that any change may affect. */
export function refresh(): void {
  faults.refresh()
  holds.refresh()
  keys.refresh()
  namespaces.refresh(1000)
}

/** Whether the namespace of the URL does not exist. */
export const isMissing = signal(false)
/** The number of events that only a namespace that exists sends. */
let signs = 0
/** Called when such an event came. */
export function noteExists(): void {
  signs++
  isMissing.value = false
}
/** The reason why the state at the point cannot be shown, in the words of the sandbox. */
export const pointError = signal('')
/** The decisions of the sandbox, with their current values; they do not change while it runs. */
export const decisions = signal<readonly Decision[]>([])
export const fixtures = signal<readonly string[]>([])

/** Real time, updated twice a second. */
export const tick = signal(realNow())

/** A clock, and the real time at which it was read. */
type ReadClock = Clock & { readonly readAt: number }
/** Like that of the sandbox, it stops at the end of the year 9999. */
const timeOf = ({ now, frozen, readAt }: ReadClock, real: number): number =>
  Date.parse(iso(Date.parse(now) + (frozen ? 0 : real - readAt)))

/** The clock of the namespace, and that at the shown point. */
export const clock = signal<ReadClock | undefined>(undefined)
const clockAtPoint = signal<Clock | undefined>(undefined)

/** The time of the namespace at an instant of real time; that instant until the clock was read. */
export const presentTime = (real: number): number => (clock.value ? timeOf(clock.value, real) : real)

/** The clock that the page shows; at a point it is frozen. */
export const shownClock = computed(() => {
  if (point.value === undefined) return clock.value
  return clockAtPoint.value && { ...clockAtPoint.value, frozen: true, readAt: 0 }
})

export const isTimeKnown = computed(() => (shownClock.value ?? pointEvent.value) !== undefined)

/** The time that the page shows, in milliseconds; real time until the clock was read. */
export const worldNow = computed(() => {
  const known = shownClock.value
  if (!known) return pointEvent.value?.at ?? tick.value
  return timeOf(known, Math.max(tick.value, known.readAt))
})

export const nameOf = ({ key, name = key }: Key): string => name

/** Revoked and expired keys have no limits. No event reports the instant at which a key expires. */
export const isValid = ({ limits, expiresAt }: Key): boolean =>
  limits?.valid !== false && !isPast(expiresAt, worldNow.value)

/** The limits of each valid key, by its name. */
export const limits = computed<ReadonlyMap<string, Limits>>(
  () => new Map(keys.value.filter(isValid).flatMap((key) => (key.limits ? [[nameOf(key), key.limits]] : []))),
)

/** The names of valid keys: those with requests, or else the first ones. */
const limitedKeys = computed(() => {
  const invalid = new Set(keys.value.filter((key) => !isValid(key)).map(nameOf))
  const sent = sentKeys.value.filter((name) => !invalid.has(name))
  return sent.length > 0 ? sent : [...limits.value.keys()].slice(0, 2)
})

/** The name of the key whose quota is drawn. */
export const chosenKey = computed(() => route.value.key ?? limitedKeys.value[0] ?? 'psk_free')

/** The keys in the instruments. */
export const panelKeys = computed(() => [...new Set([...limitedKeys.value, chosenKey.value])])

/** A key without the suffix that names a namespace. */
export const bareKey = (key: string): string => key.replace(/\..*/, '')

/** The key with this name, without the suffix. */
export const keyNamed = (name: string): string =>
  bareKey(keys.value.find((each) => nameOf(each) === name)?.key ?? name)

/** Reads facts that stay the same while the sandbox runs, and whether the namespace exists. */
export async function readFacts(): Promise<void> {
  const [asked, known] = [namespace.peek(), signs]
  /** Another namespace was selected meanwhile, whose facts are read now. */
  const isLate = () => namespace.peek() !== asked
  const { data, headers } = await replyOf(api.GET('/health', inWorld()))
  if (isLate()) return
  fixtures.value = data.fixtures
  service.value = data.service ?? ''
  keys.refresh()
  // A proxy has one namespace, and no list of all.
  if (!hasState.value && isAll.value) go({ ...route.peek(), namespace: 'default' }, true)
  // An event may overtake this answer.
  isMissing.value = headers.get('x-sandbox-namespace') === 'new' && signs === known
  const [values, document] = await Promise.all([
    answerOf(api.GET('/decisions', inWorld())),
    answerOf(api.GET('/interface.json', inWorld())),
    readControl(),
  ])
  if (isLate()) return
  decisions.value = values
  served.value = document
}

/** Reads the state at the shown point, or the current state. */
export async function readPoint(): Promise<void> {
  const at = point.value
  pointError.value = ''
  clockAtPoint.value = undefined
  refresh()
  petsVersion.refresh()
  if (at === undefined) return
  try {
    const clockThen = await answerOf(api.GET('/clock', shownParams()))
    if (point.peek() === at) clockAtPoint.value = clockThen
  } catch (error) {
    if (point.peek() === at) pointError.value = (error as Error).message
  }
}

/** Whether held requests must be polled for: no journal contains them until they are answered. */
export const hasHolds = (): boolean =>
  holds.peek().length > 0 || faults.peek().some(({ effect }) => 'hold' in effect)

/** An unused name for a copy. */
export const freeName = computed(() => {
  const taken = new Set([world.value, ...namespaces.value.map(({ name }) => name)])
  let number = 2
  while (taken.has(`w${number}`)) number++
  return `w${number}`
})
