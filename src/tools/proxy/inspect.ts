import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../api/call.ts'
import type { Inspection } from '../../api/relay.ts'
import { relativeTarget } from '../../api/resolve.ts'
import { type Operation, ORDERS } from '../../contract/openapi/contract.ts'
import { isObject, jsonOf } from '../../contract/openapi/json.ts'
import { headerViolations, type QueryReading, readQuery } from '../../contract/openapi/read-request.ts'
import type { ContractValidator } from '../../prism/validator.ts'
import type { ContractViolation } from '../../prism/violations.ts'
import { grouped } from '../../text/grouped.ts'
import { plural } from '../../text/plural.ts'
import { shorten } from '../../text/shorten.ts'
import { int64Of } from '../../world/pets/pet.ts'
import { fieldValue, type Reply } from '../../world/traffic/message.ts'
import { httpDateOf } from '../conformance/exchange.ts'
import { decompressBody } from './decode.ts'

/**
 * Validates copies of a request and its reply. The traffic itself is not changed. `errorNames`: the members that an Error
 * may have.
 */
export async function inspect(
  validator: ContractValidator,
  errorNames: readonly string[],
  call: Call,
  reply: Reply,
): Promise<Inspection> {
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
  const parameters = operation && readQuery(operation, query)
  const inRequest = [
    ...(parameters?.violations ?? []).map(({ text }) => `Request query ${text}`),
    ...headerViolations(operation?.headers ?? [], headers).map((text) => `Request header ${text}`),
    ...inSentences(sent.unreadable ? [] : validator.validateRequest(plainRequest)),
  ]
  const inResponse = received.unreadable
    ? []
    : validator
        .validateResponse(plainRequest, { status, headers: reply.headers, body })
        .filter(({ path }) => path !== 'Retry-After' || !isDated(reply))
  const isValid = inResponse.every(({ where }) => where !== 'body')
  const violations = [
    sent.unreadable && `Request body cannot be read: ${sent.unreadable}`,
    received.unreadable && `Response body cannot be read: ${received.unreadable}`,
    ...inRequest,
    ...inSentences(inResponse),
    ...(operation ? markViolations(operation, reply) : []),
    ...(parameters ? listViolations(operation, parameters, status, answered) : []),
    ...(isValid && inRequest.length === 0 ? petViolations(call, sent.body, status, answered) : []),
    wrongStatus(status, answered),
    operation && isValid ? furtherMembers(errorNames, status, answered) : undefined,
  ]
  return { body, violations: violations.filter((text) => text !== undefined) }
}

/** Retry-After may be a date (RFC 9110, section 10.2.3), though the sandbox always sends seconds. */
const isDated = ({ headers }: Reply): boolean => httpDateOf(fieldValue(headers, 'retry-after')) !== undefined

/** The limit of further places that a violation names. */
const MAX_PLACES = 3

/** The violations in sentences; one that several elements of an array have is one sentence, which names the first of them. */
function inSentences(found: readonly ContractViolation[]): string[] {
  const anyElement = (path: string) => path.replaceAll(/(?<=^|\.)\d+(?=\.|$)/g, '*')
  const groups = grouped(
    found,
    ({ where, path = '', message }) => `${where} ${message.replace(path, anyElement(path))}`,
  )
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first || others.length === 0) return first?.message ?? []
    const places = others.slice(0, MAX_PLACES).map(({ path }) => path)
    return `${first.message} (also ${places.join(', ')}${others.length > MAX_PLACES ? ', …' : ''})`
  })
}

/** The header fields of a deprecated operation on the response of another one (interface, section 4). */
const markViolations = ({ id, deprecated }: Operation, { headers }: Reply): string[] =>
  ['Deprecation', 'Sunset']
    .filter((name) => !deprecated && fieldValue(headers, name.toLowerCase()) !== undefined)
    .map((name) => `Response header ${name} is not for ${id}, which is not deprecated`)

/**
 * Violations in a response to listPets that a schema cannot find: more pets than `limit`, a pet whose status was not
 * requested, and two pets with one id. For an invalid request the interface defines no result.
 */
function listViolations(operation: Operation, sent: QueryReading, status: number, pets: unknown) {
  const { values, violations } = sent
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

/** A violation of an Error with members that it does not have (interface, section 7). */
function furtherMembers(names: readonly string[], status: number, answered: unknown): string | undefined {
  if (status < 400 || !isObject(answered)) return undefined
  const others = Object.keys(answered).filter((name) => !names.includes(name))
  if (others.length === 0) return undefined
  return `Response body has further members (${shorten(others.join(', '))}); an error has only ${names.join(', ')}`
}

/** A violation of an Error whose `status` is not that of its response (interface, section 2). */
function wrongStatus(status: number, answered: unknown): string | undefined {
  const { status: named }: { status?: unknown } = Object(status < 400 ? undefined : answered)
  if (typeof named !== 'number' || named === status) return undefined
  return `Response body.status is ${named}, but the status of the response is ${status}`
}
