import type { Int64, PetStatus } from '../domain/pets/pet.ts'
import type { Reply } from '../domain/traffic/message.ts'
import type { ControlContext } from './context.ts'
import { textReply } from './reply.ts'

interface Range {
  readonly after?: string
  readonly skip?: number
  readonly limit?: number
  readonly status?: PetStatus
}

/** A part of the pets; what it costs does not grow with how many there are. */
export function listPetRange(context: ControlContext): Reply {
  const { after, skip = 0, limit = 100, status } = context.query as Range
  const pets = context.world().collections.pets
  const found = context.deps.writePets(
    pets.range(status, after === undefined ? undefined : idOf(after), skip, limit),
  )
  return textReply(200, found, 'application/json', ['X-Total-Count', String(pets.count(status))])
}

function idOf(digits: string): Int64 {
  const id = Number(digits)
  return Number.isSafeInteger(id) ? id : BigInt(digits)
}
