import { describe, expect, it } from 'vitest'
import {
  FINDING_KINDS,
  findingCount,
  findingsOf,
  findingTexts,
  findingView,
  type Observed,
  secondsText,
  weightOf,
} from '../../../src/world/traffic/findings.ts'

const observed = (members: Partial<Observed> = {}): Observed => ({
  at: 0,
  status: 200,
  decision: 'served',
  isDeprecated: false,
  startsBan: false,
  ignored: [],
  ignoredMore: 0,
  duplicateOf: undefined,
  holdTimeout: undefined,
  code: undefined,
  ...members,
})
const kindsOf = (members: Partial<Observed>) =>
  findingsOf(observed(members), undefined).map(({ kind }) => kind)

describe('the findings of an exchange', () => {
  it.each<[string, Partial<Observed>, string[]]>([
    ['a success', {}, []],
    ['an unknown path', { status: 404, code: 'route_not_found' }, ['invalid-request']],
    ['a renamed unknown path', { status: 501, code: 'route_not_found' }, ['invalid-request']],
    ['an unknown pet', { status: 404, code: 'pet_not_found' }, []],
    ['a wrong method', { status: 405 }, ['invalid-request']],
    ['a body that is too large', { status: 413 }, ['invalid-request']],
    ['a wrong media type', { status: 415 }, ['invalid-request']],
    ['an operation that is not implemented', { status: 501 }, []],
    ['a failure of the server', { status: 500 }, ['server-error']],
    ['a failure that a fault rule asks for', { status: 503, decision: 'fault:fault_1' }, []],
    ['an error that the client asks for', { status: 400, decision: 'forced' }, []],
    [
      'a refusal that starts a ban',
      { status: 429, decision: 'refused:window', startsBan: true },
      ['rate-limited', 'banned'],
    ],
    ['a refusal during a ban', { status: 429, decision: 'refused:ban' }, []],
    ['inputs of which none is named', { ignoredMore: 3 }, ['ignored-input']],
    ['a slow repetition', { duplicateOf: 'req_000001', holdTimeout: '10s' }, ['duplicate', 'hold-timeout']],
  ])('%s', (_, members, kinds) => {
    expect(kindsOf(members)).toEqual(kinds)
  })

  it('counts every ignored input, and everything else once', () => {
    expect(weightOf({ kind: 'ignored-input', inputs: ['parameter a'], more: 4 })).toBe(5)
    expect(weightOf({ kind: 'banned' })).toBe(1)
  })

  it('in words', () => {
    expect(findingTexts({ kind: 'ignored-input', inputs: ['field b'], more: 3280 }, 'createPet')).toEqual([
      'field b is not known and was ignored',
      '3,280 more that are not known were ignored',
    ])
    expect(findingTexts({ kind: 'early-retry', earlyMs: 11_200, allowedAt: 0 }, 'listPets')).toEqual([
      'retried 11.2 s before Retry-After had passed',
    ])
    expect(findingTexts({ kind: 'deprecated-call' }, 'getPet')).toEqual(['getPet is deprecated'])
    expect(findingTexts({ kind: 'duplicate', of: 'req_000007' }, 'createPet')).toEqual([
      'possible duplicate of req_000007',
    ])
    expect(findingTexts({ kind: 'hold-timeout', after: '10s' }, 'listPets')).toEqual([
      'held for 10s and not released',
    ])
    expect(findingTexts({ kind: 'rate-limited' }, 'listPets')).toEqual([])
    expect(FINDING_KINDS.map((kind) => [findingCount(kind, 1), findingCount(kind, 2)])).toContainEqual([
      '1 early retry',
      '2 early retries',
    ])
  })

  it('rounds a time below a second up, so that it is never 0', () => {
    expect(secondsText(0.2)).toBe('1 ms')
    expect(secondsText(999)).toBe('999 ms')
    expect(secondsText(1000)).toBe('1.0 s')
  })

  it('in the journal: an instant, and no key', () => {
    const hidden = (text: string) => text.replace('psk_secret', '…')
    expect(findingView({ kind: 'early-retry', earlyMs: 1, allowedAt: 0 }, hidden)).toMatchObject({
      allowedAt: '1970-01-01T00:00:00.000Z',
    })
    expect(
      findingView({ kind: 'ignored-input', inputs: ['field psk_secret'], more: 0 }, hidden),
    ).toMatchObject({
      inputs: ['field …'],
    })
    expect(findingView({ kind: 'banned' }, hidden)).toEqual({ kind: 'banned' })
  })
})
