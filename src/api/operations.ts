import type { operations as Operations } from '../contract/generated/animal-store.types.d.ts'
import type { Contract, Operation } from '../contract/openapi/contract.ts'
import {
  checkObject,
  INTEGER,
  type QueryReading,
  type QueryViolation,
  readBody,
  readQuery,
} from '../contract/openapi/read-request.ts'
import type { RecordShape } from '../contract/openapi/record-shape.ts'
import { pathText, violations } from '../contract/openapi/validators.ts'
import { listed, shorten } from '../text/listed.ts'
import type { Eventually } from '../time/eventually.ts'
import { ApiError } from '../world/api-error.ts'
import type { Commit } from '../world/commit.ts'
import { sizeOfPet } from '../world/pets/collection.ts'
import { INT64_MAX, type NewPet, type Pet, type PetStatus } from '../world/pets/pet.ts'
import type { Policy } from '../world/policy.ts'
import type { CollectionName } from '../world/stored.ts'
import { fieldValue } from '../world/traffic/message.ts'
import { type Answer, type Call, ignore } from './call.ts'
import { isRemovedFor } from './removal.ts'
import { BASE_PATH } from './resolve.ts'

export interface OperationDeps {
  readonly contract: Contract
  readonly policy: Policy
  readonly commit: Commit
  readonly petShape: RecordShape
}

/** What dispatch knows of a handler that it has found by the id of an operation. */
export type OperationHandler = (call: Call, operation: Operation, deps: OperationDeps) => Eventually<Answer>

/** The operations that have state; of an order, the interface describes nothing. */
type StatefulId = Exclude<keyof Operations, 'listOrders'>

/** An answer with a status that the operation defines. */
export type AnswerOf<Id extends StatefulId> = Answer & { readonly status: keyof Operations[Id]['responses'] }

/** A handler for every stateful operation of the contract, and for no other. */
export type Handlers = {
  readonly [Id in StatefulId]: (
    call: Call,
    operation: Operation,
    deps: OperationDeps,
  ) => Eventually<AnswerOf<Id>>
}

/** What the Animal Store can do, by `operationId`. */
export const operations = { listPets, createPet, getPet } satisfies Handlers

/** The largest body that is read, in bytes. */
export const REQUEST_BODY_LIMIT = 100 * 1024

/** `GET /pets` (interface, section 4.1). */
function listPets(
  call: Call,
  operation: Operation,
  { policy, petShape }: OperationDeps,
): AnswerOf<'listPets'> {
  const reading = readQuery(operation, call.query)
  const values: Record<string, unknown> = { ...reading.values }
  const wrong = reading.violations.filter((violation) => !tolerate(violation, values, policy))
  ignoreParameters(
    call,
    operation,
    policy,
    reading,
    wrong.map(({ text }) => text),
  )
  if (values.status === NO_STATUS) return { status: 200, text: '[]' }
  const limit = (values.limit ??
    operation.query.find(({ name }) => name === 'limit')?.schema.default) as number
  const pets = call.world.collections[collectionOf(call)].list(
    values.status as PetStatus | undefined,
    limit,
    policy.list.order,
  )
  return { status: 200, text: petShape.writeList(pets) }
}

const NO_ID_LEFT =
  `There is no id left for another pet: nextId is beyond ${INT64_MAX}, the largest int64. ` +
  'Seed or reset the pets of this namespace to go on.'

/** `POST /pets` (interface, section 4.2). */
function createPet(call: Call, operation: Operation, deps: OperationDeps): AnswerOf<'createPet'> {
  const { policy, commit, petShape } = deps
  const pet = newPetOf(readFields(call, operation, deps), deps)
  const { world } = call
  world.stateSize.check(sizeOfPet(pet))
  const collection = collectionOf(call)
  const pets = world.collections[collection]
  const id = pets.nextId
  if (id > INT64_MAX) throw new ApiError('service_unavailable', NO_ID_LEFT, ['Retry-After', '60'])
  const created: Pet = { id, ...pet }
  const json = petShape.write(created)
  commit(world, { op: 'create', namespace: world.name, collection, pet: created, json }, () =>
    pets.put(created),
  )
  call.hasCreated = true
  return { status: 201, text: json, headers: locationOf(call, policy, id) }
}

/** `GET /pets/{petId}` (interface, section 4.3), deprecated. */
function getPet(call: Call, operation: Operation, { policy, petShape }: OperationDeps): AnswerOf<'getPet'> {
  ignoreParameters(call, operation, policy)
  return { status: 200, text: petShape.write(storedPet(call)) }
}

/** The pet that the path of a request names. */
export function storedPet(call: Call): Pet {
  const { petId = '' } = call.params
  const id = readId(petId)
  const pet = id === undefined ? undefined : call.world.collections[collectionOf(call)].get(id)
  if (!pet) throw new ApiError('pet_not_found', `No animal has the identifier ${shorten(petId)}.`)
  return pet
}

