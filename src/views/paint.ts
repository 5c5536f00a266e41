import { Chalk, type ChalkInstance, default as chalk, chalkStderr } from 'chalk'
import type { Paint } from './exchange-line.ts'

/** What stands out from a table or a banner, beside what a line of the log needs. */
export interface Colours extends Paint {
  readonly strong: (text: string) => string
}

/** Colours for what is written to that stream: where it is a terminal, or as NO_COLOR and FORCE_COLOR say. */
export function coloursFor(stream: 'stdout' | 'stderr', env: NodeJS.ProcessEnv = process.env): Colours {
  const painter: ChalkInstance = stream === 'stdout' ? chalk : chalkStderr
  // chalk knows FORCE_COLOR, which wins, but not NO_COLOR.
  const plain = Boolean(env.NO_COLOR) && env.FORCE_COLOR === undefined
  const { dim, green, yellow, red, bold } = plain ? new Chalk({ level: 0 }) : painter
  return { dim, good: green, warn: yellow, bad: red, strong: bold }
}
