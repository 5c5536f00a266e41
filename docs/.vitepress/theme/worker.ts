import type { Core } from 'petstore-sandbox/core'
import type { Asked, Told } from './in-worker.ts'

/** Low limits, so that a reader can reach them by hand. */
const LIMITS = { free: '5/1000' }

declare const self: {
  onmessage: ((event: { data: Asked }) => void) | null
  postMessage(told: Told): void
  readonly location: { readonly origin: string }
}

// Not imported statically: the bundler would put the core into this file, later parts of the core would import it, and
// WebKit runs the file of a worker a second time when another one imports it.
const opened = import('petstore-sandbox/core').then(({ createCore }) =>
  createCore({ limits: LIMITS, origin: self.location.origin }),
)
const aborts = new Map<number, AbortController>()

self.onmessage = async ({ data }) => {
  if ('abort' in data) return aborts.get(data.id)?.abort()
  const { id, target, ...init } = data
  const cut = new AbortController()
  aborts.set(id, cut)
  try {
    await answer(id, await (await opened).fetch(target, { ...init, signal: cut.signal }))
  } catch (error) {
    self.postMessage({ id, error: String(error) })
  } finally {
    aborts.delete(id)
  }
}

/** Sends the response, then its body in parts: not every browser can transfer streams. */
async function answer(
  id: number,
  { status, headers, body }: Awaited<ReturnType<Core['fetch']>>,
): Promise<void> {
  self.postMessage({ id, status, headers: [...headers], hasBody: body !== null })
  if (!body) return
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    self.postMessage({ id, chunk: done ? null : value })
    if (done) return
  }
}
