import { stringifyJson } from '../../contract/json.ts'
import type { Int64 } from '../../domain/pet.ts'
import type { Answer } from './answer.ts'
import { type Ask, listPets } from './ask.ts'
import type { Context } from './check.ts'

/** An animal as a service returned it: nothing about it is certain. */
export interface SeenPet {
  readonly id?: unknown
  readonly name?: unknown
  readonly categoryId?: unknown
  readonly status?: unknown
}

/** The longest list that may be asked for. */
export const MOST = 100

/** `limit` when it is left out. */
export const DEFAULT_LIMIT = 20

export const COMPLETE = listPets(`limit=${MOST}`)

/** The animals of a list; skips the check where there is none to look at, which another check tells. */
export async function petsOf(context: Context, ask: Ask): Promise<{ answer: Answer; pets: SeenPet[] }> {
  const answer = await context.once(ask)
  return { answer, pets: petsIn(context, answer) }
}

/** The animals of an answer to listPets. */
export function petsIn(context: Context, answer: Answer): SeenPet[] {
  if (answer.status !== 200 || !Array.isArray(answer.json)) {
    context.skip(`${answer.request} did not give a list`)
  }
  return (answer.json as unknown[]).filter(isObject)
}

/** The animal of an answer to createPet or getPet. */
export function petIn(context: Context, answer: Answer, status: number): SeenPet {
  const { json } = answer
  if (answer.status !== status || !isObject(json)) {
    return context.skip(`${answer.request} did not answer ${status} with an animal`)
  }
  return json
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The id as text, every digit kept, by which two of them are compared. */
export const idOf = ({ id }: SeenPet): string => stringifyJson(id)

/** The four fields of an animal as text; a missing status stays missing. */
export const fieldsOf = ({ id, name, categoryId, status }: SeenPet): string =>
  stringifyJson({ id, name, categoryId, ...(status !== undefined && { status }) })

/** The animal whose id has the most digits to lose. */
export const withLongestId = (pets: readonly SeenPet[]): SeenPet | undefined =>
  [...pets].sort((one, other) => idOf(other).length - idOf(one).length)[0]

/** An id that no service has given, as far as chance goes. */
export const UNKNOWN_ID: Int64 = 7310245918034625917n
