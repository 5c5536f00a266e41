import { computed, effect } from '@preact/signals'
import { token } from './api.ts'
import { leaveGone } from './history.ts'
import { forget, loaded, paused, reload, span, take, takeMore } from './journal.ts'
import { namespace } from './location.ts'
import { point } from './point.ts'
import { listen } from './stream.ts'
import type { Clock, Entry } from './types.ts'
import {
  clock,
  hasHolds,
  petsChanged,
  petsChangedLater,
  refreshFaults,
  refreshHolds,
  refreshKeys,
  refreshLimits,
  refreshLimitsOf,
  refreshNamespaces,
  rules,
} from './world-state.ts'

interface StateEvent {
  readonly changed: readonly string[]
  readonly clock: Clock
}

function onState({ changed, clock: told }: StateEvent): void {
  clock.value = { ...told, readAt: Date.now() }
  if (changed.includes('pets')) petsChanged()
  if (changed.includes('keys')) refreshKeys()
  if (changed.includes('requests')) reload().then(leaveGone, () => {})
  refreshFaults()
  refreshHolds()
  refreshLimits()
  refreshNamespaces()
}

/** They change no pet. */
const SAFE = ['GET', 'HEAD', 'OPTIONS']

function onRequest(entry: Entry): void {
  take(entry)
  refreshLimitsOf(entry.key)
  if (entry.decision.startsWith('fault:')) refreshFaults()
  if (hasHolds()) refreshHolds()
  if (!SAFE.includes(entry.method)) petsChangedLater()
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
    rules.value = new Map()
    point.value = undefined
    span.value = undefined
    paused.value = false
    loaded.value = false
    const { signal } = stop
    const onOpen = () => {
      reload().then(leaveGone, () => {})
      refreshKeys()
      petsChanged()
    }
    const onEvent = (event: string, data: string) => {
      if (signal.aborted) return
      if (event === 'request') onRequest(JSON.parse(data) as Entry)
      else if (event === 'more') takeMore(JSON.parse(data))
      else if (event === 'state') onState(JSON.parse(data) as StateEvent)
    }
    queueMicrotask(() => void listen(namespace.peek(), { onOpen, onEvent }, signal))
  })
}
