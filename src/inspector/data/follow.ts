import { computed, effect, untracked } from '@preact/signals'
import { noteOwn } from './actions.ts'
import { ALL } from './address.ts'
import { standing, token } from './api.ts'
import { callEvent, requestEvent } from './event.ts'
import { events, forget, reload, take, takeMore } from './events.ts'
import { pointEvent, selected } from './listed.ts'
import { follow, go, namespace, point, route } from './location.ts'
import { press } from './paced.ts'
import {
  clock,
  hasHolds,
  isMissing,
  look,
  petsChanged,
  readFacts,
  refresh,
  refreshFaults,
  refreshHolds,
  refreshKeys,
  refreshNamespaces,
  tick,
} from './state.ts'
import { listen } from './stream.ts'
import type { Clock, Entry, Point } from './types.ts'

interface StateEvent {
  readonly changed: readonly string[]
  readonly clock: Clock
  readonly kind?: 'rewind'
  readonly point?: Point
}

/** Reads everything again after the history was replaced by a rewind or a reset. */
async function readAgain(): Promise<void> {
  if (!(await reload())) return
  if (point.value !== undefined && !pointEvent.value) go({ at: undefined }, true)
  // The selected event stays open, even if it was undone or exists again.
  const found = events.value.findLast(({ id }) => id === route.value.id)
  if (!selected.value && found) go({ branch: found.branch }, true)
}

function onState({ changed, clock: told, kind, point: call }: StateEvent): void {
  clock.value = { ...told, readAt: Date.now() }
  isMissing.value &&= !call
  if (call && namespace.peek() !== ALL) {
    noteOwn(call.id, call.receivedAt)
    take(callEvent(call))
  }
  if (changed.includes('pets')) petsChanged()
  if (kind === 'rewind' || changed.includes('requests')) readAgain().catch(() => {})
  refresh()
}

function onRequest(entry: Entry): void {
  take(requestEvent(entry))
  isMissing.value = false
  // There may be many requests, and each reading costs the sandbox time.
  refreshKeys(1000)
  if (entry.effect) refreshFaults()
  if (hasHolds()) refreshHolds()
  if (entry.changed) petsChanged(1000)
}

function onOpen(): void {
  readAgain().catch(() => {})
  readFacts().catch(() => {})
  look()
}

/** The handlers of the events of the stream. */
const TAKE: Readonly<Record<string, (told: never) => void>> = {
  request: onRequest,
  more: takeMore,
  state: onState,
}

const isLive = (): boolean => standing.peek().state === 'live'

/** Follows the namespace of the URL while the page is open. */
export function start(): void {
  follow(location.hash)
  addEventListener('keydown', ({ timeStamp }) => (press.at = timeStamp), true)
  addEventListener('hashchange', () => follow(location.hash))
  setInterval(() => {
    if (!document.hidden) tick.value = Date.now()
  }, 500)
  // The stream tells neither of other namespaces nor of held requests.
  setInterval(() => {
    if (isLive()) refreshNamespaces()
  }, 3000)
  setInterval(() => {
    if (!hasHolds() || !isLive()) return
    refreshHolds()
    refreshFaults()
  }, 1000)
  const followed = computed(() => `${namespace.value} ${token.value}`)
  effect(() => {
    followed.value
    const stop = new AbortController()
    const { signal } = stop
    untracked(() => {
      forget()
      clock.value = undefined
      isMissing.value = false
    })
    const onEvent = (event: string, data: string) => {
      if (!signal.aborted) TAKE[event]?.(JSON.parse(data) as never)
    }
    queueMicrotask(() => void listen(namespace.peek(), { onOpen, onEvent }, signal))
    return () => stop.abort()
  })
  effect(() => {
    point.value
    if (isLive()) untracked(look)
  })
}
