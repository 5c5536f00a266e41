/** The real timer, even if a test in this process fakes timers later. */
const { setTimeout } = globalThis

/** Calls `act` once after that many milliseconds. Does not keep the process alive. */
export const after = (milliseconds: number, act: () => void): void => {
  setTimeout(act, milliseconds).unref()
}
