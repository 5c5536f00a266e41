import { rememberLast } from '../../text/remember-last.ts'
import { httpDate, iso } from '../../time/instant.ts'
import { limitText, PLAN_NAMES } from '../../world/plan.ts'
import { deprecationHeaders, type Policy, renamedCode } from '../../world/policy.ts'
import { describeDecisions } from '../decisions/decisions.ts'
import { hasSunset, ORDERS, type PetChange } from './contract.ts'
import {
  bodyOf,
  inlined,
  METHODS,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  type ParameterObject,
  parametersOf,
  resolveRef,
  type SchemaObject,
} from './document.ts'
import { objectSchema } from './pet-schema.ts'

/** The effective document of each state, made again only if the base URL changes; callers must not change it. */
export function effectiveDocuments(
  contract: OpenApiDocument,
  policy: Policy,
  baseUrl: () => string,
): (removed: boolean) => OpenApiDocument {
  // Only the last one is kept: in a host server, each request may name another base URL.
  const documentOf = (removed: boolean) =>
    rememberLast((url: string) => effectiveDocument(contract, policy, { removed, baseUrl: url }))
  const [present, afterRemoval] = [documentOf(false), documentOf(true)]
  return (removed) => (removed ? afterRemoval : present)(baseUrl())
}

/**
 * The effective contract: with the responses that are possible under this policy at this time. `removed`: whether
 * the operations with a sunset are removed; `baseUrl`: of the sandbox, ending in /v1.
 */
export function effectiveDocument(
  contract: OpenApiDocument,
  policy: Policy,
  { removed, baseUrl }: { removed: boolean; baseUrl: string },
): OpenApiDocument {
  const document = worded(contract, policy)
  completeChanges(document, policy)
  for (const { path, method, operation } of operationsOf(document)) {
    const isUndescribed = operation.operationId === ORDERS && policy.orders !== 'mock'
    if (isUndescribed || (removed && hasSunset(operation))) removeOperation(document, path, method)
    if (policy.ban.status === 403) operation.responses['403'] ??= { $ref: '#/components/responses/Banned' }
  }
  restrictList(document, policy)
  restrictNewPet(document, policy)
  const getPet = operationIn(document, 'getPet')
  if (getPet && policy.get.invalidId === '400')
    getPet.responses['400'] = { $ref: '#/components/responses/InvalidParameter' }
  if (policy.ban.status === 403)
    delete document.components?.responses?.TooManyRequests?.content?.['application/json']?.examples
      ?.api_key_banned
  dateHeaders(document, policy)
  renameCodes(document, policy)
  describePlans(document, policy)
  dropUnused(document)
  const [own, ...others] = document.servers ?? []
  document.servers = [{ ...own, url: baseUrl }, ...others]
  return document
}

/** A copy in which the name of a decision in braces, such as `{list.order}`, is replaced by the words for its value. */
export function worded(
  { 'x-words': choices, ...contract }: OpenApiDocument,
  policy: Policy,
): OpenApiDocument {
  const words = new Map<string, unknown>([
    ...describeDecisions(policy).map(
      ({ name, value }) => [name, Object(Object(choices)[name])[value]] as const,
    ),
    ['get.removedOn', iso(policy.get.removedOn).replace('T00:00:00.000Z', '')],
  ])
  const inText = (text: string) =>
    text.replace(/\{([\w.]+)\}/g, (name, inside) => String(words.get(inside) ?? name))
  return JSON.parse(JSON.stringify(contract), (_, value) =>
    typeof value === 'string' ? inText(value) : value,
  )
}

function removeOperation(document: OpenApiDocument, path: string, method: string): void {
  const item = document.paths[path] ?? {}
  for (const name of METHODS) if (name.toUpperCase() === method) delete item[name]
  if (METHODS.every((name) => item[name] === undefined)) delete document.paths[path]
}

const operationIn = (document: OpenApiDocument, id: string): OperationObject | undefined =>
  [...operationsOf(document)].find(({ operation }) => operation.operationId === id)?.operation

function restrictList(document: OpenApiDocument, policy: Policy): void {
  for (const reference of operationIn(document, 'listPets')?.parameters ?? []) {
    const parameter = resolveRef(document, reference)
    if (parameter.name === 'limit' && policy.list.limit === 'clamp')
      parameter.schema = { type: 'integer', default: parameter.schema?.default }
    if (parameter.name === 'status' && policy.list.status !== 'reject') parameter.schema = { type: 'string' }
  }
}

function restrictNewPet(document: OpenApiDocument, policy: Policy): void {
  const createPet = operationIn(document, 'createPet')
  const reference = createPet && bodyOf(document, createPet)?.schema
  if (!reference) return
  const schema = resolveRef<SchemaObject>(document, reference)
  restrictFields(schema, policy)
  if (policy.create.status === 'absent') return
  const { status } = schema.properties ?? {}
  schema.properties = { ...schema.properties, status: { ...status, default: policy.create.status } }
}

