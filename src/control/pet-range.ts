import type { Pet } from '../contract/generated/control.types.d.ts'
import { ApiError } from '../world/api-error.ts'
import type { Int64 } from '../world/pets/pet.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { writtenReply } from './reply.ts'

/** A range of the pets; its cost does not depend on the number of pets. */
export function listPetRange(context: OperationContext<'listPetRange'>): ReplyOf<'listPetRange'> {
  const { after, skip = 0, limit = 100, status } = context.query
  const { petStatuses } = context.deps
  if (status !== undefined && petStatuses && !petStatuses.includes(status))
    throw new ApiError('invalid_parameter', `status must be one of ${petStatuses.join(', ')}`)
  const pets = context.view().world.collections.pets
  const found = context.deps.writePets(
    pets.range(status, after === undefined ? undefined : idOf(after), skip, limit),
  )
  return writtenReply<200, readonly Pet[]>(200, found, ['X-Total-Count', String(pets.count(status))])
}

function idOf(digits: string): Int64 {
  const id = Number(digits)
  return Number.isSafeInteger(id) ? id : BigInt(digits)
}
