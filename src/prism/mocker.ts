import type { Faker } from '@faker-js/faker'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { chance } from '../time/chance.ts'
import { ApiError } from '../world/api-error.ts'
import { plausible } from './plausible-schema.ts'
import { openPrism, type Prism, type PrismOperation } from './prism.ts'
import { withSingleResponse } from './single-response.ts'
import { violationsOf } from './violations.ts'

export interface MockOptions {
  /** The status of the response; the lowest declared success status by default. */
  readonly code?: number
  /** The name of a declared example. */
  readonly example?: string
  /** Generated from the schema, unless an example is named. */
  readonly dynamic?: boolean
  /** Determines the generated values; without it, they differ from call to call. */
  readonly seed?: number
}

export interface MockedResponse {
  readonly status: number
  /** Header fields that the contract requires or has examples of, and the Content-Type of the body. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if no body is declared. */
  readonly body: unknown
}

/** Makes responses of operations from the contract only. */
export interface Mocker {
  /** Throws an ApiError for an operation, a status or an example that is not declared; it lists the declared ones. */
  mock(operationId: string, options?: MockOptions): MockedResponse
}

/** A mocker for an OpenAPI 3.1 document. Its responses do not depend on the request, which was validated before. */
export async function createMocker(document: OpenApiDocument): Promise<Mocker> {
  const declared = await openPrism(document, (schema) => schema)
  const generating = await openPrism(document, plausible)
  const { faker } = await import('@faker-js/faker')
  return {
    mock(operationId, { code, example, dynamic = false, seed = Math.random() * 2 ** 32 } = {}) {
      const answer = withSingleResponse(declared, operationId, code, example)
      const generate = () => {
        const generated = withSingleResponse(generating, operationId, code)
        return withSeed(seed, faker, () => run(generating, generated, { dynamic: true, seed: String(seed) }))
      }
      if (dynamic && example === undefined) return generate()
      const mocked = run(declared, answer, {
        dynamic: false,
        ...(example !== undefined && { exampleKey: example }),
      })
      const isExample = answer.responses[0]?.contents?.[0]?.examples?.length
      return isExample || isValid(declared, answer, mocked) ? mocked : generate()
    },
  }
}

type MockConfig = NonNullable<Parameters<Prism['components']['mock']>[0]['config']>

/** `config` must be new for each call: Prism keeps the Accept of the first request in it. */
function run({ components }: Prism, resource: PrismOperation, config: MockConfig): MockedResponse {
  const input = { data: { method: 'get' as const, url: { path: resource.path } }, validations: [] }
  const result = components.mock({ resource, input, config })(components.logger)
  if (result._tag === 'Left') {
    throw new ApiError('invalid_request', `${resource.iid} cannot be mocked: ${result.left.message}.`)
  }
  const { statusCode, headers: { 'Content-type': contentType, ...headers } = {}, body } = result.right
  const fields = Object.entries(headers).filter(([, value]) => value !== null)
  if (body !== undefined && contentType) fields.push(['Content-Type', contentType])
  return {
    status: statusCode,
    headers: Object.fromEntries(fields.map(([name, value]) => [name, String(value)])),
    body,
  }
}

/** A value that Prism generates from a schema can violate a pattern or lack a required member. */
function isValid(
  { components }: Prism,
  resource: PrismOperation,
  { status, headers, body }: MockedResponse,
): boolean {
  const verdict = components.validateOutput({ resource, element: { statusCode: status, headers, body } })
  return !violationsOf(verdict).some(({ where }) => where === 'body')
}

const REFERENCE_DATE = '2026-01-01T00:00:00.000Z'

/**
 * Runs `make` so that its random values depend on `seed` only. Prism's own seed does not cover all of them:
 * json-schema-faker draws from Math.random in places, and faker from its own random stream and date.
 */
function withSeed<T>(seed: number, faker: Faker, make: () => T): T {
  const { random } = Math
  Math.random = chance(seed, 'mock')
  faker.seed(seed)
  faker.setDefaultRefDate(REFERENCE_DATE)
  try {
    return make()
  } finally {
    Math.random = random
    faker.seed()
    faker.setDefaultRefDate()
  }
}
