import { chance } from '../../src/domain/world/chance.ts'

/** A request of either API, as `fetch` takes it. */
export interface Sent {
  readonly path: string
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string }
}

const KEYS = [
  ...['psk_pro', 'psk_free', 'psk_enterprise', 'psk_limited', 'psk_banned', 'psk_flaky', 'psk_unstable'],
  ...['psk_empty', 'psk_removed', 'psk_slow', 'psk_revoked', 'nope', 'psk_pro_issued_in_this_test'],
]
const SPACES = ['', '', '.w1', '.w2', '.w3']
const DURATIONS = ['1s', '61s', '1h', '1d', '5ms']

/** Random requests of both APIs: the same seed gives the same ones. */
export function randomRequests(seed: number, count: number): Sent[] {
  const draw = chance(seed, 'requests')
  const int = (below: number) => Math.floor(draw() * below)
  const pick = <T>(items: readonly T[]): T => items[int(items.length)] as T
  const api = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Sent => {
    const authorization = `Bearer ${pick(KEYS)}${pick(SPACES)}`
    const all = {
      host: 'localhost:4010',
      authorization,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
    return {
      path: `/v1${path}`,
      init: { method, headers: all, ...(json !== undefined && { body: JSON.stringify(json) }) },
    }
  }
  const control = (method: string, path: string, json?: unknown): Sent => {
    const space = pick(SPACES).slice(1) || 'default'
    const target = `/_sandbox${path}${path.includes('?') ? '&' : '?'}namespace=${space}`
    return {
      path: target,
      init: {
        method,
        headers: { host: 'localhost:4010' },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      },
    }
  }
  const pet = () => ({
    name: pick(['Kit', 'Rex', 'Ünal', '']),
    categoryId: int(4),
    status: pick(['available', 'sold', 'nope']),
  })
  const prefer = () => ({
    prefer: pick(['code=200', 'dynamic=true', 'code=503', 'example=none', 'code=404']),
  })
  const fault = () => ({
    ...(int(2) && { match: { operationId: pick(['listPets', 'createPet']) } }),
    effect: pick<object>([
      { status: 503 },
      { latency: '5ms-900ms' },
      { latency: '1s' },
      { wire: 'reset' },
      { wire: 'truncate' },
      { status: 429, retryAfter: 7 },
    ]),
    ...(int(2) && { probability: 0.5 }),
    ...(int(2) && { times: 1 + int(3) }),
    when: pick(['before', 'after']),
  })
  const makers: readonly (readonly [weight: number, make: () => Sent])[] = [
    [
      20,
      () =>
        api(
          'GET',
          pick([
            '/pets',
            '/pets?status=sold&limit=3',
            '/pets?limit=0',
            '/pets/3',
            '/pets/99',
            '/nope',
            '/store/orders',
          ]),
        ),
    ],
    [20, () => api('POST', '/pets', pet(), int(5) ? {} : { 'idempotency-key': pick(['a', 'b']) })],
    [3, () => api('GET', '/pets', undefined, prefer())],
    [2, () => api(pick(['OPTIONS', 'HEAD', 'DELETE']), '/pets')],
    [
      3,
      () =>
        control(
          'POST',
          '/clock',
          pick<object>([
            { advance: pick(DURATIONS) },
            { set: '2026-03-01T00:00:00Z' },
            { set: '2031-01-01T00:00:00Z' },
            { frozen: true },
            { frozen: false },
          ]),
        ),
    ],
    [1, () => control('DELETE', '/clock')],
    [3, () => control('POST', '/faults', fault())],
    [1, () => control('DELETE', '/faults')],
    [
      2,
      () =>
        control(
          'POST',
          '/seed',
          pick<object>([
            { count: int(30) },
            { fixture: 'busy' },
            { pets: [pet(), { name: 'Neu', categoryId: 1 }], mode: 'append' },
            { count: 3, mode: 'append' },
            { pets: [{ name: 'A', categoryId: 1 }], keys: [{ key: 'short', plan: 'pro' }] },
          ]),
        ),
    ],
    [
      2,
      () =>
        control(
          'POST',
          '/reset',
          pick<object>([
            {},
            { only: ['limits'] },
            { only: ['bans', 'faults'] },
            { only: ['pets', 'keys'] },
            { only: ['requests'] },
          ]),
        ),
    ],
    [
      2,
      () =>
        control(
          'POST',
          '/keys',
          pick<object>([
            { plan: 'pro' },
            { plan: 'free', key: 'psk_pro_issued_in_this_test' },
            { plan: 'pro', expiresAt: '2026-11-22T00:00:00Z' },
          ]),
        ),
    ],
    [1, () => control('DELETE', `/keys/${pick(KEYS)}`)],
    [2, () => control(pick(['PUT', 'DELETE']), `/keys/${pick(KEYS)}/ban`)],
    [2, () => control(pick(['GET', 'DELETE']), `/keys/${pick(KEYS)}/limits`)],
    [2, () => control('PUT', `/snapshots/${pick(['a', 'b'])}`)],
    [1, () => control('POST', `/snapshots/${pick(['a', 'b', 'c'])}/restore`)],
    [1, () => control('DELETE', `/snapshots/${pick(['a', 'b'])}`)],
    [
      1,
      () => ({
        ...control('DELETE', ''),
        path: `/_sandbox/namespaces/${pick(['w1', 'w2', 'w3', 'default'])}`,
      }),
    ],
    [
      3,
      () =>
        control(
          'GET',
          pick(['/requests?limit=5', '/report', '/export', '/keys', '/faults', '/clock', '/namespaces']),
        ),
    ],
    [1, () => control('DELETE', '/requests')],
    [1, () => control('POST', `/requests/req_00000${1 + int(9)}/resend`)],
  ]
  const weights = makers.reduce((sum, [weight]) => sum + weight, 0)
  return Array.from({ length: count }, () => {
    let left = draw() * weights
    for (const [weight, make] of makers) {
      left -= weight
      if (left < 0) return make()
    }
    return api('GET', '/pets')
  })
}
