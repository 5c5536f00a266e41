import { createParser } from 'eventsource-parser'
import { BASE, send, standing } from './api.ts'

export interface Listener {
  readonly onOpen: () => void
  readonly onEvent: (event: string, data: string) => void
}

const PAUSE = 1000
/** So many requests a second come one by one; the others are counted, so that the page costs the sandbox little. */
const RATE = 200

/** Follows a namespace's events until `signal` aborts; where the sandbox goes away, until it is back. */
export async function listen(namespace: string, listener: Listener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await once(namespace, listener, signal)
    } catch {
      // It is away; the standing says so.
    }
    if (signal.aborted) return
    const { state } = standing.value
    if (state === 'token' || state === 'refused') return
    standing.value = { state: 'away' }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

async function once(namespace: string, { onOpen, onEvent }: Listener, signal: AbortSignal): Promise<void> {
  const url = `${BASE}/events?namespace=${encodeURIComponent(namespace)}&rate=${RATE}`
  const response = await send(
    new Request(url, { headers: { accept: 'text/event-stream' }, cache: 'no-store', signal }),
  )
  if (!response.ok || !response.body) return
  standing.value = { state: 'live' }
  onOpen()
  const parser = createParser({ onEvent: ({ event = 'message', data }) => onEvent(event, data) })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parser.feed(value)
  }
}
