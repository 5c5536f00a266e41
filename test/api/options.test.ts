import { expect, it } from 'vitest'
import { options } from '../../src/api/options.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { fieldValue } from '../../src/world/traffic/message.ts'
import { policyWith } from '../world/policy.ts'
import { callOf } from './call.ts'

const PREFLIGHT = ['Origin', 'https://a.example', 'Access-Control-Request-Method', 'POST']

function answered(target: string, headers: string[] = [], decisions = {}) {
  const policy = policyWith(decisions)
  return options(callOf({ method: 'OPTIONS', target, headers }), policy)
}
const field = (answer: ReturnType<typeof options>, name: string) => fieldValue(answer?.headers ?? [], name)

it.each([
  ['/v1/pets', 'GET, HEAD, POST, OPTIONS'],
  ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
  ['/v1/nowhere', undefined],
  ['*', undefined],
])('OPTIONS %s allows %s', (target, allow) => {
  const answer = answered(target)
  expect(answer?.status).toBe(204)
  expect(field(answer, 'allow')).toBe(allow)
})

it('allows no operation that is removed, and no path that the sandbox does not offer', () => {
  expect(
    field(
      answered('/v1/pets/1', [], { 'get.removedOn': '2026-01-01', 'get.deprecatedSince': '2026-01-01' }),
      'allow',
    ),
  ).toBeUndefined()
  expect(field(answered('/v1/store/orders', [], { orders: '404' }), 'allow')).toBeUndefined()
  expect(field(answered('/v1/store/orders'), 'allow')).toBeDefined()
})

it('is answered for OPTIONS only, and outside the base path for a preflight only', () => {
  expect(options(callOf({ method: 'GET' }), policyWith())).toBeUndefined()
  expect(answered('/health')).toBeUndefined()
  expect(answered('/health', PREFLIGHT)?.status).toBe(204)
  for (const half of [PREFLIGHT.slice(0, 2), PREFLIGHT.slice(2)]) {
    expect(answered('/health', half)).toBeUndefined()
    expect(field(answered('/v1/pets', half), 'access-control-allow-methods')).toBeUndefined()
  }
})

it('a document offers the methods of a document, also to a preflight', async () => {
  await using sandbox = await createSandbox({ listen: false })
  for (const path of ['/openapi.json', '/llms.txt']) {
    const plain = await sandbox.fetch(path, { method: 'OPTIONS' })
    expect([plain.status, plain.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
    const preflight = await sandbox.fetch(path, { method: 'OPTIONS', headers })
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
  }
})

it('a preflight allows the requested header fields in their usual spelling, and ignores invalid names', () => {
  const requested = 'authorization, X-Trace,,content-TYPE , x y, é, prefer\u0000'
  const answer = answered('/v1/nowhere', [...PREFLIGHT, 'Access-Control-Request-Headers', requested])
  expect(field(answer, 'access-control-allow-headers')).toBe('Authorization, Content-Type, X-Trace')
  expect(field(answer, 'access-control-allow-methods')).toBe('GET, HEAD, POST, OPTIONS')
})

it('a preflight allows the header fields of every line in which they are requested', () => {
  const [one, two] = ['x-a, x-b', 'x-c'].map((value) => ['Access-Control-Request-Headers', value])
  const answer = answered('/v1/pets', [...PREFLIGHT, ...(one ?? []), ...(two ?? [])])
  expect(field(answer, 'access-control-allow-headers')).toBe('Authorization, Content-Type, x-a, x-b, x-c')
})
