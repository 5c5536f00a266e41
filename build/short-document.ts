import {
  mapSchemas,
  type OpenApiDocument,
  type OperationObject,
  type SchemaObject,
} from '../src/contract/openapi/document.ts'

type Members = Readonly<Record<string, unknown>>

/** A tag of a source, and the first parts of the paths that have it. */
interface Tag extends Members {
  readonly name: string
  readonly paths: readonly string[]
}

/** A document without what follows from the rest: an operation stands under its method and its name. */
interface Source extends Pick<OpenApiDocument, 'openapi' | 'info' | 'components'> {
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, Members>>
}

/** An operation of a source, which has its responses under their statuses. */
interface ShortOperation extends Members {
  readonly parameters?: readonly unknown[]
  readonly body?: unknown
  readonly 'body?'?: unknown
  readonly examples?: Members
}

/** What the operations of a document have in common. */
interface Rules {
  /** The components that are header fields of every response. */
  readonly headers: readonly string[]
  /** Bodies take no other properties than those of their schemas. */
  readonly closesBodies: boolean
  /** The components that are the responses of an operation which does not have them itself, by status. */
  refusals(path: string, operation: ShortOperation): Readonly<Record<string, string>>
  /** The parameters that it has before its own. */
  parameters(tag: string, operation: ShortOperation): readonly string[]
}

export const ANIMAL_STORE: Rules = {
  headers: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  closesBodies: false,
  refusals: () => ({ 401: 'Unauthorized', 429: 'TooManyRequests', default: 'Default' }),
  parameters: () => [],
}

/** Operations about the whole sandbox, which act on no namespace. */
const WITHOUT_NAMESPACE = ['inspector', 'about', 'namespaces']

export const CONTROL: Rules = {
  headers: [],
  closesBodies: true,
  refusals(path, { parameters = [], security, ...operation }) {
    // What a path or a point names may not exist; a response 201 makes it.
    const isNamed = path.includes('{') && operation[201] === undefined
    return {
      400: 'Invalid',
      ...(security === undefined && { 401: 'Unauthorized', 403: 'Forbidden', 503: 'Unavailable' }),
      ...(('body' in operation || 'body?' in operation) && { 413: 'TooLarge', 415: 'Encoded' }),
      ...(isNamed && { 404: 'NotFound' }),
      ...(parameters.includes('at') && { 404: 'HistoryGone' }),
    }
  },
  parameters: (tag, { parameters }) =>
    WITHOUT_NAMESPACE.includes(tag) || parameters?.includes('namespaceOrAll') ? [] : ['namespace'],
}

