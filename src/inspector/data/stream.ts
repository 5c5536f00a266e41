import { createParser } from 'eventsource-parser'
import { BASE, send, standing } from './api.ts'

export interface Listener {
  readonly onOpen: () => void
  readonly onEvent: (event: string, data: string) => void
}

const PAUSE = 1000
/** The sandbox sends something every 15 seconds. After this silence, in milliseconds, the connection counts as broken. */
const SILENCE = 20_000
/** Requests per second that are sent one by one. The others are counted, so that the page costs the sandbox little. */
const RATE = 30

/** Follows the events of a namespace until `signal` aborts. Reconnects when the sandbox is back. */
export async function listen(namespace: string, listener: Listener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const message = await once(namespace, listener, signal).catch(() => undefined)
    if (signal.aborted) return
    const was = standing.value
    if (was.state === 'token' || was.state === 'refused') return
    const since = was.state === 'away' ? was.since : Date.now()
    standing.value = { state: 'away', since, ...(message && { message }) }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

/** Resolves to a description of the other server, if no sandbox answers. */
async function once(
  namespace: string,
  { onOpen, onEvent }: Listener,
  ended: AbortSignal,
): Promise<string | undefined> {
  const cut = new AbortController()
  const end = () => cut.abort()
  const signal = AbortSignal.any([ended, cut.signal])
  addEventListener('offline', end, { signal })
  let silence = setTimeout(end, SILENCE)
  try {
    const url = `${BASE}/events?namespace=${encodeURIComponent(namespace)}&rate=${RATE}`
    const headers = { accept: 'text/event-stream' }
    const response = await send(new Request(url, { headers, cache: 'no-store', signal }))
    if (response.status === 404) return `There is no sandbox at ${location.origin}${BASE}.`
    if (!response.ok || !response.body) return undefined
    standing.value = { state: 'live' }
    onOpen()
    const parser = createParser({ onEvent: ({ event = 'message', data }) => onEvent(event, data) })
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
