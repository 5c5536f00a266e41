import { describe, expect, it } from 'vitest'
import { type ServiceResponse, secretsOf } from '../../../src/tools/conformance/exchange.ts'
import { placeOfReset, validateQuotaSteps } from '../../../src/tools/conformance/quota-steps.ts'

const T = 1795091660 // seconds
interface Seen {
  readonly left?: number
  readonly limit?: number
  /** Seconds after T. */
  readonly at?: number
  readonly reset?: number
  readonly status?: number
  readonly anonymous?: true
  readonly bare?: true
  readonly unanswered?: number
}

const answer = ({
  left = 0,
  limit = 60,
  at = 0,
  reset = 60,
  status = 200,
  anonymous,
  bare,
  unanswered = 0,
}: Seen): ServiceResponse => ({
  sent: { send: 'GET /pets', ...(anonymous && { key: 'missing' }) },
  operationId: 'listPets',
  request: 'GET /pets',
  status,
  headers: bare
    ? []
    : ['X-RateLimit-Limit', limit, 'X-RateLimit-Remaining', left, 'x-ratelimit-reset', T + reset].map(String),
  body: '',
  json: undefined,
  at: (T + at) * 1000,
  secrets: secretsOf(''),
  unanswered,
})

describe('consecutive answers', () => {
  it.each<[string, Seen[]]>([
    ['one less each time', [{ left: 59 }, { left: 58 }, { left: 57 }]],
    ['a request between them had no answer', [{ left: 59 }, { left: 57, unanswered: 1 }]],
    ['to nothing, and 429', [{ left: 1 }, { left: 0 }, { left: 0, status: 429 }]],
    [
      'errors that count, and that do not',
      [{ left: 59 }, { left: 58, status: 404 }, { left: 58, status: 400 }],
    ],
    ['a new window', [{ left: 3 }, { left: 59, at: 61, reset: 121 }]],
    ['a new window, by a clock that rounds', [{ left: 3 }, { left: 59, at: 59, reset: 120 }]],
    ['another window is reported', [{ left: 50 }, { left: 49, limit: 1000, reset: 86400 }]],
    ['another window of the same limit', [{ left: 50 }, { left: 49, reset: 86400 }]],
    [
      'a clock that was turned back',
      [
        { left: 50, at: 40 },
        { left: 59, at: 0, reset: 30 },
      ],
    ],
    [
      'a Reset that is rounded up and down',
      [{ left: 59 }, { left: 58, at: 1, reset: 61 }, { left: 57, at: 4 }],
    ],
    ['somebody without a key in between', [{ left: 59 }, { anonymous: true, left: 3 }, { left: 58 }]],
    ['who counts too, as an address', [{ left: 59 }, { anonymous: true, left: 58 }, { left: 57 }]],
    ['an answer without the headers', [{ left: 59 }, { bare: true, status: 404 }, { left: 57 }]],
    [
      'no limit',
      [
        { left: 2147483647, limit: 2147483647 },
        { left: 2147483647, limit: 2147483647 },
      ],
    ],
  ])('agree: %s', (_, seen) => {
    expect(validateQuotaSteps(seen.map(answer)).failures).toEqual([])
  })

  it.each<[string, Seen[], RegExp]>([
    ['it stands', [{ left: 59 }, { left: 59 }], /^Remaining 58: one request less is left$/],
    ['two less', [{ left: 59 }, { left: 57 }], /another client/],
    ['more than before', [{ left: 3 }, { left: 59, at: 1 }], /^Remaining 2/],
    ['served though nothing was left', [{ left: 0 }, { left: 0 }], /^429 until/],
    ['an error that counts twice', [{ left: 9 }, { left: 7, status: 404 }], /same or one less/],
    ['a new window before its time', [{ left: 3 }, { left: 59, at: 10, reset: 70 }], /until Reset/],
    [
      'a new window that counts from Limit',
      [{ left: 3 }, { left: 60, at: 61, reset: 121 }],
      /less than Limit/,
    ],
    [
      'Reset moves with the clock',
      [
        { left: 59 },
        { left: 58, at: 1, reset: 61 },
        { left: 57, at: 2, reset: 62 },
        { left: 56, at: 3, reset: 63 },
        { left: 55, at: 4, reset: 64 },
      ],
      /^the same Reset until a new window/,
    ],
    ['Reset moves, Remaining stands', [{ left: 59 }, { left: 59, at: 2, reset: 62 }], /one request less/],
  ])('contradict each other: %s', (_, seen, expected) => {
    const { failures } = validateQuotaSteps(seen.map(answer))
    expect(failures).toHaveLength(1)
    expect(failures[0]?.expected).toMatch(expected)
  })

  it('show which errors are charged', () => {
    const seen = [
      { left: 59 },
      { left: 58, status: 404 },
      { left: 58, status: 400 },
      { left: 0, status: 429 },
    ]
    expect(validateQuotaSteps(seen.map(answer))).toMatchObject({ counted: [404], uncounted: [400] })
  })
})

it.each([
  ['a minute from now', T + 60, 'ahead'],
  ['now, rounded down', T - 1, 'ahead'],
  ['a day from now', T + 86_400, 'ahead'],
  ['a delay', 60, 'past'],
  ['milliseconds', (T + 60) * 1000, 'too far'],
  ['next week', T + 7 * 86_400, 'too far'],
])('a Reset is ahead, past or too far: %s', (_, reset, place) => {
  expect(placeOfReset(reset, T * 1000)).toBe(place)
})
