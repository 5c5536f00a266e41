import { describe, expect, it } from 'vitest'
import { PLAIN as paint } from '../../src/views/colours.ts'
import {
  proxySummaryMarkdown,
  proxySummarySuite,
  proxySummaryText,
  Violations,
  violationLines,
} from '../../src/views/proxy-summary.ts'
import { Secrets } from '../../src/world/keys/secrets.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'
import { SERVED } from '../../src/world/traffic/reason.ts'
import { exchange } from '../support/exchange.ts'

const summary = (count: number, unanswered = 0) => ({
  unanswered,
  service: 'http://a/v1',
  requests: 1,
  violationCount: count,
  violations:
    count === 0
      ? []
      : [{ operation: 'listPets', message: 'a|b\u001b[2J', count, first: 'req_1 GET /v1/pets 200' }],
  at: '2026-11-19T12:34:56.000Z',
})

describe('the traffic of a proxy', () => {
  it('without violations passes', () => {
    expect(proxySummaryText(summary(0), paint)).toBe(
      '1 request to http://a/v1, 0 violations of the interface\n',
    )
    expect(proxySummarySuite(summary(0)).cases).toEqual([
      { suite: 'proxy', name: 'client and service conform to the interface' },
    ])
    expect(proxySummaryMarkdown(summary(0))).not.toContain('|')
  })

  it('does not pass if the service did not answer', () => {
    expect(proxySummaryText(summary(0, 1), paint)).toContain(
      '0 violations of the interface, 1 request without a response of the service\n',
    )
    expect(proxySummarySuite(summary(0, 1)).cases).toMatchObject([
      { name: 'the service answers', failure: { message: '1 request without a response of the service' } },
    ])
    expect(proxySummarySuite({ ...summary(0), requests: 0 }).cases).toMatchObject([
      { skipped: 'no request was made' },
    ])
  })

  it('lists each violation once, with its count, escaped', () => {
    expect(proxySummaryText(summary(2), paint)).toBe(
      `1 request to http://a/v1, 2 violations of the interface
     2 × listPets: a|b\\u001b[2J (first: req_1 GET /v1/pets 200)
`,
    )
    expect(proxySummarySuite(summary(2)).cases).toMatchObject([{ failure: { message: '2 times' } }])
    expect(proxySummaryMarkdown(summary(2))).toContain('| 2 | listPets | a\\|b\\\\u001b\\[2J |')
  })
})

describe('a request without a response of the service', () => {
  const reason = { code: 'bad_gateway' }
  const lost = { status: 502, reason }
  const rule = { rule: 'flt_1', when: 'before' } as const
  it.each<[string, Partial<Exchange>, number]>([
    ['is counted', { reason }, 1],
    ['is counted if a rule delayed it', { reason, acted: { ...rule, effect: { latency: '1s' } } }, 1],
    ['is counted if a rule replaced it', { acted: { ...rule, effect: { status: 429 }, lost } }, 1],
    ['is counted if a rule lost it', { acted: { ...rule, effect: { wire: 'reset' }, lost } }, 1],
    ['is not the error that a rule injects', { reason, acted: { ...rule, effect: { status: 502 } } }, 0],
    [
      'is not the error that replaced a response',
      { reason, acted: { ...rule, effect: { status: 502 }, lost: { status: 200, reason: SERVED } } },
      0,
    ],
    ['is not an error of the service itself', { reason, isRelayed: true }, 0],
  ])('%s', (_, members, count) => {
    const violations = new Violations()
    violations.record(exchange({ status: 502, ...members }))
    expect(violations.unanswered).toBe(count)
  })
})

it('the violations of an exchange are shown without its key', () => {
  const key = 'live_secret_1234567890'
  const secrets = new Secrets()
  secrets.addSent(key)
  const own = exchange({
    key,
    secrets,
    query: `a=${key}`,
    findings: [{ kind: 'violation', texts: [`header Authorization is Bearer ${key}`, 'b\nc'] }],
  })
  const lines = violationLines(own, paint)
  expect(lines).not.toContain(key)
  expect(lines.trimEnd().split('\n')).toHaveLength(2)
  expect(violationLines(exchange(), paint)).toBe('')
})
