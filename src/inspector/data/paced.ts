/** Updates that were due while the page was hidden. */
const unseen = new Set<() => void>()

/** To be called when the page is seen again. */
export function catchUp(): void {
  for (const run of unseen) run()
  unseen.clear()
}

/** How long to wait for events that come together, in milliseconds. */
const SOON = 50

/**
 * Acts soon, however often it is asked to: once, then not again for `rest` milliseconds, and not while nobody sees the
 * page.
 */
export function paced(rest: number, act: () => Promise<void>): () => void {
  let isDue = false
  let restUntil = 0
  const run = async () => {
    if (document.hidden) {
      unseen.add(run)
      return
    }
    isDue = false
    restUntil = Number.POSITIVE_INFINITY
    await act().catch(() => {})
    restUntil = performance.now() + rest
    if (isDue) wait()
  }
  const wait = () => setTimeout(run, Math.max(SOON, restUntil - performance.now()))
  return () => {
    if (isDue) return
    isDue = true
    // While it acts, its end goes on.
    if (restUntil !== Number.POSITIVE_INFINITY) wait()
  }
}
