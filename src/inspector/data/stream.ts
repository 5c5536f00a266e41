import { effect } from '@preact/signals'
import { createParser } from 'eventsource-parser'
import { BASE, send, standing, unanswered } from './api.ts'

export interface Listener {
  readonly onOpen: () => void
  readonly onEvent: (event: string, data: string) => void
}

const PAUSE = 1000
/** How often the page checks that the sandbox answers, and how long that may take: a cut connection gives no sign. */
const CHECK = 10_000
/** The most requests a second that come one by one; the others are counted, so that the page costs the sandbox little. */
const RATE = 30

/** Follows a namespace's events until `signal` aborts; where the sandbox goes away, until it is back. */
export async function listen(namespace: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let since: number | undefined
  while (!signal.aborted) {
    const message = await whileAnswered(signal, (both) =>
      once(
        namespace,
        {
          ...listener,
          onOpen: () => {
            since = undefined
            listener.onOpen()
          },
        },
        both,
      ),
    ).catch(() => undefined)
    if (signal.aborted) return
    const { state } = standing.value
    if (state === 'token' || state === 'refused') return
    since ??= Date.now()
    standing.value = { state: 'away', since, ...(message && { message }) }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

/** Ends what runs once a call gets no answer. */
async function whileAnswered<T>(signal: AbortSignal, run: (both: AbortSignal) => Promise<T>): Promise<T> {
  const cut = new AbortController()
  const before = unanswered.peek()
  const unwatch = effect(() => {
    if (unanswered.value > before) cut.abort()
  })
  const check = setInterval(() => {
    send(new Request(`${BASE}/health`, { signal: AbortSignal.timeout(CHECK) })).catch(() => {})
  }, CHECK)
  try {
    return await run(AbortSignal.any([signal, cut.signal]))
  } finally {
    clearInterval(check)
    unwatch()
  }
}

/** Returns what answers there instead of a sandbox. */
async function once(
  namespace: string,
  { onOpen, onEvent }: Listener,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = `${BASE}/events?namespace=${encodeURIComponent(namespace)}&rate=${RATE}`
  const response = await send(
    new Request(url, { headers: { accept: 'text/event-stream' }, cache: 'no-store', signal }),
  )
  if (response.status === 404) return `There is no sandbox at ${location.origin}${BASE}.`
  if (!response.ok || !response.body) return undefined
  standing.value = { state: 'live' }
  onOpen()
  const parser = createParser({ onEvent: ({ event = 'message', data }) => onEvent(event, data) })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return undefined
    parser.feed(value)
  }
}
