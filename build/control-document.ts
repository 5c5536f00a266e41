import {
  mapSchemas,
  type OpenApiDocument,
  type OperationObject,
  type SchemaObject,
} from '../src/contract/openapi/document.ts'
import { NEEDS_PAST } from '../src/control/history.ts'

type Members = Readonly<Record<string, unknown>>

/** Tags and operations about the whole sandbox, which act on no namespace. */
const WITHOUT_NAMESPACE = ['inspector', 'namespaces', 'callMcp']

/** The error responses of every operation, of guarded operations, and of those with a body. */
const REFUSALS = { 400: 'Invalid' }
const REFUSALS_OF_GUARDED = { 401: 'Unauthorized', 403: 'Forbidden', 503: 'Unavailable' }
const REFUSALS_OF_BODIES = { 413: 'TooLarge', 415: 'Encoded' }
/** The error responses of operations on state that a proxy does not have, even if only some of their input needs it. */
const REFUSALS_OF_STATE = { 501: 'NotHere' }
const needsPast = (path: string, parameters: readonly unknown[]): boolean =>
  NEEDS_PAST.test(path) || /^\/(recording|reset)$/.test(path) || parameters.includes('at')

/** A tag of the source, with the first path segments that belong to it. */
interface Tag extends Members {
  readonly name: string
  readonly paths: readonly string[]
}

/** The source: its operations are keyed by method and operationId. */
interface Source extends Pick<OpenApiDocument, 'openapi' | 'info' | 'components'> {
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, Members>>
}

/** An operation of the source, with responses by status. */
interface ShortOperation extends Members {
  readonly parameters?: readonly unknown[]
  readonly body?: unknown
  readonly 'body?'?: unknown
  readonly examples?: Members
}

/** Expands the control document from its short form, which the first lines of the source describe. */
export function controlDocument(source: Source): OpenApiDocument {
  const { tags, components } = source
  const { parameters, responses, schemas, ...others } = components ?? {}
  const paths = mapValues(source.paths, (item, path) => itemOf(item, path, tagOf(tags, path)))
  return {
    ...source,
    tags: tags.map(({ paths: _, ...tag }) => tag),
    paths,
    components: {
      ...others,
      parameters: mapValues(parameters, (each, name) => parameterOf('', { name, ...(each as object) })),
      responses: mapValues(responses, (each) => responseOf({ schema: 'Error', ...(each as object) })),
      schemas: closed(schemasOf(schemas), Object.values(paths).flatMap(bodiesOf)),
    },
  }
}

const tagOf = (tags: readonly Tag[], path: string): string => {
  const tag = tags.find(({ paths }) => paths.includes(path.split('/')[1] as string))
  if (!tag) throw new Error(`No tag has the path ${path}`)
  return tag.name
}

const bodiesOf = (item: Readonly<Record<string, OperationObject>>): unknown[] =>
  Object.values(item).flatMap(({ requestBody = [] }) => requestBody)

/** The schemas. Those in a body accept no other properties. */
function closed(schemas: Record<string, SchemaObject>, bodies: readonly unknown[]) {
  const sent = referredFrom(bodies, schemas)
  return mapValues(schemas, (schema, name) => (sent.has(name) ? mapSchemas(schema, withoutOthers) : schema))
}

/** The names of all schemas that a value refers to, directly or not. */
export function referredFrom(value: unknown, schemas: Members, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue
    referredFrom(schemas[name] ?? {}, schemas, found.add(name))
  }
  return found
}

/** The same schemas, with references to `#/definitions`. */
export const withDefinitions = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll('"#/components/schemas/', '"#/$defs/'))

const withoutOthers = (schema: SchemaObject): SchemaObject =>
  schema.properties ? { additionalProperties: false, ...schema } : schema

/** Schemas by name, expanded from their short form. */
export const schemasOf = (schemas: Members = {}): Record<string, SchemaObject> => mapValues(schemas, schemaOf)

function itemOf(item: Members, path: string, tag: string): Record<string, OperationObject> {
  const { parameters, ...operations } = item
  const each = Object.entries(operations).map(([name, operation]) => {
    const [method, operationId] = name.split(' ')
    return [method, operationOf(path, { operationId, tags: [tag], ...(operation as object) })]
  })
  return {
    ...(parameters !== undefined && {
      parameters: (parameters as unknown[]).map((parameter) => parameterOf(path, parameter)),
    }),
    ...Object.fromEntries(each),
  }
}

