import type { Pet } from '../contract/generated/control.types.d.ts'
import { ApiError } from '../world/api-error.ts'
import type { Pets } from '../world/pets/collection.ts'
import type { Int64, Pet as StoredPet } from '../world/pets/pet.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { writtenReply } from './reply.ts'

/** A range of the pets; without `q`, its cost does not depend on the number of pets. */
export function listPetRange(
  context: OperationContext<'listPetRange'>,
): ReplyOf<'listPetRange'> | Promise<ReplyOf<'listPetRange'>> {
  const { skip = 0, limit = 100, status, q } = context.query
  const { petStatuses, slices, writePets } = context.deps
  if (status !== undefined && petStatuses && !petStatuses.includes(status))
    throw new ApiError('invalid_parameter', `status must be one of ${petStatuses.join(', ')}`)
  const { pets } = context.view().world.collections
  const after = context.query.after === undefined ? undefined : idOf(context.query.after)
  const replyOf = (found: readonly StoredPet[], total: number) =>
    writtenReply<200, readonly Pet[]>(200, writePets(found), ['X-Total-Count', String(total)])
  if (q === undefined) return replyOf(pets.range(status, after, skip, limit), pets.count(status))
  return slices.run(matchesOf(q, pets.copy(), status)).then((all) => {
    const rest = after === undefined ? all : all.filter(({ id }) => id > after)
    return replyOf(rest.slice(skip, skip + limit), all.length)
  })
}

/** The pets looked at in one step. */
const STEP = 500

/** The pets whose name contains a text, in any case, and the one with that id. */
function* matchesOf(q: string, pets: Pets, status: string | undefined): Generator<void, StoredPet[]> {
  const wanted = q.toLowerCase()
  const found: StoredPet[] = []
  for (let skip = 0; skip < pets.size; skip += STEP) {
    for (const pet of pets.range(status, undefined, skip, STEP))
      if (String(pet.id) === q || String(pet.name).toLowerCase().includes(wanted)) found.push(pet)
    yield
  }
  return found
}

function idOf(digits: string): Int64 {
  const id = Number(digits)
  return Number.isSafeInteger(id) ? id : BigInt(digits)
}
