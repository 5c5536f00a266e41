/** Calls within this time are one, in milliseconds. */
const SOON = 50

/**
 * Calls `act` soon after it is requested, then not again for `rest` milliseconds, however often it is requested. While
 * the page is not visible, it waits.
 */
export function paced(rest: number, act: () => Promise<void>): () => void {
  let isDue = false
  let isBusy = false
  const run = async () => {
    isDue = false
    isBusy = true
    await act().catch(() => {})
    setTimeout(() => {
      isBusy = false
      if (isDue) wait()
    }, rest)
  }
  const wait = () => setTimeout(() => requestAnimationFrame(run), SOON)
  return () => {
    if (!isDue && !isBusy) wait()
    isDue = true
  }
}
