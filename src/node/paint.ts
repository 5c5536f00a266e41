import { Chalk } from 'chalk'
import type { Colours } from '../views/colours.ts'

/** Colours for a stream: on if it is a terminal; NO_COLOR and FORCE_COLOR, which has precedence, override that. */
export function coloursFor(stream: 'stdout' | 'stderr', env: NodeJS.ProcessEnv = process.env): Colours {
  const { dim, green, yellow, red, bold } = new Chalk({ level: isColoured(stream, env) ? 1 : 0 })
  return { dim, good: green, warn: yellow, bad: red, strong: bold }
}

function isColoured(stream: 'stdout' | 'stderr', env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return !NO_COLOR && TERM !== 'dumb' && process[stream].isTTY
}
