import type { Body, Operation, PetChange } from '../contract/openapi/contract.ts'
import { isObject } from '../contract/openapi/json.ts'
import { recordText } from '../contract/openapi/record-shape.ts'
import { sizeOfPet } from '../world/pets/collection.ts'
import type { NewPet, Pet } from '../world/pets/pet.ts'
import { type Answer, type Call, ignore } from './call.ts'
import { collectionOf, type OperationDeps, storedPet } from './operations.ts'
import { checkParameters } from './parameters.ts'
import { readPet, validPet } from './sent-pet.ts'

/** The effects on a pet that an overlay can declare with `x-sandbox`. */
export const changes: Readonly<
  Record<PetChange, (call: Call, operation: Operation, deps: OperationDeps) => Answer>
> = {
  update,
  replace,
  delete: remove,
}

type Fields = Readonly<Record<string, unknown>>

/** Applies a merge patch. The result is validated, for which the pet must be known. */
function update(call: Call, operation: Operation, deps: OperationDeps): Answer {
  const sent = readPet(call, operation, bodyOf(operation, deps), deps)
  const before = storedPet(call)
  const { id: _id, ...declared } = deps.petShape.pick(before)
  const fields = mergePatch(declared, sent.fields) as Fields
  const whole = operation.body ? sent.members : fields
  return store(call, before, validPet(call, operation, sent, { fields, whole }, deps), deps)
}

function replace(call: Call, operation: Operation, deps: OperationDeps): Answer {
  const sent = readPet(call, operation, bodyOf(operation, deps), deps)
  const pet = validPet(call, operation, sent, { fields: sent.fields, whole: sent.members }, deps)
  return store(call, storedPet(call), pet, deps)
}

/** An operation without a body of its own takes that of createPet. */
function bodyOf({ body }: Operation, { contract }: OperationDeps): Body {
  if (!body) return contract.newPet
  return body.fields.length === 0 ? { ...body, fields: contract.newPet.fields } : body
}

/** Stores a pet in place of `before`. It keeps the id, and fields that only an earlier overlay declared. */
function store(call: Call, before: Pet, after: NewPet, { petShape, commit }: OperationDeps): Answer {
  const kept = Object.fromEntries(petShape.unknown(before).map((name) => [name, before[name]]))
  const pet: Pet = { id: before.id, ...after, ...kept }
  const { world } = call
  world.stateSize.check(Math.max(0, sizeOfPet(pet) - sizeOfPet(before)))
  const collection = collectionOf(call)
  commit(world, { op: 'update', namespace: world.name, collection, pet, json: recordText(pet) }, () =>
    world.collections[collection].put(pet),
  )
  call.changed = { change: 'updated', id: pet.id, pets: world.collections[collection].size }
  return { status: 200, text: petShape.write(pet) }
}

function remove(call: Call, operation: Operation, { commit, policy }: OperationDeps): Answer {
  ignore(call, 'parameter', checkParameters(call, operation, policy))
  const { id } = storedPet(call)
  const { world } = call
  const collection = collectionOf(call)
  commit(world, { op: 'delete', namespace: world.name, collection, id }, () =>
    world.collections[collection].delete(id),
  )
  call.changed = { change: 'deleted', id, pets: world.collections[collection].size }
  return { status: 204 }
}

/** RFC 7396, section 2. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}
