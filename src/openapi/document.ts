/** An OpenAPI 3.1 document, as far as the sandbox reads one. */
export interface OpenApiDocument {
  openapi: string
  info: Record<string, unknown>
  servers?: ServerObject[]
  paths: Record<string, Record<string, OperationObject>>
  components?: Record<string, Record<string, unknown>>
  [extension: string]: unknown
}

export interface ServerObject {
  url: string
  description?: string
}

export interface OperationObject {
  operationId: string
  deprecated?: boolean
  parameters?: (ParameterObject | Reference)[]
  requestBody?: RequestBodyObject | Reference
  responses: Record<string, unknown>
  [member: string]: unknown
}

export interface ParameterObject {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  schema?: SchemaObject
}

export interface RequestBodyObject {
  required?: boolean
  content: Record<string, { schema?: SchemaObject; examples?: Record<string, unknown> }>
}

export type SchemaObject = { [keyword: string]: unknown }

export interface Reference {
  $ref: string
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

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

/** What a local reference (`#/components/…`) points at; anything else as it is. */
export function resolveRef<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T
  const names = value.$ref
    .replace(/^#\//, '')
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  let target: unknown = document
  for (const name of names) target = (target as Record<string, unknown> | undefined)?.[name]
  if (typeof target !== 'object' || target === null) throw new Error(`${value.$ref} points at nothing`)
  return resolveRef(document, target as T | Reference)
}
