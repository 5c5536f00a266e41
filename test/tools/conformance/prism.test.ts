import { createInstance, getHttpOperationsFromSpec, type PrismHttpComponents } from '@stoplight/prism-http'
import { beforeAll, expect, it } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import type { ClientOptions } from '../../../src/tools/conformance/client.ts'
import type { ConformanceReport } from '../../../src/views/conformance.ts'
import { check, EVERYTHING, idsOf, resultOf } from './check.ts'

const quiet = () => {}
const logger = {
  ...Object.fromEntries(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'success'].map((name) => [name, quiet]),
  ),
  child: () => logger,
} as unknown as PrismHttpComponents['logger']

/** The unmodified Prism with the contract: it answers with the examples, and has no state. */
async function prism(): Promise<NonNullable<ClientOptions['fetch']>> {
  const { document } = animalStoreContract()
  const operations = await getHttpOperationsFromSpec(structuredClone(document))
  const config = {
    isProxy: false,
    checkSecurity: true,
    validateRequest: true,
    validateResponse: true,
  } as const
  const mock = { dynamic: false }
  const instance = createInstance({ ...config, errors: false, upstreamProxy: undefined, mock }, { logger })
  return async (input, init = {}) => {
    const { pathname, searchParams } = new URL(input)
    const request = {
      method: String(init.method).toLowerCase() as 'get',
      url: { path: pathname.replace('/v1', ''), query: Object.fromEntries(searchParams) },
      headers: Object.fromEntries(new Headers(init.headers)),
      body: parsed(init.body),
    }
    const result = await instance.request(request, operations)()
    if (result._tag === 'Left') throw result.left
    const { statusCode, headers, body } = result.right.output
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return new Response(text, { status: statusCode, headers: headers as Record<string, string> })
  }
}

function parsed(body: RequestInit['body']): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return undefined
  }
}

let report: ConformanceReport
beforeAll(async () => {
  report = await check({ baseUrl: 'http://prism.test/v1', ...EVERYTHING, fetch: await prism() })
})

it('passes the checks that the document determines', () => {
  const passed = idsOf(report, 'passed')
  for (const id of ['list-array', 'get-known', 'missing-key-listPets', 'bad-body-no-name', 'error-shape']) {
    expect(passed).toContain(id)
  }
  for (const id of ['pet-schema', 'media-type', 'limit-headers', 'limit-headers-errors']) {
    expect(passed).toContain(id)
  }
})

it('fails the checks that need state, keys or a clock', () => {
  const failed = idsOf(report, 'failed')
  for (const id of [
    'limit-1',
    'status-sold',
    'get-unknown',
    'invalid-key-getPet',
    'create',
    'create-readable',
  ]) {
    expect(failed).toContain(id)
  }
  for (const id of ['limit-counting', 'exhaust-limit', 'deprecation-header']) expect(failed).toContain(id)
  expect(resultOf(report, 'deprecation-header').failures[0]?.received).toMatch(/^Deprecation: .*true$/)
})
