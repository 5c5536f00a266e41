import type { Dice } from './dice.ts'

export interface Call {
  readonly method: string
  readonly target: string
  readonly body?: string
}

/** Calls of the control API that are as they should be; each may be damaged. */
const CALLS: readonly (readonly [string, string, unknown?])[] = [
  ['GET', 'health'],
  ['GET', 'decisions'],
  ['POST', 'reset', { only: ['pets', 'limits'] }],
  [
    'POST',
    'seed',
    {
      pets: [
        { name: 'A', categoryId: 1 },
        { id: 7, name: 'B', categoryId: 2, status: 'sold' },
      ],
    },
  ],
  [
    'POST',
    'seed',
    { pets: [{ name: 'A', categoryId: 1 }], nextId: 90, keys: [{ key: 'mine', plan: 'pro' }] },
  ],
  ['POST', 'seed', { count: 5, seed: 42, status: { available: 60, sold: 40 }, mode: 'append' }],
  ['POST', 'seed', { fixture: 'sold-out' }],
  ['GET', 'snapshots'],
  ['PUT', 'snapshots/one'],
  ['POST', 'snapshots/one/restore'],
  ['DELETE', 'snapshots/one'],
  ['POST', 'keys', { plan: 'pro', key: 'mine', expiresAt: '2030-01-01T00:00:00Z' }],
  ['DELETE', 'keys/mine'],
  ['GET', 'keys/psk_free/limits'],
  ['DELETE', 'keys/psk_free/limits'],
  ['PUT', 'keys/psk_free/ban', { seconds: 60 }],
  ['DELETE', 'keys/psk_free/ban'],
  ['POST', 'clock', { advance: '61s' }],
  ['POST', 'clock', { set: '2030-12-05T00:00:00Z', frozen: true }],
  ['DELETE', 'clock'],
  [
    'POST',
    'faults',
    { match: { operationId: 'listPets', path: '/pets*' }, effect: { status: 503, retryAfter: 5 }, times: 2 },
  ],
  ['POST', 'faults', { effect: { wire: 'reset' }, when: 'after', probability: 0.5 }],
  ['DELETE', 'faults/fault_1'],
  ['DELETE', 'faults'],
  ['GET', 'requests'],
  [
    'POST',
    'requests/verify',
    { match: { operationId: 'createPet', status: 201, body: { name: 'Kit' } }, times: { exactly: 0 } },
  ],
  ['GET', 'report'],
  ['GET', 'namespaces'],
  ['DELETE', 'namespaces/w2'],
]

const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    '',
    'x',
    'x'.repeat(5000),
    '\0',
    '\u202e',
    '__proto__',
    'toString',
    [],
    {},
    [[]],
    [null],
    { a: { a: {} } },
  ],
  ...[
    '9999-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00Z',
    '2030-02-30T00:00:00Z',
    'P1D',
    '1e9d',
    '999999999999999d',
    '-1s',
    'psk_free',
    '*',
    'default',
  ],
]
const NAMES = ['__proto__', 'constructor', 'only', 'pets', 'count', 'match', 'effect', '', 'x', 'id', 'at']
const NAMESPACES = [
  'w1',
  'w1',
  'w1',
  'w2',
  'default',
  '',
  '*',
  '__proto__',
  'a.b',
  '%00',
  'x'.repeat(65),
  'w1&namespace=w2',
]
const SEGMENTS = [
  '',
  '.',
  '..',
  '%2e%2e',
  '__proto__',
  'constructor',
  '%zz',
  '%00',
  'x'.repeat(200),
  'psk_free',
  'one',
  'limits',
  'ban',
  '*',
]
const TEXTS = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '1',
  '{"a":1,"a":2}',
  '['.repeat(2000),
  '\ufeff{}',
  '{"only":["pets"]}x',
]

export function call(dice: Dice): Call {
  const [method, path, body] = dice.pick(CALLS)
  const query = `namespace=${dice.once(4) ? dice.pick(NAMESPACES) : 'w1'}${dice.once(8) ? `&limit=${dice.pick(['0', '-1', 'x', '1e9'])}&status=x&key=%zz` : ''}`
  const target = `/_sandbox/${dice.once(8) ? damagedPath(dice, path) : path}?${query}`
  const asked = dice.once(12) ? dice.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) : method
  if (asked === 'GET' || (body === undefined && !dice.once(6))) return { method: asked, target }
  if (dice.once(8)) return { method: asked, target, body: dice.pick(TEXTS) }
  return { method: asked, target, body: JSON.stringify(dice.once(2) ? damaged(dice, body ?? {}) : body) }
}

function damagedPath(dice: Dice, path: string): string {
  const segments = path.split('/')
  segments[dice.below(segments.length)] = dice.pick(SEGMENTS)
  return segments.join('/') + (dice.once(4) ? '/' : '')
}

/** A copy with one value replaced, dropped, or one more. */
function damaged(dice: Dice, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || dice.once(4)) return dice.pick(VALUES)
  if (Array.isArray(value)) {
    const at = dice.below(value.length)
    return value.map((each, index) => (index === at ? damaged(dice, each) : each))
  }
  const members = Object.entries(value)
  const at = dice.below(members.length + 1)
  if (at === members.length) return { ...value, [dice.pick(NAMES)]: dice.pick(VALUES) }
  const changed = members.map(([name, each], index) => [name, index === at ? damaged(dice, each) : each])
  return Object.fromEntries(dice.once(5) ? changed.toSpliced(at, 1) : changed)
}
