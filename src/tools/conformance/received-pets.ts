import { stringifyJson } from '../../contract/openapi/json.ts'
import type { ServiceResponse } from './exchange.ts'
import { valueAt } from './values.ts'

/** A pet of a response, not validated. */
export type ReceivedPet = Readonly<Record<string, unknown>>

/** The maximum of `limit`. */
export const MAX_LIMIT = 100

export const COMPLETE = `GET /pets?limit=${MAX_LIMIT}`

/** The request for all pets of a status. */
export const filteredBy = (status: string): string => `${COMPLETE}&status=${status}`

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