export const collectionOf = (call: Call): CollectionName => call.caller?.trigger?.collection ?? 'pets'

/** Represents a status that no pet can have. */
const NO_STATUS = Symbol('no status')

/** True where the policy accepts an invalid parameter. */
function tolerate(violation: QueryViolation, values: Record<string, unknown>, { list }: Policy): boolean {
  const { parameter, raw, repeated } = violation
  if (repeated) return false
  if (parameter.name === 'status' && list.status !== 'reject') {
    values.status = list.status === 'empty' ? NO_STATUS : undefined
    return true
  }
  if (parameter.name !== 'limit' || list.limit === 'reject') return false
  const { minimum, maximum } = parameter.schema as { minimum: number; maximum: number }
  values.limit = INTEGER.test(raw) ? Math.min(maximum, Math.max(minimum, Number(raw))) : undefined
  return true
}

/**
 * The declared fields of a body; the others are recorded, or refused where the policy says so. `isComplete`: whether
 * the body is validated as a whole already.
 */
export function readFields(
  call: Call,
  operation: Pick<Operation, 'id' | 'query' | 'body'>,
  { policy }: OperationDeps,
  isComplete = true,
): NewPet {
  const sent = readBody(call.request, REQUEST_BODY_LIMIT)
  ignoreParameters(call, operation, policy)
  const fields: Record<string, unknown> = checkObject(sent)
  const ignored = Object.keys(fields).filter((name) => !operation.body?.fields.includes(name))
  const unknown = ignored.map((name) => shorten(name))
  const found = operation.body && isComplete ? violations(operation.body.validate, fields) : []
  if (policy.create.blankName === 'reject' && typeof fields.name === 'string' && !/\S/.test(fields.name)) {
    found.unshift('name must not be blank')
  }
  if (policy.unknown === 'reject')
    found.push(...unknown.map((field) => `${field} is not a field of a new pet`))
  if (found.length > 0) throw new ApiError('invalid_body', listed(found))
  for (const name of ignored) delete fields[name]
  ignore(
    call,
    unknown.map((field) => `field ${field}`),
  )
  return fields
}

/** What is kept of a valid body. An overlay may allow in a new pet what it doesn't allow in a pet. */
function newPetOf(body: NewPet, { policy, petShape }: OperationDeps): NewPet {
  const status = defaultStatus(policy)
  const { id: _id, ...pet } = petShape.pick(status && body.status === undefined ? { ...body, status } : body)
  const found = petShape.faults(pet).map(({ path, reason }) => `${pathText(path)} ${reason}`)
  if (found.length > 0) throw new ApiError('invalid_body', listed(found))
  return pet
}

const defaultStatus = ({ create }: Policy): PetStatus | undefined =>
  create.status === 'absent' ? undefined : create.status

/**
 * Records the parameters of a request that its operation does not know, or refuses them where the policy says so,
 * together with what else is `wrong` about its parameters.
 */
export function ignoreParameters(
  call: Call,
  operation: Pick<Operation, 'id' | 'query'>,
  policy: Policy,
  { unknown }: QueryReading = readQuery(operation, call.query),
  wrong: readonly string[] = wrongId(call, policy),
): void {
  const names = unknown.map((name) => shorten(name))
  const refused = policy.unknown === 'reject' ? names : []
  const texts = [...wrong, ...refused.map((name) => `${name} is not a parameter of ${operation.id}`)]
  if (texts.length > 0) throw new ApiError('invalid_parameter', listed(texts))
  ignore(
    call,
    names.map((name) => `parameter ${name}`),
  )
}

/** Notes whether this creation looks like a repetition of an earlier one. */
export function noteDuplicate(call: Call): void {
  const { world, now, id, request, caller, sentKey } = call
  const text = Buffer.from(request.body ?? []).toString('latin1')
  const idempotencyKey = fieldValue(request.headers, 'idempotency-key')
  call.duplicateOf = world.duplicates.note(id, now, caller?.key ?? sentKey ?? '', text, idempotencyKey)
}

/** Where the new animal can be read, as long as it can (RFC 9110, section 15.3.2). */
const locationOf = (call: Call, policy: Policy, id: Pet['id']): readonly string[] =>
  isRemovedFor(call, policy) ? [] : ['Location', `${BASE_PATH}${call.route?.path}/${id}`]

const wrongId = ({ params: { petId } }: Call, { get }: Policy): readonly string[] =>
  petId !== undefined && get.invalidId === '400' && readId(petId) === undefined
    ? ['petId must be an integer (int64)']
    : []

/** An identifier in its only spelling; undefined for everything else. */
function readId(text: string): Pet['id'] | undefined {
  if (!/^(0|[1-9]\d{0,18})$/.test(text)) return undefined
  const id = Number(text)
  if (Number.isSafeInteger(id)) return id
  const exact = BigInt(text)
  return exact > INT64_MAX ? undefined : exact
}
