import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { answerOf, api, ROOT } from './api.ts'

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
  readonly content?: Readonly<Record<string, Content>>
}

interface Content {
  readonly schema?: Schema
  readonly examples?: Readonly<Record<string, Example>>
}

export interface Example {
  readonly summary?: string
  readonly value: unknown
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

/** Its other members are the operations, by method. */
interface PathItem {
  readonly parameters?: readonly ServedParameter[]
}

export interface ServedDocument {
  readonly info?: { readonly title?: string; readonly version?: string }
  readonly paths?: Readonly<Record<string, PathItem>>
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
  /** The fields of an object, where these are given one by one. */
  readonly fields?: readonly Field[]
}

/** The fields of a schema in the order of the document; `deep`: those of the objects in it, too. */
export function fieldsOf(document: ServedDocument, schema: Schema, deep = false): Field[] {
  const { properties = {}, required = [] } = resolved(document, schema)
  return Object.entries(properties).map(([name, member]) => {
    const found = resolved(document, member)
    const items = found.items && { items: resolved(document, found.items) }
    const field = { ...found, ...items, name, isRequired: required.includes(name) }
    return deep && field.properties ? { ...field, fields: fieldsOf(document, field, true) } : field
  })
}

const fieldsOfSchema = (name: string) =>
  computed(() => fieldsOf(served.value, { $ref: `#/components/schemas/${name}` }))

/** The fields of a pet, and of a new one. */
export const petFields = fieldsOfSchema('Pet')
export const newPetFields = fieldsOfSchema('NewPet')

/** The name of a schema, or its type with its bounds. */
export function typeOf(schema: Schema = {}): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return name
  if (schema.items) return `${typeOf(schema.items)}[]`
  if (schema.enum) return schema.enum.join(', ')
  const { type, format, minimum, maximum } = schema
  const bounds = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  return `${[format ?? type ?? 'any'].flat().join(' or ')}${bounds}`
}

export interface ServedOperation extends DocumentedOperation {
  readonly method: string
  readonly path: string
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

const operationsOf = (document: ReadonlySignal<ServedDocument>) =>
  computed(() =>
    Object.entries(document.value.paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, each]): ServedOperation[] => {
        if (!METHODS.includes(method)) return []
        const operation: DocumentedOperation = each
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
        return [{ ...operation, parameters, method: method.toUpperCase(), path }]
      }),
    ),
  )

/** The operations that a request can call, in the order of the document. */
export const operations = operationsOf(served)

const contentOf = ({ content = {} }: Referable): Content | undefined => Object.values(content)[0]

export const schemaOf = (item: Referable): Schema | undefined => contentOf(item)?.schema

/** What an operation takes: a parameter, or a field of its body. */
export interface Input extends Field {
  readonly in: string
}

/** Parameters first. */
export function inputsOf(
  document: ServedDocument,
  { parameters = [], requestBody }: ServedOperation,
  deep = false,
): Input[] {
  const given = parameters.map((parameter): Input => {
    const { name, in: place, required = false, schema = {}, description } = resolved(document, parameter)
    return {
      ...resolved(document, schema),
      ...(description !== undefined && { description }),
      name,
      in: place,
      isRequired: required,
    }
  })
  const schema = requestBody && schemaOf(resolved(document, requestBody))
  const fields = schema ? fieldsOf(document, schema, deep) : []
  return [...given, ...fields.map((field) => ({ ...field, in: 'body' }))]
}

/** The document of the control API. */
export const control = signal<ServedDocument>({})
const controlOperations = operationsOf(control)

export async function readControl(): Promise<void> {
  control.value = (await answerOf(api.GET('/openapi.json'))) as ServedDocument
}

const controlOperationNow = (id: string) =>
  controlOperations.value.find(({ operationId }) => operationId === id)

/** An operation of the control API. */
export async function controlOperation(id: string): Promise<ServedOperation> {
  if (!controlOperationNow(id)) await readControl()
  return controlOperationNow(id) as ServedOperation
}

/** What an operation of the control API takes, beside the namespace; nothing until the document is read. */
export function controlInputs(id: string): Input[] {
  const operation = controlOperationNow(id)
  return operation ? inputsOf(control.value, operation, true).filter((each) => each.in !== 'query') : []
}

/** What can be sent to an operation of the control API, each with its name. */
export const controlExamples = (id: string): readonly Example[] =>
  Object.values(contentOf(controlOperationNow(id)?.requestBody ?? {})?.examples ?? {})
