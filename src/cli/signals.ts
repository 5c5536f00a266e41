/** A terminal gives Ctrl-C to npm and to us, and npm passes it on: the same key twice. In milliseconds. */
const ONE_PRESS = 100

/** What may still wait for a reader when everything else is over, in milliseconds. */
const LAST_WORDS = 40

/** To be called when all work is done: ends the process although what it wrote is not read. */
export const endUnread = (): void => void setTimeout(() => process.exit(), LAST_WORDS).unref()

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const stop = (): void => {
      const now = performance.now()
      if (first === undefined) resolve()
      else if (now - first > ONE_PRESS) process.exit(1)
      first ??= now
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })
}
