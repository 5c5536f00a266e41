import type { Operation, PetChange } from '../contract/openapi/contract.ts'
import { recordText } from '../contract/openapi/record-shape.ts'
import { pathText, violations } from '../contract/openapi/validators.ts'
import { listed } from '../text/listed.ts'
import { ApiError } from '../world/api-error.ts'
import { sizeOfPet } from '../world/pets/collection.ts'
import type { Pet } from '../world/pets/pet.ts'
import type { Answer, Call } from './call.ts'
import { collectionOf, ignoreParameters, type OperationDeps, readFields, storedPet } from './operations.ts'

/** What an operation that an overlay declares may do to a pet, by its `x-sandbox`. */
export const changes: Readonly<
  Record<PetChange, (call: Call, operation: Operation, deps: OperationDeps) => Answer>
> = {
  update: (call, operation, deps) => put(call, operation, deps, mergePatch),
  replace: (call, operation, deps) => put(call, operation, deps, (_, fields) => fields),
  delete: remove,
}

type Fields = Readonly<Record<string, unknown>>

/** Without a body of its own, an operation takes that of createPet; of a patch, the result is validated by it. */
function put(
  call: Call,
  operation: Operation,
  deps: OperationDeps,
  merge: (before: Fields, fields: Fields) => unknown,
): Answer {
  const { petShape, commit, contract } = deps
  const newPet = contract.operations.get('createPet')?.body
  const own = operation.body
  const body = own?.fields.length === 0 ? { ...own, fields: newPet?.fields ?? [] } : (own ?? newPet)
  const fields = readFields(call, { ...operation, body }, deps, own !== undefined)
  const before = storedPet(call)
  const { id: _id, ...declared } = petShape.pick(before)
  const { id: _own, ...after } = petShape.pick(merge(declared, fields) as Fields)
  const found = [
    ...(own || !newPet ? [] : violations(newPet.validate, after)),
    ...petShape.faults(after).map(({ path, reason }) => `${pathText(path)} ${reason}`),
  ]
  if (found.length > 0) throw new ApiError('invalid_body', listed([...new Set(found)]))
  const kept = Object.fromEntries(petShape.unknown(before).map((name) => [name, before[name]]))
  const pet: Pet = { id: before.id, ...after, ...kept }
  const { world } = call
  world.stateSize.check(Math.max(0, sizeOfPet(pet) - sizeOfPet(before)))
  const collection = collectionOf(call)
  commit(world, { op: 'update', namespace: world.name, collection, pet, json: recordText(pet) }, () =>
    world.collections[collection].put(pet),
  )
  return { status: 200, text: petShape.write(pet) }
}

function remove(call: Call, operation: Operation, { commit, policy }: OperationDeps): Answer {
  ignoreParameters(call, operation, policy)
  const { id } = storedPet(call)
  const { world } = call
  const collection = collectionOf(call)
  commit(world, { op: 'delete', namespace: world.name, collection, id }, () =>
    world.collections[collection].delete(id),
  )
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

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
