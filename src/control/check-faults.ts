import type { FaultInput } from '../contract/generated/control.types.d.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import { violations } from '../contract/openapi/validators.ts'
import { ApiError } from '../world/api-error.ts'
import { checkRule } from './faults.ts'

/**
 * Validates the fault rules of a sandbox's options like the body of `POST /faults`. Throws a RangeError
 * with everything that is wrong, a line for each.
 */
export function checkFaults(
  rules: readonly unknown[],
  contract: Contract,
  knownOperations: readonly string[],
): FaultInput[] {
  const validate = contract.operations.get('addFault')?.body?.validate
  if (!validate) throw new Error('The control API has no addFault')
  const wrong = rules.flatMap((rule, index) => {
    const found = violations(validate, rule)
    const texts = found.length > 0 ? found : beyondSchema(rule as FaultInput, knownOperations)
    return texts.map((text) => `faults[${index}]: ${text}`)
  })
  if (wrong.length > 0) throw new RangeError(wrong.join('\n'))
  return rules as FaultInput[]
}

function beyondSchema(rule: FaultInput, knownOperations: readonly string[]): string[] {
  try {
    checkRule(rule, { knownOperations })
    return []
  } catch (error) {
    if (error instanceof ApiError) return [error.message]
    throw error
  }
}
