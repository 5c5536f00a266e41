import { RECORDED_OPTIONS } from '../config/recorded-options.ts'
import { FLAG_NAMES, readEnvironment } from '../config/table.ts'
import { UsageError } from '../config/usage-error.ts'
import type { WorldOptions } from './durable-core.ts'

const OF_WORLD: readonly string[] = [
  ...RECORDED_OPTIONS,
  ...(['fixture', 'expire', 'controlToken', 'controlOrigins'] satisfies (keyof WorldOptions)[]),
]

/** The options of a world, from the variables of the Worker. Throws a UsageError. */
export function settingsOf(variables: object): WorldOptions {
  const given = readEnvironment({ ...variables })
  const others = Object.keys(given).filter((name) => !OF_WORLD.includes(name))
  if (others.length > 0)
    throw new UsageError(
      `A Worker has no files and no port of its own: ${others.join(', ')}`,
      `use ${FLAG_NAMES.filter((name) => OF_WORLD.includes(name)).join(', ')}`,
    )
  return given as WorldOptions
}
