import { describe, expect, it } from 'vitest'
import { PLAIN } from '../../src/views/colours.ts'
import type { CheckFailure, CheckResult, ConformanceReport } from '../../src/views/conformance.ts'
import {
  checkLines,
  conformanceMarkdown,
  conformanceSuite,
  conformanceSummary,
} from '../../src/views/conformance.ts'
import { junit } from '../../src/views/junit.ts'

const marked = (mark: string) => (text: string) => `${mark}(${text})`
const paint = { ...PLAIN, good: marked('good'), warn: marked('warn'), bad: marked('bad') }

const failure = (request: string): CheckFailure => ({ request, received: '200', expected: '404' })
const check = (members: Partial<CheckResult> = {}): CheckResult => ({
  id: 'x',
  section: '4.1',
  title: 'Lists pets',
  outcome: 'passed',
  failures: [],
  moreFailures: 0,
  observations: [],
  ms: 7,
  ...members,
})
const report = (...checks: CheckResult[]): ConformanceReport => ({
  baseUrl: 'http://service/v1',
  at: '2026-11-19T12:34:56.000Z',
  requests: 1,
  counts: { passed: 1, failed: 0, skipped: 0, observed: 0 },
  checks,
  unchecked: null,
})

describe('one check', () => {
  it('is one line, with the reason if it was skipped', () => {
    expect(checkLines(check(), paint)).toBe('good(✓) §4.1       Lists pets\n')
    expect(checkLines(check({ outcome: 'skipped', reason: 'it writes' }), paint)).toBe(
      '- §4.1       Lists pets (skipped: it writes)\n',
    )
  })

  it.each([
    [3, 0, 0],
    [4, 0, 1],
    [3, 2, 2],
    [1, 5, 3],
  ])('with %i failures kept and %i more shows three, and counts %i', (kept, moreFailures, counted) => {
    const failures = Array.from({ length: kept }, (_, i) => failure(`GET /${i}`))
    const lines = checkLines(check({ outcome: 'failed', failures, moreFailures }), paint).split('\n')
    expect(lines.filter((line) => line.includes('GET /'))).toHaveLength(Math.min(kept, 3))
    const more = lines.find((line) => line.includes('more'))
    // The number of failures that are not shown, including those that were not kept.
    expect(more?.trim()).toBe(kept + moreFailures > 3 ? `… and ${kept + moreFailures - 3} more` : undefined)
    expect(counted).toBe(Math.max(0, kept + moreFailures - 3))
  })
})

it('the summary has colours for failures only', () => {
  const { counts } = report()
  expect(conformanceSummary(report(check()), paint)).toBe(
    '1 check: 1 passed, 0 failed, 0 skipped, 0 observed; 1 request\n',
  )
  expect(conformanceSummary({ ...report(), counts: { ...counts, failed: 2 } }, paint)).toContain(
    'bad(2 failed)',
  )
})

describe('for machines and in Markdown', () => {
  const hostile = failure('GET /pets?name=<b>|`x`')
  const failed = check({
    outcome: 'failed',
    failures: [hostile],
    moreFailures: 2,
    observations: ['seen *this*'],
  })

  it('a JUnit case has the first failure as its message, and lists the others', () => {
    const [suite] = [conformanceSuite(report(failed, check({ outcome: 'skipped', reason: 'it writes' })))]
    expect(suite.cases).toMatchObject([
      { failure: { message: 'GET /pets?name=<b>|`x`: expected 404; received 200' }, output: 'seen *this*' },
      { skipped: 'it writes' },
    ])
    expect(junit([suite])).toContain('failures="1" errors="0" skipped="1"')
  })

  it('Markdown contains no markup from the service', () => {
    const text = conformanceMarkdown(report(failed))
    expect(text).toContain('GET /pets?name=\\<b\\>\\|\\`x\\`')
    expect(text).toContain('\n2 more\n')
    expect(text).toContain('seen \\*this\\*')
  })
})
