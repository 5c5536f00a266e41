import type { Contract } from '../../contract/openapi/contract.ts'
import type { SchemaObject } from '../../contract/openapi/document.ts'
import { stringifyJson } from '../../contract/openapi/json.ts'
import type { ServiceResponse } from './exchange.ts'
import { valueAt } from './values.ts'

/** A pet of a response, not validated. */
export type ReceivedPet = Readonly<Record<string, unknown>>

export type ListRules = ReturnType<typeof listRules>

/** The requests for lists that a contract allows. */
export function listRules({ operations }: Contract) {
  const limit = operations.get('listPets')?.query.find(({ name }) => name === 'limit')
  const { minimum: least = 1, maximum = 100, default: standard }: SchemaObject = limit?.schema ?? {}
  /** The pets of the longest list: all, if there is no limit. */
  const most = limit ? maximum : Infinity
  const limited = (count: number): string => (limit ? `GET /pets?limit=${count}` : 'GET /pets')
  const complete = limited(most)
  return {
    hasLimit: limit !== undefined,
    least,
    most,
    standard: standard as number | undefined,
    /** As near to `count` as the bounds of limit allow. */
    allowed: (count: number): number => Math.min(most, Math.max(least, count)),
    limited,
    complete,
    /** The request for all pets of a status. */
    filteredBy: (status: string): string => `${complete}${limit ? '&' : '?'}status=${status}`,
  }
}

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
