import type { Policy } from '../../world/policy.ts'
import type { PetChange } from './contract.ts'
import {
  inlined,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  type ParameterObject,
  type Reference,
  resolveRef,
  type SchemaObject,
} from './document.ts'
import { objectSchema } from './record-schema.ts'

type Responses = OperationObject['responses']

const SUMMARY: Readonly<Record<PetChange, string>> = {
  update: 'Change an animal',
  replace: 'Replace an animal',
  delete: 'Delete an animal',
}

/**
 * Completes each operation with `x-sandbox`: adds the path parameter, the body and the responses that its overlay does
 * not declare. Called before operations are removed, because the parameter is copied from getPet.
 */
export function completeChanges(document: OpenApiDocument, policy: Policy): void {
  const operations = [...operationsOf(document)]
  const getPet = operations.find(({ operation }) => operation.operationId === 'getPet')?.operation
  const responses = document.components?.responses ?? {}
  const limits = responses.InvalidBody?.headers
  for (const { path, operation } of operations) {
    const change = operation['x-sandbox'] as PetChange | undefined
    if (!change) continue
    // NotFound itself has the deprecation headers of getPet.
    responses.UnknownPet = { ...responses.NotFound, headers: limits }
    operation.tags ??= ['animals']
    operation.summary ??= SUMMARY[change]
    const shared = document.paths[path]?.parameters
    operation.parameters = withPetId(document, operation.parameters, shared, getPet?.parameters)
    if (change !== 'delete') operation.requestBody ??= bodyOf(document, change, policy)
    const success = change === 'delete' ? '204' : '200'
    operation.responses = {
      ...refusals(change, policy),
      ...operation.responses,
      [success]: {
        description: `${SUMMARY[change]}: done.`,
        headers: limits,
        ...(change !== 'delete' && { content: json({ $ref: '#/components/schemas/Pet' }) }),
        ...operation.responses[success],
      },
    }
  }
}

const json = (schema: SchemaObject) => ({ 'application/json': { schema } })

const isPetId = (document: OpenApiDocument) => (parameter: ParameterObject | Reference) => {
  const { name, in: place } = resolveRef(document, parameter)
  return place === 'path' && name === 'petId'
}

function withPetId(
  document: OpenApiDocument,
  own: OperationObject['parameters'] = [],
  shared: OperationObject['parameters'] = [],
  ofGetPet: OperationObject['parameters'] = [],
): OperationObject['parameters'] {
  const is = isPetId(document)
  return [...own, ...shared].some(is) ? own : [...own, ...ofGetPet.filter(is)]
}

function bodyOf(document: OpenApiDocument, change: 'update' | 'replace', policy: Policy) {
  const whole = objectSchema(inlined(document, document.components?.schemas?.NewPet ?? {}))
  const schema = change === 'update' ? patchOf(whole) : whole
  restrictFields(schema, policy)
  return { required: true, content: json(schema) }
}

/** Members that the policy refuses in every body with a pet. */
export function restrictFields(schema: SchemaObject, policy: Policy): void {
  const { properties = {} } = schema
  if (policy.unknown === 'reject') schema.additionalProperties = false
  if (policy.create.blankName === 'reject') properties.name = { ...properties.name, pattern: '\\S' }
  schema.properties = properties
}

/** The schema of a merge patch (RFC 7396): every field may be missing, and null removes an optional one. */
function patchOf({ properties = {}, required = [] }: SchemaObject): SchemaObject {
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : { anyOf: [schema, { type: 'null' }] },
  ])
  return { type: 'object', properties: Object.fromEntries(fields) }
}

function refusals(change: PetChange, policy: Policy): Responses {
  const response = (name: string) => ({ $ref: `#/components/responses/${name}` })
  const invalid = change === 'delete' ? 'InvalidParameter' : 'InvalidBody'
  return {
    ...((change !== 'delete' || policy.get.invalidId === '400') && { 400: response(invalid) }),
    401: response('Unauthorized'),
    404: response('UnknownPet'),
    429: response('TooManyRequests'),
    default: response('Default'),
  }
}
