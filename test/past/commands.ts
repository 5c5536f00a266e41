import { chance } from '../../src/time/chance.ts'
import { BUILT_IN_KEYS } from '../../src/world/keys/built-in-keys.ts'

/** A request of one of the two APIs. */
export interface Sent {
  readonly path: string
  readonly init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
}

/** An overlay with operations that change, replace and delete pets, and a field. */
export const OVERLAY = JSON.stringify({
  overlay: '1.0.0',
  info: { title: 'Changes', version: '1.0.0' },
  actions: [
    {
      target: "$.paths['/pets/{petId}']",
      update: Object.fromEntries(
        [
          ['patch', 'updatePet', 'update', 200],
          ['put', 'replacePet', 'replace', 200],
          ['delete', 'deletePet', 'delete', 204],
        ].map(([method, operationId, does, status]) => [
          method,
          { operationId, 'x-sandbox': does, responses: { [status as number]: { description: 'Done.' } } },
        ]),
      ),
    },
    {
      target: "$.components.schemas['Pet','NewPet'].properties",
      update: { tags: { type: 'array', items: { type: 'string' } } },
    },
  ],
})

/** An issued key of the fixture, which no recording may contain. */
export const SECRET_KEY = 'psk_pro_issued_in_this_test'
const KEYS = [...Object.keys(BUILT_IN_KEYS), 'psk_pro', 'psk_enterprise', 'psk_pro', 'nope', SECRET_KEY]
export const SPACES = ['default', 'w1', 'w2', 'w3', 'copy']
const OPERATIONS = ['listPets', 'createPet', 'getPet', 'updatePet', 'deletePet']
const HEADERS = { host: 'localhost:4010' }

