import { computed, effect, untracked } from '@preact/signals'
import { noteOwn } from './acts.ts'
import { ALL } from './address.ts'
import { standing, token, unanswered } from './api.ts'
import { events, forget, pointEvent, reload, selected, takeCall, takeMore, takeRequest } from './events.ts'
import { follow, go, namespace, point, route } from './location.ts'
import { catchUp } from './paced.ts'
import {
  clock,
  hasHolds,
  isLive,
  isMissing,
  look,
  panelKeys,
  petsChanged,
  readFacts,
  refreshFaults,
  refreshHolds,
  refreshKeys,
  refreshLimits,
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

/** The history was replaced: others rewind and reset, too. */
async function readAgain(): Promise<void> {
  if (!(await reload())) return
  if (point.value !== undefined && !pointEvent.value) go({ at: undefined }, true)
  // What is looked at stays open where it was undone, or is there again.
  const found = events.value.findLast(({ id }) => id === route.value.id)
  if (!selected.value && found) go({ branch: found.branch }, true)
}

function onState({ changed, clock: told, kind, point: call }: StateEvent): void {
  clock.value = { ...told, readAt: Date.now() }
  isMissing.value &&= !call
  if (call && namespace.peek() !== ALL) {
    noteOwn(call.id, call.receivedAt)
    takeCall(call)
  }
  if (changed.includes('pets')) petsChanged()
  if (changed.includes('keys')) refreshKeys()
  if (kind === 'rewind' || changed.includes('requests')) readAgain().catch(() => {})
  refreshFaults()
  refreshHolds()
  refreshLimits()
  refreshNamespaces()
}

function onRequest(entry: Entry): void {
  takeRequest(entry)
  isMissing.value = false
  refreshLimits(entry.keyName)
  if (entry.effect) refreshFaults()
  if (hasHolds()) refreshHolds()
  if (entry.changed) petsChanged()
}

/** Follows the namespace that the address names, from now on and for as long as the page is open. */
export function start(): void {
  follow(location.hash)
  addEventListener('popstate', () => follow(location.hash))
  addEventListener('hashchange', () => follow(location.hash))
  addEventListener('offline', () => {
    unanswered.value++
  })
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) catchUp()
  })
  setInterval(() => {
    if (!document.hidden) tick.value = Date.now()
  }, 500)
  // The stream of one namespace says nothing of the others, and no event tells of a request that is held.
  setInterval(() => {
    if (isLive()) refreshNamespaces()
  }, 3000)
  setInterval(() => {
    if (!hasHolds() || !isLive()) return
    refreshHolds()
    refreshFaults()
  }, 1000)
  let stop = new AbortController()
  const followed = computed(() => `${namespace.value} ${token.value}`)
  effect(() => {
    followed.value
    stop.abort()
    stop = new AbortController()
    const { signal } = stop
    untracked(() => {
      forget()
      clock.value = undefined
      isMissing.value = false
    })
    const onOpen = () => {
      readAgain().catch(() => {})
      readFacts().catch(() => {})
      look()
    }
    const onEvent = (event: string, data: string) => {
      if (signal.aborted) return
      if (event === 'request') onRequest(JSON.parse(data) as Entry)
      else if (event === 'more') takeMore(JSON.parse(data))
      else if (event === 'state') onState(JSON.parse(data) as StateEvent)
    }
    queueMicrotask(() => void listen(namespace.peek(), { onOpen, onEvent }, signal))
  })
  effect(() => {
    point.value
    if (untracked(() => standing.value.state === 'live')) untracked(look)
  })
  const shownKeys = computed(() => `${route.value.view === 'limits'} ${panelKeys.value}`)
  effect(() => {
    shownKeys.value
    refreshLimits()
  })
}
