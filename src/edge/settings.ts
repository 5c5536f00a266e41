import { readEnvironment } from '../config/table.ts'
import { UsageError } from '../config/usage-error.ts'
import type { WorldOptions } from './kept-core.ts'

const NAMES = [
  'fixture',
  'limits',
  'decisions',
  'strict',
  'latency',
  'now',
  'freeze',
  'seed',
  'maxState',
  'expire',
  'controlToken',
  'controlOrigins',
] as const satisfies (keyof WorldOptions)[]

/** The options of a world, from the variables of the Worker. Throws a UsageError. */
export function settingsOf(variables: object): WorldOptions {
  const given = readEnvironment({ ...variables })
  const others = Object.keys(given).filter((name) => !NAMES.some((known) => known === name))
  if (others.length > 0)
    throw new UsageError(
      `A Worker has no files and no port of its own: ${others.join(', ')}`,
      `use ${NAMES.join(', ')}`,
    )
  return given as WorldOptions
}