function operationOf(path: string, operation: ShortOperation): OperationObject {
  const { parameters: declared = [], body, 'body?': optional, examples, ...others } = operation
  const statuses = Object.entries(others).filter(([name]) => /^\d+$/.test(name))
  const responses = Object.fromEntries(statuses)
  const rest = Object.entries(others).filter(([name]) => !(name in responses))
  const schema = body ?? optional
  const isWithout = [others.tags, others.operationId].some((each) => WITHOUT_NAMESPACE.includes(String(each)))
  const isAnywhere = isWithout || declared.includes('namespaceOrAll')
  const all = isAnywhere ? declared : ['namespace', ...declared]
  // A path parameter or a point may name something unknown; an operation with a response 201 creates it.
  const named = declared.includes('at') ? 'HistoryGone' : path.includes('{') && !responses[201] && 'NotFound'
  const refusals = {
    ...REFUSALS,
    ...(others.security === undefined && REFUSALS_OF_GUARDED),
    ...(schema !== undefined && REFUSALS_OF_BODIES),
    ...(named && { 404: named }),
    ...(needsPast(path, declared) && REFUSALS_OF_STATE),
  }
  return {
    ...Object.fromEntries(rest),
    ...(all.length > 0 && { parameters: all.map((each) => parameterOf(path, each)) }),
    ...(schema !== undefined && {
      requestBody: contentOf({ ...(body !== undefined && { required: true }), schema, examples }),
    }),
    responses: mapValues({ ...refusals, ...responses }, responseOf),
  } as unknown as OperationObject
}

function parameterOf(path: string, parameter: unknown): object {
  if (typeof parameter === 'string') return { $ref: `#/components/parameters/${parameter}` }
  const { name, in: place, schema, ...others } = parameter as Members
  const isInPath = place === 'path' || path.includes(`{${name}}`)
  return {
    name,
    in: isInPath ? 'path' : 'query',
    ...(isInPath && { required: true }),
    ...others,
    schema: schemaOf(schema),
  }
}

const responseOf = (response: unknown): object =>
  typeof response === 'string'
    ? { $ref: `#/components/responses/${response}` }
    : contentOf(response as Members)

/** A body or a response. Its media type is JSON unless it has `content`. */
function contentOf({ schema, examples, content, headers, ...others }: Members): object {
  const json = schema !== undefined && {
    'application/json': { schema, ...(examples !== undefined && { examples }) },
  }
  const media = (content ?? json) as Members | false
  const withSchema = (each: unknown) => ({ ...(each as object), schema: schemaOf((each as Members).schema) })
  return {
    ...others,
    ...(headers !== undefined && { headers }),
    ...(media && { content: mapValues(media, withSchema) }),
  }
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const WITH_ONE = ['items', 'additionalProperties', 'if', 'then', 'else']
const WITH_LIST = ['oneOf', 'allOf']

const TYPES = ['string', 'integer', 'number', 'boolean', 'object']

function schemaOf(schema: unknown): SchemaObject {
  if (typeof schema === 'string')
    return TYPES.includes(schema) ? { type: schema } : { $ref: `#/components/schemas/${schema}` }
  if (Array.isArray(schema)) return listOf(schema.map(schemaOf))
  const { $ref, properties, ...others } = schema as Members
  const inner = mapValues(others, (value, keyword) => {
    if (WITH_ONE.includes(keyword)) return typeof value === 'boolean' ? value : schemaOf(value)
    return WITH_LIST.includes(keyword) ? (value as unknown[]).map(schemaOf) : value
  })
  return {
    ...($ref !== undefined && schemaOf($ref)),
    ...(properties !== undefined && objectOf(properties as Members)),
    ...inner,
  }
}

/** An array of a schema, or a pair of two. */
const listOf = (schemas: readonly SchemaObject[]): SchemaObject =>
  schemas.length === 1
    ? { type: 'array', items: schemas[0] }
    : { type: 'array', minItems: 2, maxItems: 2, prefixItems: schemas }

function objectOf(properties: Members): SchemaObject {
  const required = Object.keys(properties).filter((name) => !name.endsWith('?'))
  const named = Object.entries(properties).map(([name, each]) => [name.replace(/\?$/, ''), schemaOf(each)])
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(named),
  }
}

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>> = {},
  map: (value: Value, name: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))
