import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../api/call.ts'
import type { Inspection } from '../../api/relay.ts'
import { relativeTarget } from '../../api/resolve.ts'
import { type Operation, ORDERS } from '../../contract/openapi/contract.ts'
import { isObject, jsonOf } from '../../contract/openapi/json.ts'
import { readQuery } from '../../contract/openapi/read-request.ts'
import type { ContractValidator } from '../../prism/validator.ts'
import { plural } from '../../text/plural.ts'
import { int64Of } from '../../world/pets/int64.ts'
import type { Reply } from '../../world/traffic/message.ts'
import { decompressBody } from './decode.ts'

/** Validates copies of a request and its reply. The traffic itself is not changed. */
export async function inspect(validator: ContractValidator, call: Call, reply: Reply): Promise<Inspection> {
  const { request, operation, inside } = call
  const sent = await decompressBody(request.headers, request.body)
  const received = await decompressBody(reply.headers, reply.body)
  const { body } = received
  if (!inside || operation?.id === ORDERS) return { body, violations: [] }
  const { method, headers } = request
  const [path = '', query = ''] = relativeTarget(call).split(/\?(.*)/s)
  const plainRequest = { method, path, query, headers, body: sent.body }
  const { status } = reply
  const answered = jsonOf(body)
  const found = [
    ...(sent.unreadable ? [] : validator.validateRequest(plainRequest)),
    ...(received.unreadable
      ? []
      : validator.validateResponse(plainRequest, { status, headers: reply.headers, body })),
  ]
  const violations = [
    sent.unreadable && `Request body cannot be read: ${sent.unreadable}`,
    received.unreadable && `Response body cannot be read: ${received.unreadable}`,
    ...found.map(({ message }) => message),
    ...(operation ? listViolations(operation, query, status, answered) : []),
    ...(found.length === 0 ? petViolations(call, sent.body, status, answered) : []),
    wrongStatus(status, answered),
  ]
  return { body, violations: violations.filter((text) => text !== undefined) }
}

/**
 * Violations in a response to listPets that a schema cannot find: more pets than `limit`, a pet whose status was not
 * requested, and two pets with one id. For an invalid request the interface defines no result.
 */
function listViolations(operation: Operation, query: string, status: number, pets: unknown) {
  const { values, violations } = readQuery(operation, query)
  if (operation.id !== 'listPets' || status !== 200 || violations.length > 0 || !Array.isArray(pets))
    return []
  const { schema } = operation.query.find(({ name }) => name === 'limit') ?? {}
  const limit = Number(values.limit ?? schema?.default ?? Infinity)
  const given = values.limit === undefined ? `limit is ${limit} by default` : `limit is ${limit}`
  const { status: asked } = values
  const other = pets.findIndex((pet) => asked !== undefined && ![asked].flat().includes(Object(pet).status))
  const ids = pets.map((pet) => Object(pet).id)
  const last = new Map(ids.map((id, i) => [id, i]))
  const twice = ids.find((id, i) => int64Of(id) !== undefined && last.get(id) !== i)
  return [
    pets.length > limit ? `Response body has ${plural(pets.length, 'pet')}, but ${given}` : undefined,
    other >= 0
      ? `Response body ${other}.status must be ${[asked].flat().join(' or ')}, because the request has status=${asked}`
      : undefined,
    twice !== undefined ? `Response body has the id ${twice} more than once` : undefined,
  ]
}

/**
 * Violations by a pet that is valid, but not the one that the request is for, or not as it was sent (interface, sections
 * 4.2 and 4.3).
 */
function petViolations({ operation, params }: Call, sent: string, status: number, pet: unknown): string[] {
  if (!isObject(pet)) return []
  if (operation?.id === 'getPet' && status === 200 && `${pet.id}` !== params.petId)
    return [`Response body.id is ${pet.id}, but the request is for ${params.petId}`]
  const asked = jsonOf(sent)
  if (operation?.id !== 'createPet' || status !== 201 || !isObject(asked)) return []
  const { fields = [], schema } = operation.body ?? {}
  return fields
    .filter((name) => schema?.properties?.[name]?.writeOnly !== true)
    .filter((name) => asked[name] !== undefined && !isSame(asked[name], pet[name]))
    .map((name) => `Response body.${name} is not the ${name} that was sent`)
}

const isSame = (sent: unknown, received: unknown): boolean =>
  sent === received || isDeepStrictEqual(comparable(sent), comparable(received))

/** The interface does not say whether a service trims and normalises names. */
const comparable = (value: unknown): unknown => (typeof value === 'string' ? value.normalize().trim() : value)

/** A violation of an Error whose `status` is not that of its response (interface, section 2). */
function wrongStatus(status: number, answered: unknown): string | undefined {
  const { status: named }: { status?: unknown } = Object(status < 400 ? undefined : answered)
  if (typeof named !== 'number' || named === status) return undefined
  return `Response body.status is ${named}, but the status of the response is ${status}`
}
