import { stringifyJson } from '../../contract/openapi/json.ts'
import type { CheckContext } from './check.ts'
import { listPets, type ServiceRequest } from './service-request.ts'
import type { ServiceResponse } from './service-response.ts'
import { isRecord } from './values.ts'

/** A pet as a service returned it, not validated. */
export interface ReceivedPet {
  readonly [field: string]: unknown
}

/** The maximum of `limit`. */
export const MAX_LIMIT = 100

/** The default of `limit`. */
export const DEFAULT_LIMIT = 20

export const COMPLETE = listPets(`limit=${MAX_LIMIT}`)

/** The pets of a list; skips the check if there are none, which another check reports. */
export async function listedPets(
  context: CheckContext,
  sent: ServiceRequest,
): Promise<{ answer: ServiceResponse; pets: ReceivedPet[] }> {
  const answer = await context.once(sent)
  return { answer, pets: petsIn(context, answer) }
}

/** The pets of a response to listPets. */
export function petsIn(context: CheckContext, answer: ServiceResponse): ReceivedPet[] {
  if (answer.status !== 200 || !Array.isArray(answer.json)) {
    context.skip(`${answer.request} did not give a list`)
  }
  return (answer.json as unknown[]).filter(isRecord)
}

/** The pet of a response to createPet or getPet. */
export function petIn(context: CheckContext, answer: ServiceResponse, status: number): ReceivedPet {
  const { json } = answer
  if (answer.status !== status || !isRecord(json)) {
    return context.skip(`${answer.request} did not answer ${status} with a pet`)
  }
  return json
}

/** A member of a JSON value that may be none. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** The `code` of an error. */
export function codeOf({ json }: ServiceResponse): string | undefined {
  const code = memberOf(json, 'code')
  return typeof code === 'string' ? code : undefined
}

/** The id as text with every digit, for comparison. */
export const idOf = ({ id }: ReceivedPet): string => stringifyJson(id)

/** The pet whose id has the most digits. */
export const withLongestId = (pets: readonly ReceivedPet[]): ReceivedPet | undefined =>
  [...pets].sort((one, other) => idOf(other).length - idOf(one).length)[0]
