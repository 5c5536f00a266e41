import { describe, expect, it } from 'vitest'
import {
  FINDING_KINDS,
  findingCount,
  findingsOf,
  findingTexts,
  type Observed,
  weightOf,
} from '../../../src/world/traffic/findings.ts'

const observed = (members: Partial<Observed> = {}): Observed => ({
  status: 200,
  decision: 'served',
  isIntended: false,
  isDeprecated: false,
  startsBan: false,
  early: undefined,
  ignored: [],
  ignoredMore: 0,
  duplicateOf: undefined,
  holdTimeout: undefined,
  violations: [],
  code: undefined,
  ...members,
})
const kindsOf = (members: Partial<Observed>) => findingsOf(observed(members)).map(({ kind }) => kind)

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
    [
      'a failure that a fault rule asks for',
      { status: 503, decision: 'fault:fault_1', isIntended: true },
      [],
    ],
    ['an error that the client asks for', { status: 400, decision: 'forced', isIntended: true }, []],
    [
      'a refusal that starts a ban',
      { status: 429, decision: 'refused:window', startsBan: true },
      ['rate-limited', 'banned'],
    ],
    ['a refusal during a ban', { status: 429, decision: 'refused:ban' }, []],
    ['inputs of which none is named', { ignoredMore: 3 }, ['ignored-input']],
    ['a violation behind a proxy', { violations: ['a', 'b'] }, ['violation']],
    ['a slow repetition', { duplicateOf: 'req_000001', holdTimeout: '10s' }, ['duplicate', 'hold-timeout']],
  ])('%s', (_, members, kinds) => {
    expect(kindsOf(members)).toEqual(kinds)
  })

  it('counts every ignored input, and all others once', () => {
    expect(weightOf({ kind: 'ignored-input', inputs: ['parameter a'], more: 4 })).toBe(5)
    expect(weightOf({ kind: 'banned' })).toBe(1)
  })

  it('in words', () => {
    expect(
      findingTexts({ kind: 'ignored-input', inputs: ['field b'], more: 3280 }, 'createPet', 'w'),
    ).toEqual(['field b is not known and was ignored', '3,280 more that are not known were ignored'])
    expect(findingTexts({ kind: 'early-retry', earlyMs: 11_200, allowedAt: 0 }, 'listPets', 'w')).toEqual([
      'retried 11.2 s before Retry-After had passed',
    ])
    expect(findingTexts({ kind: 'deprecated-call' }, 'getPet', 'w')).toEqual(['getPet is deprecated'])
    expect(findingTexts({ kind: 'duplicate', of: 'req_000007' }, 'createPet', 'w')).toEqual([
      'possible duplicate of req_000007',
    ])
    expect(findingTexts({ kind: 'hold-timeout', after: '10s' }, 'listPets', 'w')).toEqual([
      'held for 10s and not released',
    ])
    expect(findingTexts({ kind: 'rate-limited' }, 'listPets', 'why it was refused')).toEqual([
      'why it was refused',
    ])
    expect(FINDING_KINDS.map((kind) => [findingCount(kind, 1), findingCount(kind, 2)])).toContainEqual([
      '1 early retry',
      '2 early retries',
    ])
  })
})
