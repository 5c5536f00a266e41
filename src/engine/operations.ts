import type { Operation } from '../contract/contract.ts'
import {
  checkObject,
  INTEGER,
  type QueryReading,
  type QueryViolation,
  readBody,
  readQuery,
} from '../contract/read.ts'
import { violations } from '../contract/validators.ts'
import type { Commit } from '../domain/commit.ts'
import { fieldValue } from '../domain/message.ts'
import { INT64_MAX, type NewPet, type Pet, type PetStatus } from '../domain/pet.ts'
import type { Policy } from '../domain/policy.ts'
import { Problem } from '../domain/problem.ts'
import type { Shelf } from '../domain/stored.ts'
import type { Shelved } from '../domain/world.ts'
import type { Answer, Call, Eventually } from './call.ts'
import { isGone } from './gone.ts'
import { BASE_PATH } from './resolve.ts'

export interface OperationDeps {
  readonly policy: Policy
  readonly commit: Commit
  readonly writePet: (pet: Pet) => string
  readonly writePets: (pets: readonly Pet[]) => string
}

type Handler = (call: Call, operation: Operation, deps: OperationDeps) => Eventually<Answer>

/** What the Animal Store can do, by `operationId`. */
export const operations: Readonly<Record<string, Handler | undefined>> = { listPets, createPet, getPet }

/** The largest body that is read, in bytes. */
export const BODY_LIMIT = 100 * 1024

/** `GET /pets` (interface, section 4.1). */
function listPets(call: Call, operation: Operation, { policy, writePets }: OperationDeps): Answer {
  const reading = ignoreParameters(call, operation, policy)
  const values: Record<string, unknown> = { ...reading.values }
  const rest = reading.violations.filter((violation) => !tolerate(violation, values, policy))
  if (rest.length > 0) throw new Problem('invalid_parameter', rest.map(({ text }) => text).join('; '))
  if (values.status === NO_STATUS) return { status: 200, text: '[]' }
  const limit = (values.limit ??
    operation.query.find(({ name }) => name === 'limit')?.schema.default) as number
  const pets = shelf(call).visible.list(values.status as PetStatus | undefined, limit, policy.list.order)
  return { status: 200, text: writePets(pets) }
}

const NO_ID_LEFT =
  `There is no id left for another pet: nextId is beyond ${INT64_MAX}, the largest int64. ` +
  'Seed or reset the pets of this namespace to go on.'

/** `POST /pets` (interface, section 4.2): answered once the pet is durable. */
function createPet(
  call: Call,
  operation: Operation,
  { policy, commit, writePet }: OperationDeps,
): Eventually<Answer> {
  const pet = readNewPet(call, operation, policy)
  const { tip } = shelf(call)
  const id = tip.reserve()
  if (id > INT64_MAX) throw new Problem('service_unavailable', NO_ID_LEFT, ['Retry-After', '60'])
  const created: Pet = { id, ...pet }
  const text = writePet(created)
  const committed = commit(
    call.world,
    { op: 'create', namespace: call.world.name, shelf: shelfOf(call), pet: created, json: text },
    () => tip.add(created),
  )
  const done = (): Answer => {
    noteDuplicate(call)
    return { status: 201, text, headers: locationOf(call, policy, id) }
  }
  return committed ? committed.then(done) : done()
}

/** `GET /pets/{petId}` (interface, section 4.3), deprecated. */
function getPet(call: Call, operation: Operation, { policy, writePet }: OperationDeps): Answer {
  ignoreParameters(call, operation, policy)
  const { petId = '' } = call.params
  const id = readId(petId)
  if (id === undefined && policy.get.invalidId === '400') {
    throw new Problem('invalid_parameter', 'petId must be an integer (int64)')
  }
  const pet = id === undefined ? undefined : shelf(call).visible.get(id)
  if (!pet) throw new Problem('pet_not_found', `No animal has the identifier ${shorten(petId)}.`)
  return { status: 200, text: writePet(pet) }
}

const shelfOf = (call: Call): Shelf => call.caller?.trigger?.shelf ?? 'pets'

const shelf = (call: Call): Shelved => call.world.shelves[shelfOf(call)]

/** Stands for a status that no animal can have. */
const NO_STATUS = Symbol('no status')

/** Lets a bad parameter pass where the policy does; true where it did. */
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

function readNewPet(call: Call, operation: Operation, policy: Policy): NewPet {
  const sent = readBody(call.request, BODY_LIMIT)
  ignoreParameters(call, operation, policy)
  const body = checkObject(sent)
  const fields = operation.body?.fields ?? []
  const unknown = Object.keys(body)
    .filter((name) => !fields.includes(name))
    .map(shorten)
  const found = operation.body ? violations(operation.body.validate, body) : []
  const { name, categoryId, status = defaultStatus(policy) } = body as unknown as NewPet
  if (policy.create.blankName === 'reject' && typeof name === 'string' && !/\S/.test(name)) {
    found.unshift('name must not be blank')
  }
  if (policy.unknown === 'reject') found.push(...unknown.map((field) => `${field} is no field of a new pet`))
  if (found.length > 0) throw new Problem('invalid_body', found.join('; '))
  call.ignored.push(...unknown.map((field) => `field ${field}`))
  return { name, categoryId, ...(status && { status }) }
}

const defaultStatus = ({ create }: Policy): PetStatus | undefined =>
  create.status === 'absent' ? undefined : create.status

/** Reads the query; parameters that the operation does not know are ignored, or refused where the policy says so. */
export function ignoreParameters(call: Call, operation: Operation, policy: Policy): QueryReading {
  const reading = readQuery(operation, call.query)
  const names = reading.unknown.map(shorten)
  if (names.length > 0 && policy.unknown === 'reject') {
    const texts = names.map((name) => `${name} is no parameter of ${operation.id}`)
    throw new Problem('invalid_parameter', texts.join('; '))
  }
  call.ignored.push(...names.map((name) => `parameter ${name}`))
  return reading
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
  isGone(call, policy) ? [] : ['Location', `${BASE_PATH}${call.route?.path}/${id}`]

/** An identifier in its only spelling; undefined for everything else. */
function readId(text: string): Pet['id'] | undefined {
  if (!/^(0|[1-9]\d{0,18})$/.test(text)) return undefined
  const id = Number(text)
  if (Number.isSafeInteger(id)) return id
  const exact = BigInt(text)
  return exact > INT64_MAX ? undefined : exact
}

const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
