/** A terminal gives Ctrl-C to npm and to us, and npm passes it on: the same key twice. In milliseconds. */
const ONE_PRESS = 100

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
