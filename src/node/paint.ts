import { Chalk, type ChalkInstance, default as chalk, chalkStderr } from 'chalk'
import type { Colours } from '../views/colours.ts'

/** Colours for a stream: on if it is a terminal; NO_COLOR and FORCE_COLOR override that. */
export function coloursFor(stream: 'stdout' | 'stderr', env: NodeJS.ProcessEnv = process.env): Colours {
  const painter: ChalkInstance = stream === 'stdout' ? chalk : chalkStderr
  // chalk supports FORCE_COLOR, which has precedence, but not NO_COLOR.
  const plain = Boolean(env.NO_COLOR) && env.FORCE_COLOR === undefined
  const { dim, green, yellow, red, bold } = plain ? new Chalk({ level: 0 }) : painter
  return { dim, good: green, warn: yellow, bad: red, strong: bold }
}
