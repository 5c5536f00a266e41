import fc from 'fast-check'
import type { ApiRequest } from './answer.ts'
import { DAY, MINUTE, REMOVAL, SECOND, START } from './clock.ts'
import type { ControlStep } from './control.ts'
import type { Fault } from './faults.ts'
import type { Body } from './new-pet.ts'

export type Step = (ApiRequest & { readonly do: 'send'; readonly times: number }) | ControlStep

const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary })

/** Undefined in 11 of 12 cases. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof(often(11, fc.constant(undefined)), often(1, arbitrary))

const KEYS = ['psk_free', 'psk_pro', 'psk_empty', 'psk_removed', 'psk_flaky', 'psk_unstable', 'mine']
const TRIGGERS = ['psk_limited', 'psk_day_limited', 'psk_banned']
const WRONG = ['psk_expired', 'psk_revoked', 'PSK_FREE', 'nope', 'psk_free.w1.w1', 'psk_free.', '.w1']

const namespace = fc.oneof(often(4, fc.constant('default')), often(2, fc.constant('w1')), fc.constant('w2'))
const key = fc.oneof(
  often(6, fc.constant('psk_free')),
  often(4, fc.constantFrom(...KEYS)),
  often(2, fc.constantFrom(...TRIGGERS)),
)

/** The header Authorization (interface, section 5). */
const authorization: fc.Arbitrary<string | undefined> = fc.oneof(
  often(
    24,
    fc.tuple(key, namespace).map(([key, name]) => `Bearer ${name === 'default' ? key : `${key}.${name}`}`),
  ),
  often(
    1,
    fc.constantFrom(...WRONG).map((wrong) => `Bearer ${wrong}`),
  ),
  often(
    1,
    fc.constantFrom('nope.w1', 'psk_expired.w2').map((wrong) => `Bearer ${wrong}`),
  ),
  often(
    1,
    fc.constantFrom(
      undefined,
      'bearer  psk_free',
      'BEARER psk_pro',
      'Basic psk_free',
      'Bearer',
      'Bearer a b',
    ),
  ),
)

