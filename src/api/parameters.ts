import type { Operation } from '../contract/openapi/contract.ts'
import { type QueryReading, readQuery } from '../contract/openapi/read-request.ts'
import { listed } from '../text/listed.ts'
import { shorten } from '../text/shorten.ts'
import { ApiError } from '../world/api-error.ts'
import { INT64_MAX, type Pet } from '../world/pets/pet.ts'
import type { Policy } from '../world/policy.ts'
import type { Call } from './call.ts'

/**
 * Finds the parameters that the operation does not define: they are ignored, or refused if the policy says so, together
 * with the other errors in `wrong`.
 */
export function checkParameters(
  call: Call,
  operation: Pick<Operation, 'id' | 'query'>,
  policy: Policy,
  { unknown }: QueryReading = readQuery(operation, call.query),
  wrong: readonly string[] = wrongId(call, policy),
): readonly string[] {
  if (unknown.length + wrong.length === 0) return unknown
  const names = unknown.map((name) => shorten(name))
  const refused = policy.unknown === 'reject' ? names : []
  const texts = [...wrong, ...refused.map((name) => `${name} is not a parameter of ${operation.id}`)]
  if (texts.length > 0) throw new ApiError('invalid_parameter', listed(texts))
  return names
}

const wrongId = ({ params: { petId } }: Call, { get }: Policy): readonly string[] =>
  petId !== undefined && get.invalidId === '400' && readId(petId) === undefined
    ? ['petId must be an integer (int64)']
    : []

/** An id in its canonical form; undefined for any other text. */
export function readId(text: string): Pet['id'] | undefined {
  if (!/^(0|[1-9]\d{0,18})$/.test(text)) return undefined
  const id = Number(text)
  if (Number.isSafeInteger(id)) return id
  const exact = BigInt(text)
  return exact > INT64_MAX ? undefined : exact
}
