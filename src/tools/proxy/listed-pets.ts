import type { Operation } from '../../contract/openapi/contract.ts'
import { jsonOf } from '../../contract/openapi/json.ts'
import { readQuery } from '../../contract/openapi/read-request.ts'
import { plural } from '../../text/plural.ts'

/**
 * The violations of a response to listPets that no schema shows: more pets than `limit`, and a pet of another status
 * than was requested. Of a request that is invalid itself, the interface does not say what it returns.
 */
export function listViolations(operation: Operation, query: string, status: number, body: string): string[] {
  const pets = jsonOf(body)
  const { values, violations } = readQuery(operation, query)
  if (operation.id !== 'listPets' || status !== 200 || violations.length > 0 || !Array.isArray(pets))
    return []
  const { schema } = operation.query.find(({ name }) => name === 'limit') ?? {}
  const limit = Number(values.limit ?? schema?.default ?? Infinity)
  const given = values.limit === undefined ? `limit is ${limit} by default` : `limit is ${limit}`
  const other = pets.findIndex(
    (pet) => values.status !== undefined && (Object(pet) as { status?: unknown }).status !== values.status,
  )
  return [
    ...(pets.length > limit ? [`Response body has ${plural(pets.length, 'pet')}, but ${given}`] : []),
    ...(other < 0
      ? []
      : [
          `Response body ${other}.status must be ${values.status}, because the request has status=${values.status}`,
        ]),
  ]
}
