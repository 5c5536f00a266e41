/** How long to wait for events that come together, in milliseconds. */
const SOON = 50

/**
 * Acts soon, however often it is asked to: once, then not again for `rest` milliseconds. Frames are for who sees the page:
 * while nobody does, it waits.
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
