import type { FaultInput } from '../contract/generated/control.types.d.ts'
import { ApiError } from '../domain/api-error.ts'
import type { Contract } from '../openapi/contract.ts'
import { violations } from '../openapi/validators.ts'
import { checkLatency } from './faults.ts'
import { checkOperation } from './key-and-operation.ts'

/**
 * Fault rules that a sandbox begins with, held to what `POST /faults` of this contract takes. Throws a RangeError
 * with everything that is wrong, a line for each.
 */
export function checkFaults(
  rules: readonly unknown[],
  contract: Contract,
  knownOperations: readonly string[],
): FaultInput[] {
  const validate = contract.operations.get('addFault')?.body?.validate
  if (!validate) throw new Error('The control API has no addFault')
  const wrong = rules.flatMap((rule, index) =>
    [...violations(validate, rule), ...beyondSchema(rule, knownOperations)].map(
      (text) => `faults[${index}]: ${text}`,
    ),
  )
  if (wrong.length > 0) throw new RangeError(wrong.join('\n'))
  return rules as FaultInput[]
}

function beyondSchema(rule: unknown, knownOperations: readonly string[]): string[] {
  const { match, effect } = (rule ?? {}) as Partial<FaultInput>
  try {
    checkOperation(match?.operationId, 'match.operationId', { knownOperations })
    if (typeof effect === 'object' && 'latency' in effect) checkLatency(String(effect.latency))
    return []
  } catch (error) {
    if (error instanceof ApiError) return [error.message]
    throw error
  }
}
