import { computed, effect, untracked } from '@preact/signals'
import { createParser } from 'eventsource-parser'
import { noteCall } from './actions.ts'
import { BASE, connection, errorOf, realNow, refusal, send, setTime, token } from './api.ts'
import { callEvent, requestEvent } from './event.ts'
import { addCounts, addEvent, forget, loaded, reload } from './events.ts'
import { pointEvent, selected } from './listed.ts'
import { follow, go, isAll, namespace, point } from './location.ts'
import { paced, press } from './paced.ts'
import {
  clock,
  faults,
  hasHolds,
  holds,
  isMissing,
  keys,
  namespaces,
  noteExists,
  petsVersion,
  readFacts,
  readPoint,
  refresh,
  snapshots,
  tick,
  UNREAD,
} from './state.ts'
import type { Clock, Entry, PointView } from './types.ts'

interface StateEvent {
  readonly changed: readonly string[]
  readonly real: string
  readonly clock: Clock
  readonly point?: PointView
}

/** Reads everything again after the history was replaced by a rewind or a reset. */
async function readAgain(isRewound = false): Promise<void> {
  if (!(await reload())) return
  if (isRewound && point.value !== undefined && !pointEvent.value) go({ at: undefined }, true)
  // The selected event stays open, even if it was undone or exists again.
  if (selected.value) go({ branch: selected.value.branch }, true)
}

const readSoon = paced(readAgain)

function onState({ changed, real, clock: present, point: call }: StateEvent): void {
  setTime(real)
  clock.value = { ...present, readAt: realNow() }
  if (call) {
    noteExists()
    const event = callEvent(call)
    noteCall(event)
    if (!isAll.value) addEvent(event)
  }
  if (changed.includes('pets')) petsVersion.refresh()
  // A later key may have the name of one that was reset. One that is issued or revoked changes no other name.
  const hasOtherNames = changed.includes('keys') && call?.line?.[0] !== 'keys'
  if (changed.includes('requests') || hasOtherNames) readAgain(true).catch(() => {})
  if (changed.includes('keys')) readFacts().catch(() => {})
  refresh()
}

function onRequest(entry: Entry): void {
  addEvent(requestEvent(entry))
  noteExists()
  // There may be many requests, and each reading costs the sandbox time.
  keys.refresh(1000)
  if (entry.effect) faults.refresh()
  if (hasHolds()) holds.refresh()
  if (entry.changed) petsVersion.refresh(1000)
}

/** Waits a second, between two attempts. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 1000))

/** Reads until it is answered: no later event would make the page read this data again. */
async function readOnce(read: () => Promise<unknown>, ended: AbortSignal): Promise<void> {
  let isRead = false
  while (!isRead && !ended.aborted) await read().then(() => (isRead = true), pause)
}

function onOpen(ended: AbortSignal, message = ''): void {
  // A refused action may work now.
  if (!isLive()) refusal.value = undefined
  connection.value = { state: 'live', message }
  // A later read may overtake this one, and fail.
  void readOnce(() => readAgain().then(() => loaded.peek() || Promise.reject()), ended)
  void readOnce(readFacts, ended)
  readPoint()
}

/** The handlers of the events of the stream. */
const HANDLERS: Readonly<Record<string, (data: never) => void>> = {
  request: onRequest,
  more: addCounts,
  state: onState,
  gone: () => readSoon(1000),
}

/** The sandbox sends something every 15 seconds. After this silence, in milliseconds, the connection counts as broken. */
const SILENCE = 20_000
/** Requests per second that are sent one by one. The others are counted, so that the page costs the sandbox little. */
const RATE = 30

/** Browsers have six connections to a server: the streams of hidden pages would leave none for others, or for an app. */
async function shown(): Promise<void> {
  while (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}

/** Follows the events of the namespace until `signal` aborts. Reconnects when the page or the sandbox is back. */
async function listen(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await shown()
    const message = await connect(signal).catch(() => undefined)
    if (signal.aborted) return
    if (document.hidden) continue
    const was = connection.value
    if (was.state === 'token' || was.state === 'refused') return
    connection.value = { state: 'away', since: was.since ?? Date.now(), ...(message && { message }) }
    await pause()
  }
}

/** Resolves to a description of the other server, if no sandbox answers. */
async function connect(ended: AbortSignal): Promise<string | undefined> {
  const cut = new AbortController()
  const end = () => cut.abort()
  const signal = AbortSignal.any([ended, cut.signal])
  const endHidden = () => document.hidden && end()
  addEventListener('offline', end, { signal })
  document.addEventListener('visibilitychange', endHidden, { signal })
  let silence = setTimeout(end, SILENCE)
  try {
    const url = `${BASE}/events?namespace=${encodeURIComponent(namespace.peek())}&rate=${RATE}`
    const headers = { accept: 'text/event-stream' }
    const response = await send(new Request(url, { headers, cache: 'no-store', signal }))
    if (!response.ok || !response.body) return await refused(response, ended)
    onOpen(signal)
    const parser = createParser({
      onEvent: ({ event = '', data }) => {
        if (!ended.aborted) HANDLERS[event]?.(JSON.parse(data) as never)
      },
    })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      clearTimeout(silence)
      silence = setTimeout(end, SILENCE)
      const { done, value } = await reader.read()
      if (done) return undefined
      parser.feed(value)
    }
  } finally {
    clearTimeout(silence)
    end()
  }
}

/** The stream was refused. Resolves to a description of the server if the next attempt may succeed. */
async function refused(response: Response, ended: AbortSignal): Promise<string | undefined> {
  const { code, message = '' } = await errorOf(response)
  if (code === 'invalid_control_token')
    connection.value = { state: 'token', message: token.value === '' ? '' : message }
  else if (code === 'control_forbidden') connection.value = { state: 'refused', message }
  else if (code === 'not_implemented') {
    // Durable Objects have no stream of events of all namespaces; all other calls work.
    onOpen(ended, message)
    await new Promise((resolve) => ended.addEventListener('abort', resolve))
  } else if (response.status === 404 && code === undefined)
    return `There is no sandbox at ${location.origin}${BASE}.`
  return message || undefined
}

const isLive = (): boolean => connection.peek().state === 'live'

/** Follows the namespace of the URL while the page is open. */
export function start(): void {
  follow(location.hash)
  for (const type of ['keydown', 'click', 'input'])
    addEventListener(type, ({ timeStamp }) => (press.at = timeStamp), true)
  addEventListener('hashchange', () => follow(location.hash))
  setInterval(() => {
    if (!document.hidden) tick.value = realNow()
  }, 500)
  // The stream reports neither the numbers of other namespaces nor held requests.
  setInterval(() => {
    if (!isLive()) return
    namespaces.refresh(3000)
    if (!hasHolds()) return
    holds.refresh()
    faults.refresh()
  }, 1000)
  const followed = computed(() => `${namespace.value} ${token.value}`)
  effect(() => {
    followed.value
    const stop = new AbortController()
    untracked(() => {
      refusal.value = undefined
      forget()
      clock.value = undefined
      // Rules, keys and snapshots of another namespace have the same names: an action would affect the wrong one.
      faults.value = UNREAD
      holds.value = []
      keys.value = UNREAD
      snapshots.value = UNREAD
      isMissing.value = false
    })
    queueMicrotask(() => void listen(stop.signal))
    return () => stop.abort()
  })
  effect(() => {
    point.value
    if (isLive()) untracked(readPoint)
  })
}
