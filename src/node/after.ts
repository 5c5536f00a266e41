/** The real one, whatever clock a test in this process may fake later. */
const { setTimeout } = globalThis

/** Calls `act` once, so many milliseconds from now, unless the process ends before. */
export const after = (milliseconds: number, act: () => void): void => {
  setTimeout(act, milliseconds).unref()
}
