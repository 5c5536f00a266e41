/** Calls that are requested within this time, in milliseconds, are made once. */
const GATHER_MS = 50
/** The delay of a call right after a key or a click, in milliseconds: its result is painted first. */
const AFTER_KEY_MS = 100

/** The time of the last key, click or input, or of the end of an action. */
export const press = { at: 0 }

/**
 * Returns a function that requests a call of `act`: soon, but not within `rest` milliseconds of the end of the last
 * call. One call runs at a time, however often it is requested. While the page is not visible, it waits.
 */
export function paced(act: () => Promise<unknown>): (rest?: number) => void {
  /** The shortest rest of the requests since the last call began. */
  let wanted = Infinity
  let ended = -Infinity
  let isBusy = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const run = async () => {
    wanted = Infinity
    await act().catch(() => {})
    isBusy = false
    ended = performance.now()
    plan()
  }
  const plan = () => {
    clearTimeout(timer)
    if (isBusy || wanted === Infinity) return
    const wait = () => {
      isBusy = true
      const delay = performance.now() - press.at < AFTER_KEY_MS ? AFTER_KEY_MS : 0
      requestAnimationFrame(() => setTimeout(run, delay))
    }
    timer = setTimeout(wait, Math.max(GATHER_MS, ended + wanted - performance.now()))
  }
  return (rest = 250) => {
    if (rest >= wanted) return
    wanted = rest
    plan()
  }
}