/** Random requests of both APIs, the same ones for a seed. */
export function randomRequests(seed: number, count: number): Sent[] {
  const draw = chance(seed, 'requests')
  const int = (below: number) => Math.floor(draw() * below)
  const pick = <T>(items: readonly T[]): T => items[int(items.length)] as T
  const some = <T extends object>(value: T): T | Record<string, never> => (int(2) ? value : {})
  const space = () => (int(3) ? 'default' : pick(SPACES))
  const petId = () => (int(8) ? 1 + int(20) : pick(['0', '99999', '9223372036854775807', 'x', '%zz']))
  const request = () => `req_${String(1 + int(40)).padStart(6, '0')}`
  const point = () => (int(3) ? request() : `ctl_${String(1 + int(10)).padStart(6, '0')}`)
  const side = () => some({ side: pick(['before', 'after']) })

  const api = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Sent => {
    const name = space()
    const authorization = `Bearer ${pick(KEYS)}${name === 'default' ? '' : `.${name}`}`
    const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' }
    const body = json === undefined ? {} : { body: typeof json === 'string' ? json : JSON.stringify(json) }
    return {
      path: `/v1${path}`,
      init: { method, headers: { ...HEADERS, authorization, ...type, ...headers }, ...body },
    }
  }
  const control = (method: string, path: string, json?: unknown): Sent => ({
    path: `/_sandbox${path}${path.includes('?') ? '&' : '?'}namespace=${space()}`,
    init: { method, headers: HEADERS, ...(json !== undefined && { body: JSON.stringify(json) }) },
  })
  const pet = () => ({
    name: pick(['Kit', 'Rex', 'Ünal', '']),
    categoryId: int(4) ? int(4) : 'x',
    ...some({ status: pick(['available', 'pending', 'sold', 'nope']) }),
    ...some({ tags: pick<unknown>([['a'], [], 'x']) }),
  })
  const match = () => ({
    ...some({ operationId: pick(OPERATIONS) }),
    ...some({ method: pick(['GET', 'POST', 'PATCH']) }),
    ...some({ key: pick(KEYS) }),
    ...(int(8) === 0 && { parameters: pick(['status=sold', 'limit=3&status=sold', 'color=red']) }),
    ...(int(8) === 0 && {
      body: pick<unknown>([{ categoryId: 1 }, { name: 'Kit', status: 'sold' }, [], 'x']),
    }),
  })
  const effect = () =>
    pick<object>([
      { status: 503 },
      { status: 429, retryAfter: 7 },
      { status: 418, code: 'teapot', message: 'No.' },
      { latency: '5ms-900ms' },
      { latency: '1s' },
      { status: 504, latency: '5ms-900ms' },
      { wire: pick(['reset', 'truncate']), latency: '1s' },
      { wire: pick(['reset', 'empty', 'truncate', 'garbage', 'hang']) },
      { hold: { until: 'released', timeout: pick(['20ms', '5s']) } },
      { hold: { until: { operationId: pick(OPERATIONS) }, timeout: pick(['20ms', '5s']) } },
    ])
  const fault = () => ({
    ...some({ match: match() }),
    effect: effect(),
    ...some({ probability: 0.5 }),
    ...some({ times: 1 + int(3) }),
    ...some({ for: pick(['500ms', '30s', '1d']) }),
    when: pick(['before', 'after']),
  })
  const view = () => `?at=${point()}${int(2) ? `&side=${pick(['before', 'after'])}` : ''}`
  const state = () =>
    pick([...['now', 'start', 'snapshot:a', 'namespace:w1'], `at:${point()}`, `at:${point()}:before`])
  const seeded = () =>
    pick<object>([
      { count: int(30) },
      { count: int(30), seed: int(9), status: { available: 60, pending: 30, sold: 10 } },
      { fixture: pick(['busy', 'sold-out', 'empty', 'default', 'edge-cases', 'nope']) },
      { pets: [pet(), { name: 'Neu', categoryId: 1 }], mode: 'append' },
      { pets: [{ id: 1 + int(30), name: 'Neu', categoryId: 1 }], mode: pick(['append', 'replace']) },
      { count: 3, mode: 'append' },
      { pets: [{ name: 'A', categoryId: 1 }], keys: [{ key: 'short', plan: 'pro' }] },
    ])
  const PARTS = ['pets', 'limits', 'bans', 'clock', 'faults', 'requests', 'keys']

  const makers: readonly (readonly [weight: number, make: () => Sent])[] = [
    [20, () => api('GET', pick(['/pets', '/pets?status=sold&limit=3', '/pets?limit=0', '/pets?color=red']))],
    [10, () => api('GET', `/pets/${petId()}`)],
    [20, () => api('POST', '/pets', pet(), int(5) ? {} : { 'idempotency-key': pick(['a', 'b']) })],
    [4, () => api('PATCH', `/pets/${petId()}`, pick<object>([pet(), { status: null }, { name: 'New' }]))],
    [4, () => api('PUT', `/pets/${petId()}`, pet())],
    [4, () => api('DELETE', `/pets/${petId()}`)],
    [2, () => api(pick(['POST', 'PATCH']), '/pets', pick(['{', '[]', '', '"x"', '{"name":1}']))],
    [2, () => api('GET', pick(['/nope', '/store/orders', '/pets/', '/pets/1/toys']))],
    [3, () => api(pick(['GET', 'POST']), '/pets', undefined, { prefer: prefer(pick) })],
    [2, () => api(pick(['OPTIONS', 'HEAD', 'DELETE']), '/pets')],
    [
      1,
      () => ({ path: pick(['/openapi.json', '/openapi.yaml']), init: { method: 'GET', headers: HEADERS } }),
    ],
    [1, () => api('GET', '/pets', undefined, { baggage: 'test.name=pays%20twice' })],
    [
      3,
      () =>
        control(
          'POST',
          '/clock',
          pick<object>([
            { advance: pick(['1s', '61s', '1h', '1d', '5ms']) },
            { set: pick(['2026-03-01T00:00:00Z', '2031-01-01T00:00:00Z']) },
            { frozen: int(2) === 0 },
          ]),
        ),
    ],
    [1, () => control('DELETE', '/clock')],
    [4, () => control('POST', '/faults', fault())],
    [2, () => control('DELETE', pick(['/faults', '/faults/fault_1', '/faults/fault_2']))],
    [2, () => control('POST', `/holds/hold_${1 + int(8)}/release`)],
    [1, () => control('GET', '/holds')],
    [3, () => control('POST', '/seed', seeded())],
    [
      2,
      () =>
        control(
          'POST',
          '/reset',
          pick<object>([{}, { only: [pick(PARTS)] }, { only: [pick(PARTS), pick(PARTS)] }]),
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
            { plan: 'free', key: SECRET_KEY },
            { plan: 'pro', expiresAt: '2026-11-22T00:00:00Z' },
            { plan: 'gold' },
          ]),
        ),
    ],
    [1, () => control('DELETE', `/keys/${pick(KEYS)}`)],
    [2, () => control(pick(['PUT', 'DELETE']), `/keys/${pick(KEYS)}/ban`, pick([undefined, { seconds: 5 }]))],
    [1, () => control('DELETE', `/keys/${pick(KEYS)}/limits`)],
    [2, () => control('PUT', `/keys/${pick(KEYS)}/limits`, { remaining: int(4) })],
    [1, () => control('PUT', '/label', { label: pick(['pays', 'retries › once', null]) })],
    [2, () => control('PUT', `/snapshots/${pick(['a', 'b'])}`)],
    [2, () => control('POST', `/snapshots/${pick(['a', 'b', 'c'])}/restore`)],
    [1, () => control('DELETE', `/snapshots/${pick(['a', 'b'])}`)],
    [1, () => control('DELETE', `/namespaces/${pick([...SPACES, 'none'])}`)],
    [3, () => control('POST', '/rewind', { to: point(), ...side() })],
    [2, () => control('POST', '/fork', { into: pick(SPACES), ...some({ at: point(), ...side() }) })],
    [2, () => control('POST', `/requests/${request()}/resend`)],
    [
      2,
      () =>
        control('POST', `/requests/${request()}/resend`, {
          edits: pick<object>([
            { body: JSON.stringify(pet()) },
            { path: '/v1/pets/1', method: 'DELETE', body: '' },
            { query: 'limit=1', headers: { authorization: `Bearer ${pick(KEYS)}` } },
          ]),
        }),
    ],
    [
      4,
      () =>
        control(
          'GET',
          pick(['/requests?limit=5', '/report', '/export', '/keys', '/faults', '/clock', '/history']),
        ),
    ],
    [
      2,
      () =>
        control(
          'GET',
          `${pick(['/report', '/export', '/keys', '/faults', '/clock', `/keys/${pick(KEYS)}/limits`])}${view()}`,
        ),
    ],
    [
      2,
      () =>
        control(
          'GET',
          pick([
            `/keys/${pick(KEYS)}/limits`,
            '/pets?limit=3&after=2',
            '/namespaces',
            '/snapshots',
            '/decisions',
          ]),
        ),
    ],
    [1, () => control('DELETE', '/requests')],
    [1, () => control('GET', `/diff?a=${state()}&b=${state()}`)],
    [
      1,
      () =>
        control('POST', '/requests/verify', {
          match: match(),
          times: { atLeast: 1 },
          ...some({ within: '2ms' }),
        }),
    ],
    [1, () => control('POST', '/requests/wait', { match: match(), within: '2ms' })],
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

