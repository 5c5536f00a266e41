import { createInstance, getHttpOperationsFromSpec, type PrismHttpComponents } from '@stoplight/prism-http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { declaredFor } from '../contract/openapi/contract.ts'
import type { OpenApiDocument, SchemaObject } from '../contract/openapi/document.ts'
import { AJV_OPTIONS } from '../contract/openapi/request-schemas.ts'
import { readableErrors } from '../contract/openapi/validators.ts'
import { ApiError } from '../world/api-error.ts'
import { essence } from '../world/traffic/message.ts'

/** An operation as Prism reads it from a document. */
export type PrismOperation = Parameters<PrismHttpComponents['validateOutput']>[0]['resource']
export type PrismResponse = PrismOperation['responses'][number]
export type PrismContent = NonNullable<PrismResponse['contents']>[number]

export interface Prism {
  /** Prism's own components: each validates or mocks one operation, without state between calls. */
  readonly components: PrismHttpComponents
  readonly operations: ReadonlyMap<string, PrismOperation>
}

/**
 * Prism takes no options for its instances of Ajv, which only it creates with `allowMatchingProperties`; so they get these
 * of the sandbox when they compile a schema. A value that fits no alternative of a union is one error; Prism would report
 * an error for each alternative.
 */
const { compile } = Ajv2020.prototype
Ajv2020.prototype.compile = function (this: Ajv2020, ...given: Parameters<typeof compile>) {
  if (!this.opts.allowMatchingProperties) return compile.apply(this, given)
  const { multipleOfPrecision, verbose } = AJV_OPTIONS
  Object.assign(this.opts, { multipleOfPrecision, verbose })
  const validate = compile.apply(this, given)
  const explained = (value: unknown): boolean => {
    const isValid = validate(value) as boolean
    Object.assign(explained, { errors: validate.errors && readableErrors(validate.errors) })
    return isValid
  }
  return Object.assign(explained, validate) as typeof validate
} as typeof compile

/** Converts a schema for Prism. */
type Tune = (schema: SchemaObject) => SchemaObject

/**
 * Parses a copy of `document`.
 * Throws for a reference to another document: Prism would read the file or request the address.
 */
export async function openPrism(document: OpenApiDocument, tune: Tune): Promise<Prism> {
  const components = { logger: SILENT }
  createInstance(CONFIG, components) // adds the missing components
  const tuned = tunedCopy({ ...document, jsonSchemaDialect: DIALECT }, tune)
  const operations = await getHttpOperationsFromSpec(tuned as object)
  return {
    components: components as PrismHttpComponents,
    operations: new Map(operations.map((operation) => [operation.iid ?? operation.id, operation])),
  }
}

/** The operation with that id; throws an ApiError that lists the known ids. */
export function operationNamed({ operations }: Prism, id: string): PrismOperation {
  const operation = operations.get(id)
  if (operation) return operation
  const known = [...operations.keys()].join(', ')
  throw new ApiError('invalid_request', `There is no operation ${id}; use one of: ${known}.`)
}

/** The response that an operation declares for a status. */
export function declaredResponse(operation: PrismOperation, status: number): PrismResponse | undefined {
  const declared = declaredFor(status, declaredCodes(operation))
  return operation.responses.find(({ code }) => code === declared)
}

export const declaredCodes = ({ responses }: PrismOperation): string[] => responses.map(({ code }) => code)

/**
 * The content declared for a media type, the most specific match first. Prism would match `application/problem+json`
 * with `application/json`.
 */
export function declaredContent(
  contents: readonly PrismContent[],
  mediaType: string,
): PrismContent | undefined {
  const of = (range: string) => contents.find((candidate) => essence(candidate.mediaType) === range)
  return of(mediaType) ?? of(`${mediaType.split('/')[0]}/*`) ?? of('*/*')
}

// With a named dialect, Prism keeps the schemas of OpenAPI 3.1. Otherwise it rewrites them for draft 7 and narrows
// int64 to safe integers.
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const CONFIG: Parameters<typeof createInstance>[0] = {
  isProxy: false,
  checkSecurity: false,
  validateRequest: false,
  validateResponse: false,
  errors: false,
  upstreamProxy: undefined,
  mock: { dynamic: false },
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'success']
const SILENT = {
  ...Object.fromEntries(LEVELS.map((level) => [level, () => {}])),
  child: () => SILENT,
} as unknown as PrismHttpComponents['logger']

/** A copy with converted schemas; examples are data and stay unchanged. */
function tunedCopy(value: unknown, tune: Tune | undefined): unknown {
  if (typeof value === 'bigint' && tune) return Number(value) // a bound of a schema
  if (Array.isArray(value)) return value.map((item) => tunedCopy(item, tune))
  if (typeof value !== 'object' || value === null) return value
  refuseOutside(value)
  const entries = Object.entries(value).map(([name, member]) => {
    const isData = name === 'example' || name === 'examples'
    return [name, tunedCopy(member, isData ? undefined : tune)]
  })
  const copy = Object.fromEntries(entries)
  return tune ? tune(copy) : copy
}

function refuseOutside({ $ref }: { $ref?: unknown }): void {
  if (typeof $ref !== 'string' || $ref.startsWith('#')) return
  const message = `The document refers to ${$ref}; use references within the document only.`
  throw new ApiError('invalid_request', message)
}
