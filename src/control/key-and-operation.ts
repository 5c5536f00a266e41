import { ApiError } from '../world/api-error.ts'
import type { World } from '../world/world.ts'
import type { ControlDeps } from './context.ts'

/** A key without the suffix that names this world. Another suffix stays: no key of this world has it. */
export function bareKey(key: string, world: World): string {
  const suffix = `.${world.name}`
  return key.endsWith(suffix) ? key.slice(0, -suffix.length) : key
}

/** Throws an ApiError if the operation does not exist. `path`: the parameter or member that names it. */
export function checkOperation(
  id: string | undefined,
  path: string,
  { knownOperations }: Pick<ControlDeps, 'knownOperations'>,
): void {
  if (id === undefined || knownOperations.includes(id)) return
  const code = path.includes('.') ? 'invalid_body' : 'invalid_parameter'
  throw new ApiError(code, `${path} must be one of ${knownOperations.join(', ')}`)
}
