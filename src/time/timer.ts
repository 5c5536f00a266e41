/** Calls `act` after that many milliseconds of real time, unless what it returns is called before. */
export type Timer = (milliseconds: number, act: () => void) => () => void

/** Waits, in milliseconds of real time; no longer than until a signal aborts. */
export type Sleep = (milliseconds: number, ...signals: AbortSignal[]) => Promise<void>
