/** Calls `act` after that many milliseconds of real time. Returns a function that cancels it. */
export type Timer = (milliseconds: number, act: () => void) => () => void

/** Waits that many milliseconds of real time, or until a signal aborts. */
export type Sleep = (milliseconds: number, ...signals: AbortSignal[]) => Promise<void>
