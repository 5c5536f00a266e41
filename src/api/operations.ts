import type { operations as Operations } from '../contract/generated/animal-store.types.d.ts'
import {
  type Body,
  type Contract,
  type Operation,
  ORDERS,
  type PetChange,
} from '../contract/openapi/contract.ts'
import { isObject } from '../contract/openapi/json.ts'
import { petText } from '../contract/openapi/pet-shape.ts'
import { INTEGER, type QueryViolation, readQuery } from '../contract/openapi/read-request.ts'
import { inThousands } from '../text/in-thousands.ts'
import { shorten } from '../text/shorten.ts'
import type { Eventually } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import type { Commit } from '../world/commit.ts'
import { type Pets, sizeOfPet } from '../world/pets/collection.ts'
import { INT64_MAX, type NewPet, type Pet } from '../world/pets/pet.ts'
import type { Policy } from '../world/policy.ts'
import type { CollectionName } from '../world/store.ts'
import { BASE_PATH } from '../world/traffic/address.ts'
import { type Answer, type Call, ignore } from './call.ts'
import { checkParameters, headerAndIdErrors, readId, readPet, validPet } from './input.ts'
import { isRemovedFor } from './resolve.ts'

export interface OperationDeps {
  readonly contract: Contract
  readonly policy: Policy
  readonly commit: Commit
}

/** The handler of any operation. */
export type OperationHandler = (call: Call, operation: Operation, deps: OperationDeps) => Eventually<Answer>

/** The operations with state: all but listOrders, which the interface does not describe. */
type StatefulId = Exclude<keyof Operations, 'listOrders'>

/** An answer with a status that the operation declares. */
export type AnswerOf<Id extends StatefulId> = Answer & { readonly status: keyof Operations[Id]['responses'] }

/** A handler for every operation with state, and for no other. */
export type Handlers = {
  readonly [Id in StatefulId]: (...given: Parameters<OperationHandler>) => Eventually<AnswerOf<Id>>
}

/** The handlers of the Animal Store, by `operationId`. */
export const operations = { listPets, createPet, getPet } satisfies Handlers

/** A map, because an overlay may name an operation `constructor`, which every object inherits. */
const handlers = new Map<string, OperationHandler>(Object.entries(operations))

/** The effects on a pet that an overlay can declare with `x-sandbox`. */
const changes: Readonly<Record<PetChange, OperationHandler>> = { update, replace, delete: remove }

/** The handler of an operation with state. */
export const handlerOf = ({ id, change }: Operation): OperationHandler | undefined =>
  change ? changes[change] : handlers.get(id)

/** Whether an operation is answered from the contract only. */
export const isMocked = (operation: Operation, policy: Policy): boolean =>
  handlerOf(operation) === undefined && (operation.id !== ORDERS || policy.orders === 'mock')

/** `GET /pets` (interface, section 4.1). */
function listPets(
  call: Call,
  operation: Operation,
  { policy, contract }: OperationDeps,
): AnswerOf<'listPets'> {
  const reading = readQuery(operation, call.query)
  const values: Record<string, unknown> = { ...reading.values }
  const wrong = [
    ...reading.violations.flatMap((each) => (tolerate(each, values, policy) ? [] : [each.text])),
    ...headerAndIdErrors(call, operation, policy),
  ]
  ignore(call, 'parameter', checkParameters(call, operation, policy, reading, wrong))
  if (values.status === NO_STATUS) return { status: 200, text: '[]' }
  const limit = Number(
    values.limit ?? operation.query.find(({ name }) => name === 'limit')?.schema.default ?? Infinity,
  )
  const pets = petsWith(values.status, limit, petsOf(call), policy)
  return { status: 200, text: contract.petShape.writeList(pets) }
}

/** An overlay can declare `status` as a list, of which a pet must have one. */
function petsWith(status: unknown, limit: number, pets: Pets, { list }: Policy): readonly Pet[] {
  if (!Array.isArray(status)) return pets.list(status as string | undefined, limit, list.order)
  const all = pets.list(undefined, Infinity, list.order)
  return all.filter((pet) => status.includes(pet.status)).slice(0, limit)
}

const NO_ID_LEFT =
  `There is no id left for another pet: nextId is beyond ${inThousands(INT64_MAX)}, the largest int64. ` +
  'Seed or reset the pets of this namespace to continue.'

/** `POST /pets` (interface, section 4.2). */
function createPet(call: Call, operation: Operation, deps: OperationDeps): AnswerOf<'createPet'> {
  const { policy, commit, contract } = deps
  const sent = readPet(call, operation, contract.newPet, deps)
  const { members } = sent
  const status = policy.create.status === 'absent' ? undefined : policy.create.status
  const fields = status && members.status === undefined ? { ...sent.fields, status } : sent.fields
  const pet = validPet(call, operation, sent, { fields, described: members }, deps)
  checkSpace(call, sizeOfPet(pet))
  const id = petsOf(call).nextId
  if (id > INT64_MAX) throw new ApiError('service_unavailable', NO_ID_LEFT, ['Retry-After', '60'])
  const created: Pet = { id, ...pet }
  const json = contract.petShape.write(created)
  put(call, 'create', created, json, commit)
  return { status: 201, text: json, headers: locationOf(call, policy, id) }
}

