import { isObject, stringifyJson } from '../../contract/openapi/json.ts'
import type { CheckContext } from './check.ts'
import type { ServiceResponse } from './exchange.ts'
import { valueAt } from './values.ts'

/** A pet of a response, not validated. */
export type ReceivedPet = Readonly<Record<string, unknown>>

/** The maximum of `limit`. */
export const MAX_LIMIT = 100

/** The default of `limit`. */
export const DEFAULT_LIMIT = 20

export const COMPLETE = `GET /pets?limit=${MAX_LIMIT}`

/** The request for all pets of a status. */
export const filteredBy = (status: string): string => `${COMPLETE}&status=${status}`

/** The pets of the longest list that the interface allows. */
export const allPets = async (context: CheckContext): Promise<ReceivedPet[]> =>
  petsIn(context, await context.once({ send: COMPLETE }))

/** The pets of a response to listPets. Skips the check if there is no list, which another check reports. */
export function petsIn(context: CheckContext, answer: ServiceResponse): ReceivedPet[] {
  const { status, json, request } = answer
  return status === 200 && Array.isArray(json)
    ? json.filter(isObject)
    : context.skip(`${request} did not give a list`)
}

/** The pet of a response to createPet. */
export const createdPet = (context: CheckContext, { status, json, request }: ServiceResponse): ReceivedPet =>
  status === 201 && isObject(json) ? json : context.skip(`${request} did not answer 201 with a pet`)

/** The `code` of an error. */
export function codeOf({ json }: ServiceResponse): string | undefined {
  const code = valueAt(json, ['code'])
  return typeof code === 'string' ? code : undefined
}

/** The id as text with every digit, for comparison. */
export const idOf = ({ id }: ReceivedPet): string => stringifyJson(id)

/** The pet whose id has the most digits. */
export const withLongestId = (pets: readonly ReceivedPet[]): ReceivedPet | undefined =>
  pets.toSorted((one, other) => idOf(other).length - idOf(one).length)[0]
