import { checkDeclared, type Preference } from '../api/force.ts'
import { firstValid, loadGenerator } from '../contract/generate/generator.ts'
import { withSamplePattern } from '../contract/generate/sample-pattern.ts'
import { mapSchemas, type OpenApiDocument, type SchemaObject } from '../contract/openapi/document.ts'
import { ApiError } from '../world/api-error.ts'
import {
  declaredCodes,
  declaredContent,
  declaredResponse,
  openPrism,
  operationNamed,
  type Prism,
  type PrismOperation,
  type PrismResponse,
} from './prism.ts'
import { violationsOf } from './violations.ts'

export interface MockedResponse {
  readonly status: number
  /** Header fields that the contract requires or has examples of, and the Content-Type of the body. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if no body is declared. */
  readonly body: unknown
}

/** Makes responses of operations from the contract only. */
export type Mocker = Awaited<ReturnType<typeof createMocker>>

/** A mocker for an OpenAPI 3.1 document. Its responses do not depend on the request, which was validated before. */
export async function createMocker(document: OpenApiDocument) {
  const prism = await openPrism(document, (schema) => schema)
  const generatorOf = await loadGenerator()
  return {
    /**
     * `seed` determines the generated values. Throws an ApiError for an operation, a status or an example that is not
     * declared; it lists the declared ones.
     */
    mock(
      operationId: string,
      { code, example, dynamic = false, seed = 0 }: Preference & { readonly seed?: number } = {},
    ): MockedResponse {
      const answer = withSingleResponse(prism, operationId, code, example)
      const mocked = run(prism, answer, example)
      const [content] = answer.responses[0]?.contents ?? []
      const isExample = content?.examples?.length && !(dynamic && example === undefined)
      if (isExample || !content?.schema || (!dynamic && isValid(prism, answer, mocked))) return mocked
      const { __bundled__: $defs } = answer as { __bundled__?: object }
      const schema = mapSchemas({ ...(content.schema as SchemaObject), $defs }, forGenerator)
      const make = (attempt: number, probability: number) => ({
        ...mocked,
        body: generatorOf(seed + attempt)(schema, seed + attempt, probability),
      })
      return firstValid(make, (each) => isValid(prism, answer, each))
    },
  }
}

/** Converts a schema of Prism for the generator, which may treat an unknown keyword as a member. */
function forGenerator({ 'x-stoplight': _, ...schema }: SchemaObject): SchemaObject {
  const { $ref } = schema
  if (typeof $ref !== 'string') return withSamplePattern(plausible(schema))
  return { ...schema, $ref: $ref.replace('#/__bundled__/', '#/$defs/') }
}

function run({ components }: Prism, resource: PrismOperation, exampleKey?: string): MockedResponse {
  const input = { data: { method: 'get' as const, url: { path: resource.path } }, validations: [] }
  // New for each call: Prism keeps the Accept of the first request in it.
  const config = { dynamic: false, ...(exampleKey !== undefined && { exampleKey }) }
  const result = components.mock({ resource, input, config })(components.logger)
  if (result._tag === 'Left') {
    const why = result.left.message.replace(/\.$/, '')
    throw new ApiError('invalid_request', `${resource.iid} cannot be mocked: ${why}.`)
  }
  const { statusCode, headers: { 'Content-type': contentType, ...headers } = {}, body } = result.right
  const fields = Object.entries(headers).filter(([, value]) => value !== null)
  if (body !== undefined && contentType) fields.push(['Content-Type', contentType])
  const texts = fields.map(([name, value]) => [name, String(value)])
  return { status: statusCode, headers: Object.fromEntries(texts), body }
}

/** A value that Prism generates from a schema can violate a pattern or lack a required member. */
function isValid({ components }: Prism, resource: PrismOperation, mocked: MockedResponse): boolean {
  const { status, headers, body } = mocked
  // Prism would compile the schemas of header fields again for each response, and throw for a list.
  const responses = resource.responses.map((response) => ({ ...response, headers: [] }))
  const element = { statusCode: status, headers, body }
  const verdict = components.validateOutput({ resource: { ...resource, responses }, element })
  return !violationsOf(verdict).some(({ where }) => where === 'body')
}

/**
 * A copy of an operation that declares the requested response only, so that Prism does not fall back to another.
 * It omits the deprecation (Prism would add the obsolete `Deprecation: true`), callbacks (Prism would call them), and
 * optional header fields (Prism would invent values). Throws an ApiError that lists the declared ones.
 */
function withSingleResponse(prism: Prism, id: string, code?: number, example?: string): PrismOperation {
  const { callbacks: _, deprecated: __, ...operation } = operationNamed(prism, id)
  const [status, response] = chooseResponse(operation, code)
  const content = declaredContent(response.contents ?? [], 'application/json') ?? response.contents?.[0]
  const examples = content?.examples?.map(({ key }) => key) ?? []
  if (example !== undefined && !examples.includes(example)) {
    const known = examples.length > 0 ? `it has: ${examples.join(', ')}` : 'it has none'
    throw new ApiError('invalid_request', `${id} ${status} has no example ${example || '""'}; ${known}.`)
  }
  const headers = response.headers?.filter((header) => header.required || header.examples?.length)
  const contents = content ? [content] : []
  return { ...operation, responses: [{ ...response, code: String(status), headers, contents }] }
}

/** The response for a status; by default the lowest success. */
function chooseResponse(operation: PrismOperation, code: number | undefined): [number, PrismResponse] {
  const successes = operation.responses.map((response) => response.code).filter((each) => /^2/.test(each))
  const [lowest = '200'] = successes.sort()
  const status = code ?? Number(lowest.replaceAll(/X/gi, '0'))
  checkDeclared({ id: operation.iid ?? '', statuses: declaredCodes(operation) }, status)
  return [status, declaredResponse(operation, status) as PrismResponse]
}

const SPAN = 1_000_000

/** A schema from which plausible numbers are generated: integers from 1 to a million if it has no bounds. */
export function plausible(schema: SchemaObject): SchemaObject {
  const isBounded = schema.minimum !== undefined || schema.maximum !== undefined
  const isNumber = [schema.type].flat().some((each) => each === 'integer' || (each === 'number' && isBounded))
  return isNumber ? { ...schema, ...bounds(schema) } : schema
}

const BOUNDED = ['enum', 'const', 'exclusiveMinimum', 'exclusiveMaximum']

function bounds(schema: SchemaObject): { minimum: number; maximum: number } | undefined {
  if (BOUNDED.some((keyword) => keyword in schema)) return undefined
  const { minimum, maximum } = schema
  const lowest = minimum ?? (maximum === undefined || maximum >= 1 ? 1 : maximum - SPAN)
  return { minimum: lowest, maximum: Math.min(maximum ?? Infinity, lowest + SPAN) }
}
