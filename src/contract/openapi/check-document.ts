import { newAjv } from './compile-validators.ts'
import { InvalidDocument, inlined, METHODS, MOST_INLINED, type OpenApiDocument } from './document.ts'
import { isObject } from './json.ts'
import { type Validator, violations } from './validators.ts'

const TEXT = { type: 'string' }
const YES_OR_NO = { type: 'boolean' }
const SCHEMA = { type: 'object', $ref: 'https://json-schema.org/draft/2020-12/schema' }
const object = (properties: object, ...required: string[]) => ({ type: 'object', required, properties })
const listOf = (items: object) => ({ type: 'array', items })
const mapOf = (additionalProperties: object) => ({ type: 'object', additionalProperties })

const PARAMETER = object({ name: TEXT, in: TEXT, required: YES_OR_NO, schema: SCHEMA }, 'name', 'in')
const BODY = object({ content: mapOf(object({ schema: SCHEMA })), required: YES_OR_NO }, 'content')
const OPERATION = object(
  {
    operationId: TEXT,
    deprecated: YES_OR_NO,
    tags: listOf(TEXT),
    parameters: listOf(PARAMETER),
    requestBody: BODY,
    responses: mapOf(object({})),
  },
  'operationId',
  'responses',
)
const OPERATIONS = Object.fromEntries(METHODS.map((method) => [method, OPERATION]))

/** The parts of a document that the sandbox reads, as JSON Schema. */
const DOCUMENT = object(
  {
    info: object({}),
    servers: listOf(object({ url: TEXT }, 'url')),
    paths: mapOf(object({ parameters: listOf(PARAMETER), ...OPERATIONS })),
    components: {
      ...object({ schemas: object({ Pet: SCHEMA, NewPet: SCHEMA }, 'Pet', 'NewPet') }, 'schemas'),
      additionalProperties: mapOf(object({})),
    },
  },
  'info',
  'paths',
  'components',
)

let validate: Validator | undefined

/** Throws an InvalidDocument where a part that the sandbox reads has not the form that OpenAPI gives it. */
export function checkDocument(document: OpenApiDocument): void {
  const budget = { left: MOST_INLINED }
  const read = (members: Members): Members => inlined(document, members, budget)
  const schemas: unknown = document.components?.schemas
  const shape = {
    ...document,
    paths: mapped(document.paths, ({ parameters, ...operations }) => ({
      ...read({ parameters }),
      ...(mapped(operations, ({ responses, ...each }) => ({ ...read(each), responses })) as Members),
    })),
    components: {
      ...document.components,
      schemas: isObject(schemas)
        ? { ...schemas, ...read({ Pet: schemas.Pet, NewPet: schemas.NewPet }) }
        : schemas,
    },
  }
  validate ??= newAjv().compile(DOCUMENT) as Validator
  const [text] = violations(validate, shape)
  if (text !== undefined) throw new InvalidDocument(text)
}

type Members = Record<string, unknown>

/** A copy of an object with its inner objects replaced; what is no object stays. */
const mapped = (value: unknown, replace: (members: Members) => Members): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, isObject(each) ? replace(each) : each]),
      )
    : value
