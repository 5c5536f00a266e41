import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { answerOf, api } from './api.ts'
import { inWorld } from './location.ts'

type Parts = Readonly<Record<string, Part>>
type Members<Names extends string, Value> = { readonly [Name in Names]?: Value }

/** A schema, parameter, body, response or operation, with the members that the page reads. */
interface Part
  extends Members<'$ref' | 'name' | 'in' | 'operationId' | 'summary' | 'description' | 'format', string>,
    Members<'items' | 'schema' | 'requestBody', Part>,
    Members<'properties' | 'content' | 'examples' | 'responses', Parts> {
  readonly parameters?: readonly Part[]
  readonly deprecated?: boolean
  readonly required?: boolean | readonly string[]
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly value?: unknown
}

interface ServedDocument {
  readonly info?: { readonly title?: string; readonly version?: string }
  readonly paths?: Readonly<Record<string, Parts & Pick<Part, 'parameters'>>>
  readonly components?: Readonly<Record<string, Parts>>
}

/** A parameter, or a field of a schema. */
export interface Field extends Pick<Part, 'in' | 'type' | 'enum' | 'items' | 'description'> {
  readonly name: string
  readonly isRequired: boolean
  /** Whether its text has several lines. */
  readonly isLong?: boolean
  /** The name of its schema, or its type with its bounds. */
  readonly typeText?: string
  /** The fields of an object that declares them. */
  readonly fields?: readonly Field[]
}

export type ServedOperation = ReturnType<typeof operationsIn>[number]

/** The target of a reference, with the members beside the reference. */
function resolved(document: ServedDocument, part: Part = {}): Part {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(part.$ref ?? '') ?? []
  const target = document.components?.[kind]?.[name]
  return target ? { ...resolved(document, target), ...part } : part
}

function typeOf(schema: Part = {}): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return name
  if (schema.items)
    return schema.items.enum ? `array of ${typeOf(schema.items)}` : `${typeOf(schema.items)}[]`
  if (schema.enum) return schema.enum.join(', ')
  const { type, format, minimum, maximum } = schema
  const bounds = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  return `${[format ?? type ?? 'any'].flat().join(' or ')}${bounds}`
}

/** The fields of a schema, in the order of the document. `deep`: including those of inner objects. */
function fieldsOf(document: ServedDocument, schema: Part | undefined, deep: boolean): Field[] {
  const { properties = {}, required = [] } = resolved(document, schema)
  return Object.entries(properties).map(([name, member]) => {
    const found = resolved(document, member)
    return {
      ...found,
      ...(found.items && { items: resolved(document, found.items) }),
      ...(deep && found.properties && { fields: fieldsOf(document, found, true) }),
      name,
      typeText: typeOf(found),
      isRequired: Array.isArray(required) && required.includes(name),
    }
  })
}

const contentOf = ({ content = {} }: Part): Part | undefined => Object.values(content)[0]

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Whether another part of an operation describes this header field (OpenAPI 3.1, Parameter Object). */
const isDescribedElsewhere = ({ name, in: place }: Field): boolean =>
  place === 'header' && /^(accept|authorization|content-type)$/i.test(name)

/** The operations of a document. Their inputs are the parameters, then the fields of the body. */
function operationsIn(document: ServedDocument, deep: boolean) {
  const inputOf = (parameter: Part): Field => {
    const { name = '', in: place = '', required, schema, description } = resolved(document, parameter)
    const found = resolved(document, schema)
    const about = description === undefined ? {} : { description }
    return { ...found, ...about, name, in: place, isRequired: required === true, typeText: typeOf(found) }
  }
  return Object.entries(document.paths ?? {}).flatMap(([path, { parameters: shared = [], ...item }]) =>
    Object.entries(item as Parts).flatMap(([method, each]) => {
      if (!METHODS.includes(method)) return []
      const { parameters = [], requestBody, responses = {} } = each
      const body = contentOf(resolved(document, requestBody))
      const fields = fieldsOf(document, body?.schema, deep).map((field) => ({ ...field, in: 'body' }))
      const answers = Object.entries(responses).map(([name, response]) => {
        const { description = '', ...rest } = resolved(document, response)
        const schema = contentOf(rest)?.schema
        return { name, description, typeText: schema ? typeOf(schema) : '' }
      })
      // A parameter of an operation replaces that of its path.
      const named = [...shared, ...parameters]
        .map(inputOf)
        .map((each) => [`${each.in} ${each.name}`, each] as const)
      const sent = [...new Map(named).values()].filter((input) => !isDescribedElsewhere(input))
      const inputs = [...sent, ...fields]
      const examples = Object.values(body?.examples ?? {})
      const hasBody = requestBody !== undefined
      return [{ ...each, method: method.toUpperCase(), path, inputs, hasBody, examples, answers }]
    }),
  )
}

/** The effective document of the Animal Store. */
export const served = signal<ServedDocument>({})
/** The operations that a request can call, in the order of the document. */
export const operations = computed(() => operationsIn(served.value, false))

const fieldsOfSchema = (name: string): ReadonlySignal<Field[]> =>
  computed(() => fieldsOf(served.value, { $ref: `#/components/schemas/${name}` }, false))

/** The fields of a pet, and of a new one. */
export const petFields = fieldsOfSchema('Pet')
export const newPetFields = fieldsOfSchema('NewPet')

/** The operations of the control API. */
const control = signal<readonly ServedOperation[]>([])

export async function readControl(): Promise<void> {
  control.value = operationsIn((await answerOf(api.GET('/openapi.json', inWorld()))) as ServedDocument, true)
}

const controlNow = (id: string): ServedOperation | undefined =>
  control.value.find(({ operationId }) => operationId === id)

/** An operation of the control API. */
export async function controlOperation(id: string): Promise<ServedOperation> {
  if (!controlNow(id)) await readControl()
  return controlNow(id) as ServedOperation
}

/** The inputs of a control operation without the namespace; empty until its document was read. */
export const controlInputs = (id: string): readonly Field[] =>
  controlNow(id)?.inputs.filter((each) => each.in !== 'query') ?? []

export const controlExamples = (id: string): readonly Part[] => controlNow(id)?.examples ?? []