/** The document of a source; the first lines of control.openapi.yaml say what a source leaves out. */
export function documentOf(source: Source, rules: Rules): OpenApiDocument {
  const { tags, components = {} } = source
  const { headers, parameters, responses, schemas, ...others } = components as Record<string, Members>
  const paths = mapValues(source.paths, (item, path) => itemOf(item, path, tagOf(tags, path), rules))
  const bodies = rules.closesBodies ? Object.values(paths).flatMap(bodiesOf) : []
  return {
    ...source,
    tags: tags.map(({ paths: _, ...tag }) => tag),
    paths,
    components: {
      ...others,
      ...(headers && { headers: requiredOf(headers) }),
      ...(parameters && {
        parameters: mapValues(parameters, (each, name) => parameterOf('', { name, ...(each as object) })),
      }),
      responses: mapValues(responses, (each) => responseOf({ schema: 'Error', ...(each as object) }, rules)),
      schemas: closed(schemasOf(schemas), bodies),
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

/** Header fields by name, which a response has unless the name ends in `?`. */
const requiredOf = (headers: Members): Members =>
  Object.fromEntries(
    Object.entries(headers).map(([name, each]) => {
      const { description, ...others } = each as Members
      const required = !name.endsWith('?') && { required: true }
      return [name.replace(/\?$/, ''), { description, ...required, ...others }]
    }),
  )

/** The schemas; those that a body contains take no other properties. */
function closed(schemas: Record<string, SchemaObject>, bodies: readonly unknown[]) {
  const sent = referredFrom(bodies, schemas)
  return mapValues(schemas, (schema, name) => (sent.has(name) ? mapSchemas(schema, withoutOthers) : schema))
}

/** The names of all schemas to which a value leads. */
export function referredFrom(value: unknown, schemas: Members, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue
    referredFrom(schemas[name] ?? {}, schemas, found.add(name))
  }
  return found
}

/** The same schema, or the same schemas, with references to definitions beside it. */
export const withDefinitions = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll('"#/components/schemas/', '"#/$defs/'))

const withoutOthers = (schema: SchemaObject): SchemaObject =>
  schema.properties ? { additionalProperties: false, ...schema } : schema

/** Schemas by their names, without the short forms. */
export const schemasOf = (schemas: Members = {}): Record<string, SchemaObject> => mapValues(schemas, schemaOf)

function itemOf(item: Members, path: string, tag: string, rules: Rules): Record<string, OperationObject> {
  const { parameters, ...operations } = item
  const each = Object.entries(operations).map(([name, operation]) => {
    const [method, operationId] = name.split(' ')
    return [method, { operationId, ...operationOf(path, tag, operation as ShortOperation, rules) }]
  })
  return {
    ...(parameters !== undefined && {
      parameters: (parameters as unknown[]).map((parameter) => parameterOf(path, parameter)),
    }),
    ...Object.fromEntries(each),
  }
}

function operationOf(path: string, tag: string, operation: ShortOperation, rules: Rules): object {
  const { parameters: declared = [], body, 'body?': optional, examples, ...others } = operation
  const isStatus = ([name]: readonly [string, unknown]) => /^(\d+|default)$/.test(name)
  const entries = Object.entries(others)
  const responses = Object.fromEntries(entries.filter(isStatus))
  const parameters = [...rules.parameters(tag, operation), ...declared]
  const schema = body ?? optional
  const required = body !== undefined && { required: true }
  return {
    ...Object.fromEntries(entries.filter((each) => !isStatus(each))),
    tags: [tag],
    ...(parameters.length > 0 && { parameters: parameters.map((each) => parameterOf(path, each)) }),
    ...(schema !== undefined && { requestBody: contentOf({ ...required, schema, examples }) }),
    responses: mapValues({ ...rules.refusals(path, operation), ...responses }, (each) =>
      responseOf(each, rules),
    ),
  }
}

function parameterOf(path: string, parameter: unknown): object {
  if (typeof parameter === 'string') return referenceTo('parameters', parameter)
  const { name, in: place, schema, examples, ...others } = parameter as Members
  const isInPath = place === 'path' || path.includes(`{${name}}`)
  return {
    name,
    in: isInPath ? 'path' : 'query',
    ...(isInPath && { required: true }),
    ...others,
    schema: schemaOf(schema),
    ...(examples !== undefined && { examples }),
  }
}

const referenceTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

function responseOf(response: unknown, { headers: always }: Rules): object {
  if (typeof response === 'string') return referenceTo('responses', response)
  const { headers = [], status, errors, ...others } = response as Members
  const named = [...always, ...(Array.isArray(headers) ? headers : [])]
  const references = Object.fromEntries(named.map((name) => [name, referenceTo('headers', name)]))
  const all = { ...references, ...(!Array.isArray(headers) && (headers as object)) }
  return contentOf({
    ...others,
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(errors !== undefined && {
      examples: mapValues(errors as Members, (message, code) => ({ value: { code, message, status } })),
    }),
  })
}

/** A body or a response: its media type is JSON unless it has a `content`. */
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

/** Keywords with one schema, a list of them, or schemas by name. */
const WITH_ONE = ['items', 'additionalProperties', 'if', 'then', 'else']
const WITH_LIST = ['oneOf', 'allOf']

function schemaOf(schema: unknown): SchemaObject {
  if (typeof schema === 'string') return referenceTo('schemas', schema)
  if (Array.isArray(schema)) return listOf(schema.map(schemaOf))
  const { $ref, properties, ...others } = schema as Members
  const inner = mapValues(others, (value, keyword) => {
    if (WITH_ONE.includes(keyword)) return typeof value === 'boolean' ? value : schemaOf(value)
    return WITH_LIST.includes(keyword) ? (value as unknown[]).map(schemaOf) : value
  })
  return {
    ...($ref !== undefined && schemaOf($ref)),
    ...(properties !== undefined && objectOf(properties as Members, others.description)),
    ...inner,
  }
}

/** Of one schema, or a pair of two. */
const listOf = (schemas: readonly SchemaObject[]): SchemaObject =>
  schemas.length === 1
    ? { type: 'array', items: schemas[0] }
    : { type: 'array', minItems: 2, maxItems: 2, prefixItems: schemas }

function objectOf(properties: Members, description: unknown): SchemaObject {
  const required = Object.keys(properties).filter((name) => !name.endsWith('?'))
  const named = Object.entries(properties).map(([name, each]) => [name.replace(/\?$/, ''), schemaOf(each)])
  return {
    ...(description !== undefined && { description }),
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
