import {
  METHODS,
  type OpenApiDocument,
  type OperationObject,
  type SchemaObject,
} from '../src/contract/openapi/document.ts'

type Members = Readonly<Record<string, unknown>>

/** Operations about the whole sandbox, which act on no namespace. */
const WITHOUT_NAMESPACE = ['inspector', 'about', 'namespaces']

/** The refusals of every operation, of those that the guard protects, and of those with a body. */
const REFUSALS = { 400: 'Invalid' }
const REFUSALS_OF_GUARDED = { 401: 'Unauthorized', 403: 'Forbidden', 503: 'Unavailable' }
const REFUSALS_OF_BODIES = { 413: 'TooLarge', 415: 'Encoded' }

/** The control document, from its source without what follows from the rest: the first lines of the source say what. */
export function controlDocument(source: OpenApiDocument): OpenApiDocument {
  const { parameters, responses, schemas, ...others } = source.components ?? {}
  return {
    ...source,
    paths: mapValues(source.paths, itemOf),
    components: {
      ...others,
      parameters: mapValues(parameters, (each) => parameterOf('', each)),
      responses: mapValues(responses, (each) => responseOf({ schema: 'Error', ...(each as object) })),
      schemas: schemasOf(schemas),
    },
  }
}

/** Schemas by their names, without the short forms. */
export const schemasOf = (schemas: Members = {}): Record<string, SchemaObject> => mapValues(schemas, schemaOf)

function itemOf(item: Members, path: string): Record<string, OperationObject> {
  const isOperation = (name: string) => (METHODS as readonly string[]).includes(name)
  return mapValues(item, (each, name) =>
    isOperation(name)
      ? operationOf(path, each as OperationObject)
      : (each as unknown[]).map((parameter) => parameterOf(path, parameter)),
  ) as Record<string, OperationObject>
}

function operationOf(path: string, operation: OperationObject): OperationObject {
  const { tags, security, parameters = [], requestBody, responses } = operation
  const declared = parameters as unknown[]
  const isAnywhere = WITHOUT_NAMESPACE.includes(String(tags)) || declared.includes('namespaceOrAll')
  const all = isAnywhere ? declared : ['namespace', ...declared]
  // What a path or a point names may not exist; a response 201 makes it.
  const named = declared.includes('at') ? 'HistoryGone' : path.includes('{') && !responses[201] && 'NotFound'
  const refusals = {
    ...REFUSALS,
    ...(security === undefined && REFUSALS_OF_GUARDED),
    ...(requestBody && REFUSALS_OF_BODIES),
    ...(named && { 404: named }),
  }
  return {
    ...operation,
    ...(all.length > 0 && { parameters: all.map((each) => parameterOf(path, each)) }),
    ...(requestBody && { requestBody: contentOf(requestBody as unknown as Members) }),
    responses: mapValues({ ...refusals, ...responses }, responseOf),
  } as OperationObject
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
const WITH_LIST = ['oneOf', 'allOf', 'prefixItems']

function schemaOf(schema: unknown): SchemaObject {
  if (typeof schema === 'string') return { $ref: `#/components/schemas/${schema}` }
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
