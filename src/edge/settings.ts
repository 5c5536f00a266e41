import { RECORDED_OPTIONS } from '../config/recorded-options.ts'
import type { SandboxOptions } from '../config/settings.ts'
import { FLAG_NAMES, readEnvironment, variableOf } from '../config/table.ts'
import { UsageError } from '../config/usage-error.ts'

const WORLD_OPTIONS = [
  ...RECORDED_OPTIONS,
  ...(['fixture', 'expire', 'keepKeys', 'controlToken', 'controlOrigins'] as const),
]
const NAMES: readonly string[] = WORLD_OPTIONS

/** The options of the command line that a Worker has, too. */
export const WORKER_OPTIONS = FLAG_NAMES.filter((name) => NAMES.includes(name))

/** The options of a world. */
export type WorldOptions = Pick<SandboxOptions, (typeof WORLD_OPTIONS)[number]>

/** The options of a world, from the variables of the Worker. Throws a UsageError. */
export function settingsOf(variables: object): WorldOptions {
  const given = readEnvironment({ ...variables })
  const others = FLAG_NAMES.filter((name) => name in given && !NAMES.includes(name))
  if (others.length > 0)
    throw new UsageError(
      `A Worker has no files, no port and no terminal of its own: ${others.map(variableOf).join(', ')}`,
      `use ${WORKER_OPTIONS.map(variableOf).join(', ')}`,
    )
  return given
}
