import { describe, expect, it } from 'vitest'
import type { RecordedReply, Recording } from '../../src/past/recording.ts'
import { recordingsDifference } from '../../src/past/recordings-diff.ts'

type Sent = readonly [
  request: string,
  reply?: Partial<RecordedReply> & { body?: string },
  key?: string,
  body?: string,
]

/** A recording of these requests with their replies. */
function recording(sent: readonly Sent[], origin = 'http://localhost:4010'): Recording {
  const commands = sent.map(([request, , key = 'psk_pro', body], i) => {
    const [method = '', target = ''] = request.split(' ')
    const headers = ['Authorization', `Bearer ${key}`]
    const sentRequest = { method, target, headers, ...(body !== undefined && { body }) }
    return { n: i + 1, at: i, request: sentRequest, replied: 0 }
  })
  // Each namespace numbers its own requests.
  const idOf = (i: number) => `req_${sent.slice(0, i).filter(([, , key]) => key === sent[i]?.[2]).length}`
  const replies = new Map(
    sent.flatMap(([, reply], i): [number, RecordedReply][] =>
      reply ? [[i + 1, { status: 200, headers: ['X-Request-Id', idOf(i)], body: '[]', ...reply }]] : [],
    ),
  )
  return { head: { origin } as Recording['head'], commands, changes: [], replies, endedAt: 0 }
}

const list: Sent = ['GET /v1/pets', {}]
const create: Sent = ['POST /v1/pets', { status: 201 }]
const difference = (a: readonly Sent[], b: readonly Sent[], only?: string) =>
  recordingsDifference(recording(a), recording(b), only)

describe('the first request that differs', () => {
  it('is none if all are equal, or if nothing was sent', () => {
    expect(difference([list, create], [list, create])).toBeUndefined()
    expect(difference([], [])).toBeUndefined()
  })

  it.each<[string, readonly Sent[], readonly Sent[], object]>([
    ['inserted', [list, list], [list, create, list], { kind: 'inserted', a: null, b: { command: 2 } }],
    ['inserted at the end', [list], [list, create], { kind: 'inserted', a: null, b: { command: 2 } }],
    ['missing', [list, create, list], [list, list], { kind: 'missing', a: { command: 2 }, b: null }],
    ['missing at the end', [list, create], [list], { kind: 'missing', a: { command: 2 }, b: null }],
    [
      'another one',
      [list, create],
      [list, ['GET /v1/pets/1', {}]],
      { kind: 'request', a: { command: 2 }, b: { command: 2 } },
    ],
    [
      'with another key',
      [list],
      [['GET /v1/pets', {}, 'psk_free']],
      {
        kind: 'request',
        difference: { where: 'header Authorization', was: 'Bearer psk_pro', is: 'Bearer psk_free' },
      },
    ],
    [
      'with another body',
      [['POST /v1/pets', {}, 'psk_pro', '{"name":"Rex"}']],
      [['POST /v1/pets', {}, 'psk_pro', '{"name":"Max"}']],
      { kind: 'request', difference: { where: 'body $.name', was: '"Rex"', is: '"Max"' } },
    ],
    [
      'answered otherwise',
      [list],
      [['GET /v1/pets', { status: 503 }]],
      { kind: 'reply', difference: { where: 'status', was: '200', is: '503' } },
    ],
    [
      'not answered',
      [list],
      [['GET /v1/pets']],
      { kind: 'reply', b: { requestId: null }, difference: { where: 'reply', was: 'status 200', is: null } },
    ],
  ])('%s', (_, a, b, expected) => {
    expect(difference(a, b)).toMatchObject(expected)
  })

  it('has the lowest number, of all namespaces or of one', () => {
    const inWorld: Sent = ['GET /v1/pets', {}, 'psk_pro.w1']
    const otherwise: Sent = ['GET /v1/pets', { status: 503 }, 'psk_pro.w1']
    const a = [list, inWorld, create, list]
    const b = [list, otherwise, ['POST /v1/pets', {}] as Sent, list]
    expect(difference(a, b)).toMatchObject({ namespace: 'w1', a: { command: 2 } })
    expect(difference(a, b, 'default')).toMatchObject({ namespace: 'default', a: { command: 3 } })
    expect(difference(a, b, 'nobody')).toBeUndefined()
  })

  it('a control call belongs to the namespace of its query', () => {
    const reset: Sent = ['POST /_sandbox/reset?namespace=w1', {}, 'token.with.dots']
    expect(difference([], [reset])?.namespace).toBe('w1')
    expect(difference([], [['POST /_sandbox/reset', {}, 'token.with.dots']])?.namespace).toBe('default')
  })
})

it('requests of other namespaces between them are ignored: two runs may interleave', () => {
  const other: Sent = ['GET /v1/pets', {}, 'psk_pro.w1']
  expect(difference([list, other, create], [other, list, create])).toBeUndefined()
})

describe('differences of every run', () => {
  it.each([
    ['{"at":"2026-11-19T12:34:56.000Z"}', '{"at":"2027-01-01T00:00:00Z"}'],
    ['{"message":"Retry after 24 seconds."}', '{"message":"Retry after 1 second."}'],
    ['{"ms":1}', '{"ms":234}'],
    ['{"x-ratelimit-reset":"1795091720"}', '{"x-ratelimit-reset":"1795099999"}'],
  ])('the times in %s and %s are ignored', (was, is) => {
    expect(difference([['GET /v1/pets', { body: was }]], [['GET /v1/pets', { body: is }]])).toBeUndefined()
  })

  it('header fields with a time are ignored', () => {
    const reply = (value: string) => ({
      headers: ['Date', value, 'retry-after', value, 'X-RateLimit-Reset', value],
    })
    expect(difference([['GET /v1/pets', reply('1')]], [['GET /v1/pets', reply('2')]])).toBeUndefined()
    const limit = (value: string) => ({ headers: ['X-RateLimit-Remaining', value] })
    expect(difference([['GET /v1/pets', limit('1')]], [['GET /v1/pets', limit('2')]])).toBeDefined()
  })

  it('the address of each sandbox is ignored', () => {
    const [a, b] = ['http://localhost:4010', 'http://localhost:5000']
    const of = (origin: string) => recording([['GET /v1/pets', { body: `"${origin}/x"` }]], origin)
    expect(recordingsDifference(of(a), of(b), undefined)).toBeUndefined()
    expect(recordingsDifference(of('no address'), of('no address'), undefined)).toBeUndefined()
  })

  it('other numbers are compared', () => {
    expect(
      difference([['GET /v1/pets', { body: '{"count":1}' }]], [['GET /v1/pets', { body: '{"count":2}' }]]),
    ).toBeDefined()
  })
})