/** Requests to more than 1,000 namespaces, so that unchanged ones are evicted. */
export function manyNamespaces(seed: number, count: number): Sent[] {
  const draw = chance(seed, 'namespaces')
  return Array.from({ length: count }, (_, n) => {
    // Each namespace once, then random ones again.
    const name = `n${n < 1300 ? n : Math.floor(draw() * 1300)}`
    const headers = {
      ...HEADERS,
      authorization: `Bearer psk_pro.${name}`,
      'content-type': 'application/json',
    }
    const kind = draw()
    if (kind < 0.1) return { path: `/_sandbox/clock?namespace=${name}`, init: { method: 'GET', headers } }
    if (kind < 0.3) return { path: `/_sandbox/reset?namespace=${name}`, init: { method: 'POST', headers } }
    if (kind < 0.35 && n < 1300)
      return { path: `/_sandbox/namespaces/${name}`, init: { method: 'DELETE', headers } }
    if (kind < 0.5)
      return {
        path: '/v1/pets',
        init: { method: 'POST', headers, body: `{"name":"Kit","categoryId":${n}}` },
      }
    return { path: '/v1/pets?limit=1', init: { method: 'GET', headers } }
  })
}

const prefer = (pick: (items: readonly string[]) => string): string =>
  pick(['code=200', 'code=200, dynamic=true', 'code=503', 'example=none', 'code=404', 'code=429', 'code=401'])
