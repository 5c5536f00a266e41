import { describe, expect, it } from 'vitest'
import type { JournalEntry, Report } from '../../src/contract/generated/control.types.d.ts'
import { evaluateGates, GATE_NAMES, keyText, requestLine } from '../../src/report/gate.ts'

const report = (members: Partial<Report> = {}): Report => ({
  requests: 0,
  coverage: {},
  uncovered: [],
  deprecatedCalls: 0,
  rateLimited: 0,
  earlyRetries: { count: 0, first: [] },
  bans: 0,
  invalidRequests: 0,
  ignoredInputs: { count: 0, first: [] },
  possibleDuplicates: 0,
  serverErrors: 0,
  ...members,
})

const AT = '2026-11-19T12:34:56.000Z'

const entry = ({ body = '', ...members }: Partial<JournalEntry> & { body?: string } = {}): JournalEntry => ({
  id: 'req_000001',
  at: AT,
  namespace: 'default',
  key: 'psk_…',
  plan: 'free',
  operationId: 'listPets',
  method: 'GET',
  path: '/v1/pets',
  query: '',
  status: 200,
  ms: 1,
  decision: 'served',
  warnings: [],
  request: { headers: {}, body: '' },
  response: { headers: {}, body },
  ...members,
})

const offenders = (gate: (typeof GATE_NAMES)[number], found: Partial<Report>, ...entries: JournalEntry[]) =>
  evaluateGates([gate], report(found), entries)[0]?.offenders

it('every gate holds where nothing happened', () => {
  const results = evaluateGates(GATE_NAMES, report(), [entry({ status: 500, decision: 'served' })])
  expect(results.map(({ gate }) => gate)).toEqual(GATE_NAMES)
  expect(results.every(({ count, offenders }) => count === 0 && offenders.length === 0)).toBe(true)
})

describe('the offenders of a gate', () => {
  const line = (status: number) => `${AT} req_000001 GET /v1/pets ${status}`

  it('say what the answer said, or its status', () => {
    const body = '{"code":"invalid_parameter","message":"limit \\"x\\" is wrong","status":400}'
    expect(
      offenders(
        'invalid-request',
        { invalidRequests: 2 },
        entry({ status: 400, body }),
        entry({ status: 415 }),
      ),
    ).toEqual([`${line(400)}: limit "x" is wrong`, `${line(415)}: answered with 415`])
  })

  it('count a 404 as invalid only where no route was found', () => {
    const found = { invalidRequests: 2 }
    const missingPet = entry({ status: 404, operationId: 'getPet', body: '{"code":"pet_not_found"}' })
    const noRoute = entry({ status: 404, operationId: null })
    expect(offenders('invalid-request', found, missingPet, noRoute)).toHaveLength(1)
  })

  it('leave out what was asked for', () => {
    const asked = [
      entry({ status: 503, decision: 'forced' }),
      entry({ status: 503, decision: 'fault:fault_1' }),
    ]
    expect(offenders('server-error', { serverErrors: 1 }, ...asked, entry({ status: 500 }))).toEqual([
      `${line(500)}: answered with 500`,
    ])
  })

  it('are deprecated calls, refusals, bans and duplicates, each by what tells it', () => {
    const deprecated = entry({
      operationId: 'getPet',
      response: { headers: { deprecation: '@1' }, body: '' },
    })
    expect(offenders('deprecated', { deprecatedCalls: 1 }, entry(), deprecated)).toEqual([
      `${line(200)}: getPet is deprecated`,
    ])
    const refused = entry({ status: 429, decision: 'refused:window' })
    const banned = entry({ status: 429, decision: 'refused:ban' })
    expect(offenders('rate-limited', { rateLimited: 1 }, refused, banned)).toHaveLength(1)
    expect(offenders('banned', { bans: 1 }, refused, banned)).toHaveLength(1)
    const duplicate = entry({
      warnings: ['x is not known and was ignored', 'possible duplicate of req_000000'],
    })
    expect(offenders('duplicate', { possibleDuplicates: 1 }, entry(), duplicate)).toEqual([
      `${line(200)}: possible duplicate of req_000000`,
    ])
    expect(offenders('uncovered', { uncovered: ['getPet'] })).toEqual(['getPet was never called'])
  })

  it('are found in the journal, or named as the report knows them', () => {
    const input = { id: 'req_000001', at: AT, operationId: 'listPets', input: 'parameter sort' }
    const found = { ignoredInputs: { count: 1, first: [input] } }
    expect(offenders('ignored-input', found, entry())).toEqual([
      `${line(200)}: parameter sort is not known and was ignored`,
    ])
    expect(offenders('ignored-input', found)).toEqual([
      `${AT} req_000001 listPets: parameter sort is not known and was ignored`,
    ])
    const early = { key: 'psk_…', at: AT, allowedAt: AT, earlyMs: 1500 }
    const retried = { earlyRetries: { count: 2, first: [early, early] } }
    expect(offenders('early-retry', retried, entry({ plan: null }), entry())).toEqual([
      `${line(200)}: retried 1.5 s before Retry-After had passed`,
      `${AT} psk_…: retried 1.5 s before Retry-After had passed`,
    ])
  })

  it('are twenty at most, and all are counted', () => {
    const many = Array.from({ length: 30 }, () => entry({ status: 500 }))
    const [result] = evaluateGates(['server-error'], report({ serverErrors: 30 }), many)
    expect([result?.count, result?.offenders.length]).toEqual([30, 20])
  })
})

it('a request and its key are one line each, with their namespace unless it is the default', () => {
  const elsewhere = entry({ namespace: 'w1', query: 'limit=1' })
  expect(requestLine(elsewhere)).toBe(`${AT} req_000001 GET /v1/pets?limit=1 200 [w1]`)
  expect([elsewhere, entry(), entry({ key: null, plan: null })].map(keyText)).toEqual([
    'psk_… free w1',
    'psk_… free',
    'no key',
  ])
})
