import type { Contract } from '../contract/contract.ts'
import { violations } from '../contract/validators.ts'
import type { FaultInput } from '../domain/fault.ts'
import { Problem } from '../domain/problem.ts'
import { checkLatency } from './faults.ts'
import { checkOperation } from './named.ts'

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
    if (error instanceof Problem) return [error.message]
    throw error
  }
}
