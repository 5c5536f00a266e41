import { AdvisedError } from '../../text/advised-error.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { isJsonType } from '../../world/traffic/message.ts'

/** The parts of an OpenAPI 3.1 document that the sandbox reads. */
export interface OpenApiDocument {
  openapi: string
  info: Record<string, unknown>
  servers?: { url: string; description?: string }[]
  paths: Record<string, PathItem>
  components?: {
    schemas?: Record<string, SchemaObject>
    responses?: Record<string, ResponseObject>
    [kind: string]: Record<string, unknown> | undefined
  }
  [extension: string]: unknown
}

/** An operation for each method, and the parameters of all of them. */
export type PathItem = { [method in (typeof METHODS)[number]]?: OperationObject } & {
  parameters?: Parameters
}

type Parameters = (ParameterObject | Reference)[]

export interface OperationObject {
  operationId: string
  deprecated?: boolean
  parameters?: Parameters
  requestBody?: RequestBodyObject | Reference
  responses: Record<string, ResponseObject | Reference>
  [member: string]: unknown
}

export interface ParameterObject {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  style?: string
  explode?: boolean
  schema?: SchemaObject
  /** In place of a schema: the value is a text of this media type. */
  content?: Content
}

export interface RequestBodyObject {
  required?: boolean
  content: Content
}

/** By media type. */
type Content = Record<string, { schema?: SchemaObject; examples?: Record<string, { value?: unknown }> }>

export const JSON_TYPE = 'application/json'

export interface ResponseObject {
  description?: string
  headers?: object
  content?: Content
}

/** A JSON Schema with the keywords that the sandbox itself reads. */
export interface SchemaObject {
  type?: string | string[]
  format?: string
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  properties?: Record<string, SchemaObject>
  required?: readonly string[]
  allOf?: readonly SchemaObject[]
  anyOf?: readonly SchemaObject[]
  oneOf?: readonly SchemaObject[]
  items?: SchemaObject
  [keyword: string]: unknown
}

export interface Reference {
  $ref: string
}

export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const

/** Every operation of the document with its method in capitals and its path. */
export function* operationsOf(
  document: OpenApiDocument,
): Generator<{ path: string; method: string; operation: OperationObject }> {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method]
      if (operation) yield { path, method: method.toUpperCase(), operation }
    }
  }
}

/** A document violates OpenAPI, or uses a feature that the sandbox does not read. The message begins with the place. */
export class InvalidDocument extends Error {}

/** An overlay that cannot be used. The message has the file and the reason. */
export class OverlayError extends AdvisedError {
  override readonly name = 'OverlayError'
}

/** The limit of references that lead to each other. */
const MAX_STEPS = 100

/** The target of a local reference (`#/components/…`); any other value unchanged. Throws an InvalidDocument. */
export function resolveRef<T extends object>(document: object, value: T | Reference, left = MAX_STEPS): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T
  if (left === 0) throw new InvalidDocument(`${value.$ref} refers to itself`)
  return resolveRef(document, targetOf<T | Reference>(document, value.$ref), left - 1)
}

/** A name in a JSON Pointer, as it is in the document (RFC 6901, section 4). */
export const nameInPointer = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')

