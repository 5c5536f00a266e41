import { METHODS } from '../src/contract/openapi/document.ts'

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

/** The JSON Schema of the parts of a document that the sandbox reads. */
export const DOCUMENT = object(
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
