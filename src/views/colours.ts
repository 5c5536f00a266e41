/** Colours and emphasis for a terminal; each returns the text unchanged if colours are off. */
export interface Colours {
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly warn: (text: string) => string
  readonly bad: (text: string) => string
  readonly strong: (text: string) => string
}

const same = (text: string): string => text

/** For files, and for what is not a terminal. */
export const PLAIN: Colours = { dim: same, good: same, warn: same, bad: same, strong: same }