const query = fc
  .array(
    fc.oneof(
      often(
        3,
        fc
          .constantFrom(
            '1',
            '2',
            '100',
            '5',
            '0',
            '101',
            '-1',
            '-0',
            'abc',
            '1.5',
            '1e1',
            '',
            '05',
            '%205',
            '%35',
          )
          .map((value) => `limit=${value}`),
      ),
      often(
        3,
        fc
          .constantFrom('available', 'pending', 'sold', 'sold', 'Sold', '', 'available,sold', 'lost')
          .map((value) => `status=${value}`),
      ),
      fc.constantFrom('page=2', 'sort=name', 'Limit=3'),
    ),
    { maxLength: 2 },
  )
  .map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}` : ''))

const petId = fc.oneof(
  often(6, fc.integer({ min: 0, max: 20 }).map(String)),
  fc.constantFrom(
    'abc',
    '007',
    '1.5',
    '-1',
    '+1',
    '9223372036854775807',
    '9223372036854775808',
    '%31',
    '1e0',
    '%20',
  ),
)

const target = fc.oneof(
  often(
    8,
    query.map((query) => `/v1/pets${query}`),
  ),
  often(
    5,
    petId.map((id) => `/v1/pets/${id}`),
  ),
  fc.constantFrom(
    '/v1/pets/1?page=2',
    '/v1/pets/',
    '/v1/Pets',
    '/v1//pets',
    '/v1/nope',
    '/v1/%70ets',
    '/v1/pets/%zz',
    '/v1/pets%zz',
    '/v1/store/orders',
    '/v1/pets/1/2',
    '/pets',
    '/',
  ),
)

const member = (name: string, ...values: string[]) =>
  fc.constantFrom(...values).map((value): [string, string] => [name, value])

const memberLists = fc.tuple(
  fc.option(
    member('name', '"Kit"', '"Kit"', '"Kit"', '""', '"  "', '"\\u0041\\ud83d\\ude00"', '123', 'null'),
    {
      nil: undefined,
      freq: 12,
    },
  ),
  fc.option(
    member(
      'categoryId',
      ...['2', '2', '2', '0', '-5', '1.0', '1e2', '12.50e1', '9007199254740993', '9223372036854775807'],
      ...[
        '9223372036854775808',
        '-9223372036854775808',
        '-9223372036854775809',
        '1.5',
        '1e400',
        '"1"',
        'true',
        'null',
      ],
    ),
    { nil: undefined, freq: 12 },
  ),
  fc.option(member('status', '"available"', '"pending"', '"sold"', '"Sold"', 'null', '""'), {
    nil: undefined,
    freq: 1,
  }),
  rarely(member('colour', '"red"')),
  rarely(member('id', '999')),
  rarely(member('name', '"Kit"', '"Tom"')),
)

/** A body of createPet (interface, section 4.2). */
const body: fc.Arbitrary<Body> = fc.oneof(
  often(
    16,
    memberLists.map(
      (members): Body => ({ is: 'members', members: members.filter((member) => member !== undefined) }),
    ),
  ),
  fc.constantFrom<Body>(
    { is: 'empty' },
    { is: 'large' },
    { is: 'text', text: '{"name":', code: 'invalid_json' },
    { is: 'text', text: '{"name":"a",}', code: 'invalid_json' },
    { is: 'text', text: '[]', code: 'invalid_body' },
    { is: 'text', text: 'null', code: 'invalid_body' },
    { is: 'text', text: '"x"', code: 'invalid_body' },
    { is: 'text', text: '['.repeat(10_000), code: 'invalid_json' },
  ),
)

const contentType = fc.oneof(
  often(12, fc.constant('application/json')),
  fc.constantFrom(
    undefined,
    'application/json; charset=UTF-8',
    'application/json; charset=latin1',
    'text/plain',
    'application/merge-patch+json',
    'application/x-www-form-urlencoded',
  ),
)

const prefer = rarely(
  fc.constantFrom(
    'code=503',
    'code=404',
    'code=429',
    'code=401',
    'code=405',
    'code=418',
    'x;code=503',
    'code=302',
    'code=abc',
  ),
)

/** The number of consecutive copies of a request. */
const times = fc.oneof(often(5, fc.constant(1)), often(1, fc.integer({ min: 2, max: 12 })))

const read = fc.record({
  do: fc.constant('send' as const),
  method: fc.oneof(
    often(12, fc.constant('GET')),
    fc.constantFrom('HEAD', 'OPTIONS', 'DELETE', 'PUT', 'PATCH'),
  ),
  target,
  authorization,
  prefer,
  times,
})

const create = fc.record({
  do: fc.constant('send' as const),
  method: fc.constant('POST'),
  target: fc.oneof(
    often(12, fc.constant('/v1/pets')),
    fc.constantFrom('/v1/pets/1', '/v1/nope', '/v1/store/orders'),
  ),
  authorization,
  prefer,
  contentType,
  body,
  times,
})

const change = fc.record({
  do: fc.constant('send' as const),
  method: fc.constantFrom('PATCH', 'PUT', 'DELETE'),
  target: fc.oneof(
    often(
      12,
      petId.map((id) => `/v1/pets/${id}`),
    ),
    fc.constantFrom('/v1/pets/1?page=2', '/v1/pets', '/v1/pets/%zz'),
  ),
  authorization,
  prefer,
  contentType,
  body,
  times,
})

const fault: fc.Arbitrary<Fault> = fc.record(
  {
    match: fc.record(
      {
        operationId: fc.constantFrom('listPets', 'createPet', 'getPet'),
        method: fc.constantFrom('GET', 'POST'),
        path: fc.constantFrom('/pets', '/v1/pets', '/v1/pets/*', '/*'),
        key: fc.constantFrom('psk_free', 'psk_pro'),
      },
      { requiredKeys: [] },
    ),
    effect: fc.oneof(
      fc.record(
        { status: fc.constantFrom(503, 500, 429, 404, 418, 401), retryAfter: fc.constantFrom(5) },
        { requiredKeys: ['status'] },
      ),
      fc.record({ wire: fc.constantFrom('reset' as const, 'empty' as const, 'garbage' as const) }),
    ),
    when: fc.constantFrom('before' as const, 'after' as const),
    times: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['effect', 'times'] },
)

const durations = [1, 999, SECOND, 59_999, MINUTE, 61_000, 2 * MINUTE, 60 * MINUTE, DAY - 1, DAY, 5 * DAY]
const instants = [START, START - DAY, START - 1, START + 90 * SECOND, REMOVAL - 1, REMOVAL, REMOVAL + 500]
const PARTS = ['pets', 'limits', 'bans', 'clock', 'faults', 'requests', 'keys']
const accountKey = fc.constantFrom('psk_free', 'psk_pro', 'mine', 'never-issued')
const seeds = fc.array(
  fc.constantFrom<readonly [string, number, string?]>(['A', 1], ['B', 2, 'sold'], ['C', 3, 'available']),
  { maxLength: 30 },
)

const controlStep = fc
  .tuple(
    namespace,
    fc.oneof(
      often(6, fc.record({ do: fc.constant('advance'), by: fc.constantFrom(...durations) })),
      often(2, fc.record({ do: fc.constant('set clock'), to: fc.constantFrom(...instants) })),
      fc.record({ do: fc.constant('reset'), parts: fc.subarray(PARTS, { minLength: 1 }) }),
      fc.record({ do: fc.constant('seed'), pets: seeds, mode: fc.constantFrom('replace', 'append') }),
      often(2, fc.record({ do: fc.constant('export') })),
      often(3, fc.record({ do: fc.constant('limits'), key: accountKey })),
      fc.record({ do: fc.constantFrom('refill', 'lift ban', 'revoke'), key: accountKey }),
      fc.record({ do: fc.constant('ban'), key: accountKey, seconds: fc.constantFrom(1, 5, 100, 5000) }),
      fc.record({
        do: fc.constant('issue'),
        key: fc.constant('mine'),
        plan: fc.constantFrom('free', 'pro'),
        expiresAt: fc.constantFrom(undefined, START + MINUTE, START - 1),
      }),
      often(2, fc.record({ do: fc.constant('add fault'), fault })),
      fc.record({ do: fc.constantFrom('clear faults', 'faults') }),
      often(2, fc.record({ do: fc.constant('report') })),
      often(2, fc.record({ do: fc.constantFrom('history', 'undo') })),
      often(
        2,
        fc.record({
          do: fc.constant('rewind'),
          back: fc.nat({ max: 12 }),
          side: fc.constantFrom('before', 'after'),
        }),
      ),
      fc.record({ do: fc.constantFrom('save', 'restore'), snapshot: fc.constantFrom('one', 'two') }),
    ),
  )
  .map(([namespace, step]) => ({ ...step, namespace }) as ControlStep)

export const step: fc.Arbitrary<Step> = fc.oneof(
  often(8, read),
  often(4, create),
  often(3, change),
  often(3, controlStep),
) as fc.Arbitrary<Step>
