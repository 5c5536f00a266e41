import { computed, signal } from '@preact/signals'
import { ROOT } from './api.ts'

/** The members of a schema that the page reads. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export interface Referable {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

export interface ServedParameter extends Referable {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}

interface DocumentedOperation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly parameters?: readonly ServedParameter[]
  readonly requestBody?: Referable
  readonly responses?: Readonly<Record<string, Referable>>
}

export interface ServedDocument {
  readonly info?: { readonly title?: string; readonly version?: string }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, Schema & Referable>>>>
}

/** The effective document of the Animal Store, with what an overlay adds; it is open to everyone. */
export const served = signal<ServedDocument>({})

let readOf = ''

/** Reads the document of a namespace, unless it was read. */
export async function readDocument(namespace: string): Promise<void> {
  if (readOf === namespace) return
  readOf = namespace
  try {
    const response = await fetch(`${ROOT}/openapi.json?${new URLSearchParams({ namespace })}`)
    const found = await response.json()
    if (readOf === namespace) served.value = found
  } catch {
    readOf = ''
  }
}

/** What a reference stands for, with what is said beside it. */
export function resolved<T extends { readonly $ref?: string }>({ components }: ServedDocument, item: T): T {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(item.$ref ?? '') ?? []
  const target = components?.[kind]?.[name]
  return target ? { ...resolved({ components: components ?? {} }, target as unknown as T), ...item } : item
}

/** A field of a schema, whatever it refers to. */
export interface Field extends Schema {
  readonly name: string
  readonly isRequired: boolean
}

/** The fields of a schema in the order of the document. */
export function fieldsOf(document: ServedDocument, schema: Schema): Field[] {
  const { properties = {}, required = [] } = resolved(document, schema)
  return Object.entries(properties).map(([name, field]) => ({
    ...resolved(document, field),
    name,
    isRequired: required.includes(name),
  }))
}

const fieldsOfSchema = (name: string) =>
  computed(() => fieldsOf(served.value, { $ref: `#/components/schemas/${name}` }))

/** The fields of a pet, and of a new one. */
export const petFields = fieldsOfSchema('Pet')
export const newPetFields = fieldsOfSchema('NewPet')

export interface ServedOperation extends DocumentedOperation {
  readonly method: string
  readonly path: string
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** The operations that a request can call, in the order of the document. */
export const operations = computed(() =>
  Object.entries(served.value.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]): ServedOperation[] =>
      METHODS.includes(method) ? [{ ...operation, method: method.toUpperCase(), path }] : [],
    ),
  ),
)
