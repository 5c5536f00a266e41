/** Signals within this time are one Ctrl-C, in milliseconds: under npm it arrives from the terminal and from npm. */
export const ONE_PRESS = 100

/** How long unread output may delay the end of the process, in milliseconds. */
const LAST_WORDS = 40

/** Ends the process after shutdown even if its output has not been read. */
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
