import { animalStoreContract } from '../contract/animal-store.ts'
import type { Int64 } from '../domain/pets/pet.ts'
import { stringifyJson } from '../openapi/json.ts'
import type { CheckContext } from './check.ts'
import { listPets, type ServiceRequest } from './service-request.ts'
import type { ServiceResponse } from './service-response.ts'

/** An animal as a service returned it: nothing about it is certain. */
export interface ReceivedPet {
  readonly [field: string]: unknown
}

/** The longest list that may be asked for. */
export const MOST = 100

/** `limit` when it is left out. */
export const DEFAULT_LIMIT = 20

export const COMPLETE = listPets(`limit=${MOST}`)

/** The animals of a list; skips the check where there is none to look at, which another check tells. */
export async function listedPets(
  context: CheckContext,
  ask: ServiceRequest,
): Promise<{ answer: ServiceResponse; pets: ReceivedPet[] }> {
  const answer = await context.once(ask)
  return { answer, pets: petsIn(context, answer) }
}

/** The animals of an answer to listPets. */
export function petsIn(context: CheckContext, answer: ServiceResponse): ReceivedPet[] {
  if (answer.status !== 200 || !Array.isArray(answer.json)) {
    context.skip(`${answer.request} did not give a list`)
  }
  return (answer.json as unknown[]).filter(isRecord)
}

/** The animal of an answer to createPet or getPet. */
export function petIn(context: CheckContext, answer: ServiceResponse, status: number): ReceivedPet {
  const { json } = answer
  if (answer.status !== status || !isRecord(json)) {
    return context.skip(`${answer.request} did not answer ${status} with an animal`)
  }
  return json
}

export const isRecord = (value: unknown): value is ReceivedPet =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The id as text, every digit kept, by which two of them are compared. */
export const idOf = ({ id }: ReceivedPet): string => stringifyJson(id)

/** The fields of a pet that the interface declares, as text; what is missing stays missing. */
export const fieldsOf = (pet: ReceivedPet): string => animalStoreContract().petShape.write(pet)

/** The animal whose id has the most digits to lose. */
export const withLongestId = (pets: readonly ReceivedPet[]): ReceivedPet | undefined =>
  [...pets].sort((one, other) => idOf(other).length - idOf(one).length)[0]

/** An id that no service has given, as far as chance goes. */
export const UNKNOWN_ID: Int64 = 7310245918034625917n
