import { describe, expect, it } from 'vitest'
import { API_ERRORS } from '../../../src/world/api-error.ts'
import type { Exchange } from '../../../src/world/traffic/exchange.ts'
import type { Acted } from '../../../src/world/traffic/reason.ts'
import { faultKind, reasonWords } from '../../../src/world/traffic/reason-words.ts'
import { exchange } from '../../support/exchange.ts'

const words = (members: Partial<Exchange>) => reasonWords(exchange(members))
const text = (members: Partial<Exchange>) => words(members).text

it('every answer to psk_slow says that the key delayed it', () => {
  const slow = (code: string) => text({ key: 'psk_slow', plan: 'pro', reason: { code, message: 'm' } })
  expect(slow('served')).toBe('Served. The trigger key psk_slow delayed the response by 2.0 s.')
  expect(slow('invalid_json')).toMatch(/^Unreadable body: m\. The trigger key psk_slow delayed /)
  // A refused key has no effect.
  const refused = { key: 'psk_slow', plan: undefined, reason: { code: 'invalid_api_key' } }
  expect(text({ ...refused, status: 401 })).not.toMatch(/delayed/)
})

describe('a refusal', () => {
  it('of every code has a sentence, a short text, and a remedy', () => {
    for (const code of Object.keys(API_ERRORS)) {
      const { text, short, fix } = words({ status: 400, reason: { code, message: 'it is so' } })
      expect(text, code).toMatch(/^[A-Z].*\.$/)
      expect(short, code).toMatch(/^\w.{3,25}$/)
      expect(fix, code).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('of a pet that the store of psk_empty lacks does not speak of the namespace, which may have it', () => {
    const reason = { code: 'pet_not_found', message: 'm' }
    expect(words({ status: 404, key: 'psk_empty', reason })).toMatchObject({
      text: 'There is no pet with this id in the store of psk_empty.',
      fix: 'Create it with this key, or use an id that listPets returns.',
    })
    expect(text({ status: 404, key: 'psk_pro', reason })).toMatch(/in the namespace\.$/)
  })

  it('marks a text that repeats text of a client', () => {
    const wordsFor = (code: string) => words({ status: 400, reason: { code, message: 'Ignore all!' } })
    expect(wordsFor('invalid_parameter')).toMatchObject({
      text: 'Invalid parameter: Ignore all!.',
      quotes: true,
    })
    for (const code of ['route_not_found', 'pet_not_found', 'method_not_allowed', 'invalid_api_key']) {
      expect(JSON.stringify(wordsFor(code)), code).not.toMatch(/Ignore|quotes/)
    }
  })

  it.each(['constructor', 'toString', '__proto__'])(
    'a property name of Object.prototype is not a known code: %s',
    (code) => {
      expect(words({ status: 400, reason: { code, message: 'm' } })).toMatchObject({
        short: 'invalid request',
      })
    },
  )

  it('by a window has its limit and its end, with the date if that is another day', () => {
    const at = Date.parse('2026-11-19T23:59:30Z')
    const quota = { limit: 60, remaining: 0, resetsAt: at + 20_000 }
    const charged = { outcome: 'window', span: 'minute', quota, minute: quota, day: quota } as const
    const refused = { at, reason: { code: 'rate_limit_exceeded' } }
    const rest = { triggered: undefined, startsBan: false }
    expect(text({ ...refused, charged: { ...charged, ...rest } })).toBe(
      'The limit of 60 requests per minute of psk_free is used up until 23:59:50 UTC.',
    )
    const tomorrow = { ...charged, ...rest, quota: { ...quota, resetsAt: at + 60_000 } }
    expect(text({ ...refused, key: 'psk_mine', charged: tomorrow })).toBe(
      'The limit of 60 requests per minute of the key is used up until 2026-11-20 00:00:30 UTC.',
    )
    const midnight = { ...charged, ...rest, quota: { ...quota, resetsAt: at + 29_500 } }
    expect(text({ ...refused, charged: midnight })).toContain('is used up until 2026-11-20 00:00:00 UTC.')
  })

  it('by a missing answer of a service does not concern the request', () => {
    for (const code of ['bad_gateway', 'gateway_timeout'])
      expect(words({ status: 502, reason: { code, message: 'It is gone' } }), code).toMatchObject({
        text: expect.stringMatching(/^No .*response.*: It is gone\.$/),
        fix: expect.stringMatching(/^Check the service/),
      })
  })

  it('by another service has its message', () => {
    const isRelayed = true as const
    expect(text({ isRelayed, status: 200 })).toBe('The service answered with 200.')
    expect(text({ isRelayed, status: 404, reason: { code: 'own', message: 'Gone.' } })).toBe(
      'The service answered with 404: Gone.',
    )
    expect(text({ isRelayed, status: 500, reason: { code: 'unknown' } })).toBe(
      'The service answered with 500.',
    )
  })
})

describe('a fault', () => {
  const created = { change: 'created', id: '25', pets: 25 } as const
  const acted = (effect: Acted['effect'], members: Partial<Acted> = {}): Acted => ({
    rule: 'fault_1',
    effect,
    when: 'before',
    ...members,
  })
  const stored = { status: 201, reason: { code: 'served' } }
  const refused = { status: 400, reason: { code: 'invalid_body', message: 'name is required' } }

  it.each<[string, Partial<Exchange>]>([
    [
      'The fault rule fault_1 replaced the response. The request was not carried out.',
      { status: 503, acted: acted({ status: 503 }) },
    ],
    [
      'The request was carried out and pet 25 was stored, then the fault rule fault_1 replaced the response. Sent again, it is carried out twice.',
      { status: 503, changed: created, acted: acted({ status: 503 }, { when: 'after', lost: stored }) },
    ],
    [
      'The request was refused with 400, then the fault rule fault_1 lost the response: the connection was reset.',
      { status: 0, acted: acted({ wire: 'reset' }, { when: 'after', lost: refused }) },
    ],
    [
      'The fault rule fault_1 replaced the response after 2.0 s. The request was not carried out.',
      { status: 503, acted: acted({ status: 503, latency: '2s' }, { ms: 2000 }) },
    ],
    [
      'The request was carried out and pet 25 was stored, then the fault rule fault_1 lost the response after 2.0 s: the connection was reset. Sent again, it is carried out twice.',
      {
        status: 0,
        changed: created,
        acted: acted({ wire: 'reset', latency: '2s' }, { when: 'after', lost: stored, ms: 2000 }),
      },
    ],
    [
      'The trigger key psk_flaky replaced the response. The request was not carried out.',
      { status: 503, acted: acted({ status: 503 }, { rule: 'psk_flaky' }) },
    ],
    [
      'The fault rule fault_1 delayed the request by 212 ms. Served.',
      { acted: acted({ latency: '100ms-300ms' }, { ms: 212 }) },
    ],
    [
      'The fault rule fault_1 delayed the request by 212 ms. Invalid body: name is required.',
      { ...refused, acted: acted({ latency: '212ms' }, { ms: 212 }) },
    ],
    [
      'The request was carried out and pet 25 was stored, then the fault rule fault_1 held the response for 3.2 s, until it was released.',
      {
        ...stored,
        changed: created,
        acted: acted({ hold: { until: 'released' } }, { when: 'after', ms: 3200, released: true }),
      },
    ],
    [
      'The fault rule fault_1 held the request for 10.0 s, its timeout, since nothing released it. Served.',
      { acted: acted({ hold: { until: { method: 'POST' } } }, { ms: 10_000, timeout: '10s' }) },
    ],
    [
      'Nothing was carried out, as Prefer asked, then the fault rule fault_1 delayed the response by 5 ms.',
      { status: 503, reason: { code: 'forced' }, acted: acted({ latency: '5ms' }, { when: 'after', ms: 5 }) },
    ],
  ])('%s', (sentence, members) => {
    expect(text(members)).toBe(sentence)
    expect(words(members).fix).toMatch(/\.$/)
  })

  it('advises to remove the rule, and another key in place of a trigger key', () => {
    const fixOf = (rule: string) => words({ acted: { ...acted({ status: 503 }), rule } }).fix
    expect(fixOf('fault_1')).toBe('Intended by a test; to end it, remove the rule.')
    expect(fixOf('psk_flaky')).toBe('Intended by a test; to end it, use another key.')
  })

  it('has a short text with the result of the request', () => {
    const shorts = [
      { changed: created, acted: acted({ wire: 'empty' }, { when: 'after', lost: stored }) },
      { acted: acted({ wire: 'hang' }) },
      { acted: acted({ wire: 'truncate' }, { lost: { status: 200, reason: { code: 'served' } } }) },
      { acted: acted({ latency: '1s' }) },
      { ...refused, acted: acted({ hold: { until: 'released' } }) },
    ].map((members) => words(members).short)
    expect(shorts).toEqual([
      'stored, answer lost',
      'lost, not carried out',
      'carried out, answer cut',
      'late',
      'held, invalid body',
    ])
  })

  it('has a kind for each effect', () => {
    const effects = [
      { status: 500 },
      { wire: 'reset' },
      { latency: '1s' },
      { hold: { until: 'released' } },
    ] as const
    expect(effects.map(faultKind)).toEqual(['replaced', 'lost', 'late', 'held'])
  })
})
