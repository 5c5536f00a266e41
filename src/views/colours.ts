const same = (text: string): string => text

/** No colours: for files, and for output that is not a terminal. */
export const PLAIN = { dim: same, good: same, warn: same, bad: same, strong: same } as const

/** Colours and emphasis for a terminal. */
export type Colours = typeof PLAIN