function dateHeaders(document: OpenApiDocument, policy: Policy): void {
  const [, since, , sunset] = deprecationHeaders(policy, httpDate(policy.get.removedOn), '')
  const { Deprecation, Sunset } = document.components?.headers ?? {}
  if (Deprecation) Object.assign(Deprecation, { example: since })
  if (Sunset) Object.assign(Sunset, { example: sunset })
}

/** Renames the error codes in examples. Examples of an overlay may contain anything. */
function renameCodes(document: OpenApiDocument, policy: Policy): void {
  for (const response of Object.values(document.components?.responses ?? {})) {
    for (const example of Object.values(response.content?.['application/json']?.examples ?? {})) {
      const error: { code?: unknown } = Object(example?.value)
      if (typeof error.code === 'string') error.code = renamedCode(policy, error.code)
    }
  }
}

function describePlans(document: OpenApiDocument, { plans }: Policy): void {
  const rows = PLAN_NAMES.map(
    (name) => `| ${name} | ${limitText(plans[name].perMinute)} | ${limitText(plans[name].perDay)} |`,
  )
  const table = ['| Plan | Requests per minute | Requests per day |', '| --- | --- | --- |', ...rows]
  document.info.description =
    `${String(document.info.description ?? '').trimEnd()}\n\n${table.join('\n')}\n`.trimStart()
}

/** Removes unused components, and then those that only they used. */
function dropUnused(document: OpenApiDocument): void {
  const text = JSON.stringify(document)
  let dropped = false
  for (const [kind, components = {}] of Object.entries(document.components ?? {})) {
    if (kind === 'securitySchemes') continue
    for (const name of Object.keys(components)) {
      if (text.includes(`"#/components/${kind}/${name}"`)) continue
      delete components[name]
      dropped = true
    }
  }
  if (dropped) dropUnused(document)
}

const SUMMARY: Readonly<Record<PetChange, string>> = {
  update: 'Change an animal',
  replace: 'Replace an animal',
  delete: 'Delete an animal',
}

/**
 * Completes each operation with `x-sandbox`: adds the path parameter, the body and the responses that its overlay does
 * not declare. Called before operations are removed, because the parameter is copied from getPet.
 */
function completeChanges(document: OpenApiDocument, policy: Policy): void {
  const responses = document.components?.responses ?? {}
  const limits = responses.InvalidBody?.headers
  for (const { path, operation } of operationsOf(document)) {
    const change = operation['x-sandbox'] as PetChange | undefined
    if (!change) continue
    // NotFound itself has the deprecation headers of getPet.
    responses.UnknownPet = { ...responses.NotFound, headers: limits }
    operation.tags ??= ['animals']
    operation.summary ??= SUMMARY[change]
    operation.parameters = withPetId(document, path, operation)
    if (change !== 'delete') operation.requestBody ??= changeBody(document, change, policy)
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

function withPetId(document: OpenApiDocument, path: string, operation: OperationObject) {
  const isPetId = ({ name, in: place }: ParameterObject) => place === 'path' && name === 'petId'
  const { parameters = [] } = operation
  if (parametersOf(document, path, operation).some(isPetId)) return parameters
  const ofGetPet = operationIn(document, 'getPet')?.parameters ?? []
  return [...parameters, ...ofGetPet.filter((each) => isPetId(resolveRef(document, each)))]
}

function changeBody(document: OpenApiDocument, change: 'update' | 'replace', policy: Policy) {
  const replacement = objectSchema(inlined(document, document.components?.schemas?.NewPet ?? {}))
  const schema = change === 'update' ? patchOf(replacement) : replacement
  restrictFields(schema, policy)
  return { required: true, content: json(schema) }
}

/** Members that the policy refuses in every body with a pet. */
function restrictFields(schema: SchemaObject, policy: Policy): void {
  const { properties = {} } = schema
  if (policy.unknown === 'reject') schema.additionalProperties = false
  if (policy.create.blankName === 'reject') properties.name = withPattern(properties.name, '\\S')
  schema.properties = properties
}

/** An overlay may have a pattern of its own. */
const withPattern = (schema: SchemaObject = {}, pattern: string): SchemaObject =>
  schema.pattern === undefined ? { ...schema, pattern } : { allOf: [schema, { pattern }] }

/** The schema of a merge patch (RFC 7396): every field may be missing, and null removes an optional one. */
function patchOf({ properties = {}, required = [] }: SchemaObject): SchemaObject {
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : { anyOf: [schema, { type: 'null' }] },
  ])
  return { type: 'object', properties: Object.fromEntries(fields) }
}

function refusals(change: PetChange, policy: Policy): OperationObject['responses'] {
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
