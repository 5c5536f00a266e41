import type { Body, Contract, Operation } from '../contract/openapi/contract.ts'
import {
  checkObject,
  headerViolations,
  type QueryReading,
  readJsonBody,
  readQuery,
} from '../contract/openapi/read-request.ts'
import { type SchemaError, schemaErrorsOf, schemaErrorText } from '../contract/openapi/validators.ts'
import { inThousands } from '../text/in-thousands.ts'
import { listed } from '../text/listed.ts'
import { shortName } from '../text/shorten.ts'
import { ApiError } from '../world/api-error.ts'
import { INT64_MAX, int64Of, type NewPet, type Pet } from '../world/pets/pet.ts'
import type { Policy } from '../world/policy.ts'
import { type Call, ignore } from './call.ts'

/**
 * Finds the parameters that the operation does not define: they are ignored, or refused if the policy says so, together
 * with the other errors in `wrong`.
 */
export function checkParameters(
  call: Call,
  operation: Pick<Operation, 'id' | 'query' | 'headers'>,
  policy: Policy,
  { unknown, violations }: QueryReading = readQuery(operation, call.query),
  wrong = violations.length === 0
    ? headerAndIdErrors(call, operation, policy)
    : [...violations.map(({ text }) => text), ...headerAndIdErrors(call, operation, policy)],
): readonly string[] {
  if (unknown.length + wrong.length === 0) return unknown
  const names = unknown.map(shortName)
  const refused = policy.unknown === 'reject' ? names : []
  const texts = [...wrong, ...refused.map((name) => `${name} is not a parameter of ${operation.id}`)]
  if (texts.length > 0) throw new ApiError('invalid_parameter', listed(texts))
  return names
}

/** The errors of the header fields and of the id in the path, in sentences. */
export const headerAndIdErrors = (call: Call, { headers }: Pick<Operation, 'headers'>, policy: Policy) =>
  headers.length === 0
    ? idErrors(call, policy)
    : [...headerViolations(headers, call.request.headers), ...idErrors(call, policy)]

const idErrors = ({ params: { petId } }: Call, { get }: Policy): readonly string[] =>
  petId !== undefined && get.invalidId === '400' && readId(petId) === undefined
    ? [`petId must be an integer from 0 to ${inThousands(INT64_MAX)}, without leading zeros`]
    : []

/** An id in its canonical form; undefined for any other text. */
export function readId(text: string): Pet['id'] | undefined {
  if (!/^(0|[1-9]\d{0,18})$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : int64Of(BigInt(text))
}

/** The largest body that is read, in bytes. */
export const REQUEST_BODY_LIMIT = 100 * 1024

type Fields = Readonly<Record<string, unknown>>

interface Rules {
  readonly policy: Policy
  readonly contract: Contract
}

/** The pet in the body of a request, not validated yet. */
export interface SentPet {
  readonly body: Body
  /** Every member of the JSON object. */
  readonly members: Fields
  /** The declared members. */
  readonly fields: Fields
  readonly unknownFields: readonly string[]
  readonly unknownParameters: readonly string[]
}

export function readPet(call: Call, operation: Operation, body: Body, { policy }: Rules): SentPet {
  const sent = readJsonBody(call.request, REQUEST_BODY_LIMIT, body.mediaType)
  const unknownParameters = checkParameters(call, operation, policy)
  const members = checkObject(sent)
  const unknownFields = unknownIn(members, body)
  const isDeclared = ([name]: [string, unknown]) => body.fields.includes(name)
  const fields =
    unknownFields.length === 0 ? members : Object.fromEntries(Object.entries(members).filter(isDeclared))
  return { body, members, fields, unknownFields, unknownParameters }
}

/** The members that a body does not declare. */
export const unknownIn = (members: Fields, { fields }: Body): string[] =>
  Object.keys(members)
    .filter((name) => !fields.includes(name))
    .map(shortName)

/**
 * The pet with these `fields`, without its id. Throws an ApiError that names every invalid field, in field order.
 * `described`: the object that the body schema describes. An overlay may allow in a body what it forbids in a pet.
 */
export function validPet(
  call: Call,
  { change }: Pick<Operation, 'change'>,
  sent: SentPet,
  { fields, described }: { readonly fields: Fields; readonly described: Fields },
  { policy, contract: { petShape } }: Rules,
): NewPet {
  const pet = petShape.pick(fields)
  delete pet.id
  const errors = [...schemaErrorsOf(sent.body.validate, described), ...petShape.errors(pet)]
  const { name } = sent.fields
  if (policy.create.blankName === 'reject' && typeof name === 'string' && !/\S/.test(name))
    errors.push({ path: ['name'], reason: 'must not be blank' })
  const refused = policy.unknown === 'reject' ? sent.unknownFields : []
  if (errors.length + refused.length > 0) {
    const order = [...petShape.names, ...sent.body.fields]
    const unknown = refused.map((field) => `${field} is not a field of ${change ? 'this body' : 'a new pet'}`)
    throw new ApiError('invalid_body', listed([...inOrder(errors, order), ...unknown]))
  }
  ignore(call, 'parameter', sent.unknownParameters)
  ignore(call, 'field', sent.unknownFields)
  return pet as NewPet
}

/** Each error once, as text, in the order of the fields. */
function inOrder(errors: readonly SchemaError[], fields: readonly string[]): string[] {
  const rank = ({ path }: SchemaError): number => fields.indexOf(String(path[0]))
  return [...new Set(errors.toSorted((a, b) => rank(a) - rank(b)).map((error) => schemaErrorText(error)))]
}