function targetOf<T>(document: object, $ref: string): T {
  const names = $ref.replace(/^#\//, '').split('/').map(nameInPointer)
  let target: unknown = document
  for (const name of names) target = (target as Record<string, unknown> | undefined)?.[name]
  if (typeof target !== 'object' || target === null) throw new InvalidDocument(`${$ref} has no target`)
  return target as T
}

/** The parameters of an operation, with those of its path that it does not replace. */
export function parametersOf(
  document: OpenApiDocument,
  path: string,
  operation: OperationObject,
): ParameterObject[] {
  const resolved = (found: Parameters = []) =>
    found.map((each) => resolveRef<ParameterObject>(document, each))
  const own = resolved(operation.parameters)
  const isReplaced = (of: ParameterObject) => own.some((each) => each.in === of.in && each.name === of.name)
  return [...resolved(document.paths[path]?.parameters).filter((each) => !isReplaced(each)), ...own]
}

/** The schema of the value of a parameter; with `content`, that of its only media type. */
export const schemaOf = ({ schema, content }: Pick<ParameterObject, 'schema' | 'content'>) =>
  schema ?? Object.values(content ?? {})[0]?.schema

/**
 * The body of an operation, with its type and schema for JSON: `application/json`, unless only another JSON type is
 * declared.
 */
export function bodyOf(document: OpenApiDocument, { requestBody }: OperationObject) {
  if (!requestBody) return undefined
  const { required = false, content } = resolveRef<RequestBodyObject>(document, requestBody)
  const mediaType = (content[JSON_TYPE] ? JSON_TYPE : Object.keys(content).find(isJsonType)) ?? JSON_TYPE
  return { required, mediaType, mediaTypes: Object.keys(content), schema: content[mediaType]?.schema }
}

/** The limit of objects after references are replaced: nested references multiply them. */
export const MAX_INLINED = 10_000

/**
 * A schema with its references replaced by their targets. A recursive reference becomes a schema that accepts
 * everything. `budget`: how many objects the result may have. `replace`: makes the schema that replaces a reference.
 * Throws an InvalidDocument.
 */
export function inlined(
  document: object,
  schema: SchemaObject,
  budget = { left: MAX_INLINED },
  replace = withBeside,
): SchemaObject {
  const inline = (each: SchemaObject, outer: readonly SchemaObject[]): SchemaObject => {
    if (budget.left-- === 0)
      throw new InvalidDocument(`its references lead to more than ${inThousands(MAX_INLINED)} schemas`)
    const resolved = resolveRef<SchemaObject>(document, each)
    if (outer.includes(resolved)) return {}
    return mapMembers(replace(document, each), (member) => inline(member, [...outer, resolved]))
  }
  return inline(schema, [])
}

/** Keywords of which the one beside a reference replaces that of its target. */
const DESCRIBING = /^(title|default|examples?|deprecated|readOnly|writeOnly|x-.*)$/

/**
 * The target of a reference with the keywords beside the reference, which also apply in OpenAPI 3.1. The description of
 * the target stays, since it tells what is valid; that of a reference tells what the value is for.
 */
export function withBeside(document: object, schema: SchemaObject): SchemaObject {
  const { $ref, description: _description, ...beside } = schema
  if (typeof $ref !== 'string') return schema
  const target = withBeside(document, targetOf(document, $ref))
  const isPlain = Object.keys(beside).every((keyword) => DESCRIBING.test(keyword) || !(keyword in target))
  return isPlain ? { ...target, ...beside } : { ...beside, allOf: [{ ...target }, ...(beside.allOf ?? [])] }
}

/** A copy of a schema in which `change` replaces each schema, the inner ones first. */
export const mapSchemas = (schema: SchemaObject, change: ChangeSchema): SchemaObject =>
  change(mapMembers(schema, (member) => mapSchemas(member, change)))

type ChangeSchema = (schema: SchemaObject) => SchemaObject

/** Keywords whose value is an object of schemas by name, or in a document of responses or headers. */
const SCHEMA_MAP = /^(properties|patternProperties|dependentSchemas|\$defs|schemas|responses|headers)$/
/** Keywords whose value is data, not a schema. */
const VALUES = new Set(['enum', 'const', 'default', 'example', 'examples', 'required', 'dependentRequired'])

function mapMembers(schema: SchemaObject, map: ChangeSchema): SchemaObject {
  const mapped = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mapped)
    return typeof value === 'object' && value !== null ? map(value as SchemaObject) : value
  }
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (VALUES.has(keyword) || keyword.startsWith('x-')) return [keyword, value]
    if (!SCHEMA_MAP.test(keyword) || typeof value !== 'object' || value === null)
      return [keyword, mapped(value)]
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each)]))]
  })
  return Object.fromEntries(entries)
}

/** A document as YAML, without anchors. */
export async function toYaml(document: object): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(document, { aliasDuplicateObjects: false })
}
