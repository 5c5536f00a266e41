/** Calls `act` after that many milliseconds of real time, unless what it returns is called before. */
export type Timer = (milliseconds: number, act: () => void) => () => void