/** `GET /pets/{petId}` (interface, section 4.3), deprecated. */
function getPet(call: Call, operation: Operation, { policy, contract }: OperationDeps): AnswerOf<'getPet'> {
  ignore(call, 'parameter', checkParameters(call, operation, policy))
  return { status: 200, text: contract.petShape.write(storedPet(call)) }
}

/** Applies a merge patch to the stored pet and validates the result. */
function update(call: Call, operation: Operation, deps: OperationDeps): Answer {
  const sent = readPet(call, operation, bodyOf(operation, deps), deps)
  const before = storedPet(call)
  const { id: _id, ...declared } = deps.contract.petShape.pick(before)
  const fields = mergePatch(declared, sent.fields)
  const described = operation.body ? sent.members : fields
  return store(call, before, validPet(call, operation, sent, { fields, described }, deps), deps)
}

/** Replaces a pet. Fields that a client cannot send stay. */
function replace(call: Call, operation: Operation, deps: OperationDeps): Answer {
  const sent = readPet(call, operation, bodyOf(operation, deps), deps)
  const stored = Object.entries(petNamed(call) ?? {})
  const kept = Object.fromEntries(stored.filter(([name]) => !sent.body.fields.includes(name)))
  const fields = { ...kept, ...sent.fields }
  const pet = validPet(call, operation, sent, { fields, described: sent.members }, deps)
  return store(call, storedPet(call), pet, deps)
}

/** The body that an operation declares, or else that of createPet. */
function bodyOf({ body }: Operation, { contract }: OperationDeps): Body {
  if (!body) return contract.newPet
  return body.fields.length === 0 ? { ...body, fields: contract.newPet.fields } : body
}

/** Stores a pet in place of `before`. It keeps the id, and fields that only an earlier overlay declared. */
function store(call: Call, before: Pet, after: NewPet, { contract, commit }: OperationDeps): Answer {
  const { petShape } = contract
  const kept = Object.fromEntries(petShape.unknown(before).map((name) => [name, before[name]]))
  const pet: Pet = { id: before.id, ...after, ...kept }
  checkSpace(call, sizeOfPet(pet) - petsOf(call).bytesOf(before))
  put(call, 'update', pet, petText(pet), commit)
  return { status: 200, text: petShape.write(pet) }
}

function put(call: Call, op: 'create' | 'update', pet: Pet, json: string, commit: Commit): void {
  const { world } = call
  const collection = collectionOf(call)
  const pets = world.collections[collection]
  commit(world, { op, namespace: world.name, collection, pet, json }, () => pets.put(pet))
  call.changed = { change: op === 'create' ? 'created' : 'updated', id: pet.id, pets: pets.size }
}

function remove(call: Call, operation: Operation, { commit, policy }: OperationDeps): Answer {
  ignore(call, 'parameter', checkParameters(call, operation, policy))
  const { id } = storedPet(call)
  const { world } = call
  checkSpace(call, 0)
  const collection = collectionOf(call)
  const pets = world.collections[collection]
  commit(world, { op: 'delete', namespace: world.name, collection, id }, () => pets.delete(id))
  call.changed = { change: 'deleted', id, pets: pets.size }
  return { status: 204 }
}

/** Throws a 503 ApiError if `bytes` more are too many, or if the same command was refused before. */
function checkSpace({ command, world }: Call, bytes: number): void {
  if (command.refusal) throw command.refusal
  world.stateSize.check(() => bytes)
}

/** RFC 7396, section 2. */
function mergePatch(target: unknown, patch: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const merged = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, isObject(value) ? mergePatch(merged.get(name), value) : value)
  }
  return Object.fromEntries(merged)
}

/** The pet of the id in the path. */
function petNamed(call: Call): Pet | undefined {
  const id = readId(call.params.petId ?? '')
  return id === undefined ? undefined : petsOf(call).get(id)
}

function storedPet(call: Call): Pet {
  const pet = petNamed(call)
  if (pet) return pet
  throw new ApiError('pet_not_found', `No animal has the identifier ${shorten(call.params.petId ?? '')}.`)
}

const collectionOf = (call: Call): CollectionName => call.caller?.trigger?.collection ?? 'pets'
const petsOf = (call: Call): Pets => call.world.collections[collectionOf(call)]

/** A filter value that no pet can have. */
const NO_STATUS = Symbol('no status')

/** True if the policy accepts an invalid parameter. */
function tolerate(violation: QueryViolation, values: Record<string, unknown>, { list }: Policy): boolean {
  const { parameter, raw, repeated } = violation
  if (repeated) return false
  if (parameter.name === 'status' && list.status !== 'reject') {
    values.status = list.status === 'empty' ? NO_STATUS : undefined
    return true
  }
  if (parameter.name !== 'limit' || list.limit === 'reject') return false
  const { minimum = -Infinity, maximum = Infinity } = parameter.schema
  values.limit = INTEGER.test(raw) ? Math.min(maximum, Math.max(minimum, Number(raw))) : undefined
  return true
}

/** The address of the new animal, unless getPet is removed (RFC 9110, section 15.3.2). */
const locationOf = (call: Call, policy: Policy, id: Pet['id']): readonly string[] =>
  isRemovedFor(call, policy) ? [] : ['Location', `${BASE_PATH}${call.route?.path}/${id}`]
