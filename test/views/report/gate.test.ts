import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRunRecorder, evaluateGates } from '../../../src/views/report/run-recorder.ts'
import { keyText, requestLine } from '../../../src/views/request-line.ts'
import { earlyBy, newMeter, waitAfter } from '../../../src/world/limits/meter.ts'
import type { Exchange } from '../../../src/world/traffic/exchange.ts'
import { type Finding, findingsOf, weightOf } from '../../../src/world/traffic/findings.ts'
import { GATE_NAMES, GATES } from '../../../src/world/traffic/gates.ts'
import { entryOf } from '../../../src/world/traffic/journal-entry.ts'
import { Tally } from '../../../src/world/traffic/tally.ts'
import { exchange } from '../../support/exchange.ts'

const AT = '2026-11-19T12:34:56.000Z'
const REQUEST = `${AT} req_000001 GET /v1/pets`

function gatesOf(...exchanges: Exchange[]) {
  const recorder = createRunRecorder(GATE_NAMES)
  for (const each of exchanges) recorder.record(each)
  return recorder.summary(['listPets', 'getPet']).gates
}

const firstOf = (gate: (typeof GATE_NAMES)[number], ...exchanges: Exchange[]) =>
  gatesOf(...exchanges).find((result) => result.gate === gate)?.first

it('every gate passes without requests', () => {
  const results = evaluateGates(GATE_NAMES, new Tally().view([], String), new Map())
  expect(results.map(({ gate }) => gate)).toEqual(GATE_NAMES)
  expect(results.every(({ count, first }) => count === 0 && first.length === 0)).toBe(true)
})

describe('the first findings of a gate', () => {
  it('have the reason of the refusal', () => {
    const reason = { code: 'invalid_parameter', message: 'limit "x" is wrong' }
    const unsupported = { code: 'unsupported_media_type' }
    const findings: Finding[] = [{ kind: 'invalid-request' }]
    expect(
      firstOf(
        'invalid-request',
        exchange({ status: 400, reason, findings }),
        exchange({ status: 415, reason: unsupported, findings }),
      ),
    ).toEqual([
      `${REQUEST} 400: Invalid parameter: limit "x" is wrong.`,
      `${REQUEST} 415: The body is not declared as JSON in UTF-8 without a content encoding.`,
    ])
  })

  it('have the findings, each input on its own line', () => {
    const sent = exchange({
      findings: [
        { kind: 'deprecated-call' },
        { kind: 'early-retry', earlyMs: 1500, allowedAt: 0 },
        { kind: 'ignored-input', inputs: ['parameter sort', 'parameter page'], more: 0 },
        { kind: 'duplicate', of: 'req_000000' },
      ],
    })
    const found = gatesOf(sent).filter(({ count }) => count > 0)
    expect(Object.fromEntries(found.map((result) => [result.gate, result.first]))).toEqual({
      deprecated: [`${REQUEST} 200: listPets is deprecated`],
      'early-retry': [`${REQUEST} 200: retried 1.5 s before Retry-After had passed`],
      'ignored-input': [
        `${REQUEST} 200: parameter sort is not known and was ignored`,
        `${REQUEST} 200: parameter page is not known and was ignored`,
      ],
      duplicate: [`${REQUEST} 200: possible duplicate of req_000000`],
      uncovered: ['getPet was never called'],
    })
  })

  it('are at most twenty, and all are counted', () => {
    const many = Array.from({ length: 30 }, () => exchange({ findings: [{ kind: 'server-error' }] }))
    const result = gatesOf(...many).find(({ gate }) => gate === 'server-error')
    expect([result?.count, result?.first.length]).toEqual([30, 20])
  })
})

const NOON = Date.parse(AT)
const decisions = fc.constantFrom<Exchange['decision']>(
  'served',
  'refused:ban',
  'refused:window',
  'refused:request',
  'forced',
  'fault:fault_1',
)
const observed = fc.record({
  at: fc.integer({ min: NOON - 2000, max: NOON + 5000 }),
  status: fc.constantFrom(0, 200, 201, 400, 404, 405, 413, 415, 429, 500, 503),
  decision: decisions,
  isIntended: fc.boolean(),
  isDeprecated: fc.boolean(),
  startsBan: fc.boolean(),
  ignored: fc.array(fc.constantFrom('parameter sort', 'field age'), { maxLength: 3 }),
  ignoredMore: fc.constantFrom(0, 7),
  duplicateOf: fc.option(fc.constant('req_000000'), { nil: undefined }),
  code: fc.constantFrom(undefined, 'route_not_found', 'pet_not_found', 'invalid_body'),
  holdTimeout: fc.constantFrom(undefined, '10s'),
  violations: fc.constantFrom([], ['a', 'b']),
})

describe('for any exchanges', () => {
  const exchanges = fc.array(
    observed.map((each) => {
      const { at, status, decision } = each
      const early = earlyBy({ ...newMeter(), wait: waitAfter(newMeter(), NOON, 3) }, at)
      return exchange({ at, status, decision, findings: findingsOf({ ...each, early }) })
    }),
    { maxLength: 18 },
  )

  it('every gate has the count of the report and of the journal, and lists some of the findings', () => {
    fc.assert(
      fc.property(exchanges, (all) => {
        const entries = all.map(entryOf)
        for (const { gate, count, first } of gatesOf(...all)) {
          if (gate === 'uncovered') continue
          const { finding } = GATES[gate]
          const found = entries
            .flatMap(({ findings }) => findings)
            .filter(({ kind }) => kind === finding)
            .reduce((sum, each) => sum + weightOf(each as Finding), 0)
          expect([gate, count]).toEqual([gate, found])
          expect([gate, first.length > 0]).toEqual([gate, count > 0])
        }
      }),
    )
  })

  it('a tally from which all exchanges are removed is empty', () => {
    fc.assert(
      fc.property(exchanges, (all) => {
        const tally = new Tally()
        const numbered = all.map((each, i) => ({ ...each, id: `req_${i}` }))
        const before = numbered.map((each) => {
          const view = tally.view([], String)
          tally.count(each)
          return view
        })
        for (const [i, each] of [...numbered.entries()].reverse()) {
          tally.count(each, -1)
          expect(tally.view([], String)).toEqual(before[i])
        }
      }),
    )
  })
})

it('a request and its key are one line each; that of a request has the namespace unless it is default', () => {
  const elsewhere = entryOf(exchange({ namespace: 'w1', query: 'limit=1' }))
  expect(requestLine(elsewhere)).toBe(`${AT} req_000001 GET /v1/pets?limit=1 200 [w1]`)
  const unknown = entryOf(exchange({ key: undefined, plan: undefined }))
  expect([elsewhere, entryOf(exchange()), unknown].map(keyText)).toEqual([
    'psk_free free',
    'psk_free free',
    'no key',
  ])
})
