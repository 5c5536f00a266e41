import { describe, expect, it } from 'vitest'
import { PLAIN as paint } from '../../src/views/colours.ts'
import type { GateResult, RunSummary } from '../../src/views/report/run-recorder.ts'
import { reportText } from '../../src/views/report-text.ts'
import {
  backoffText,
  findingsInWords,
  gatesText,
  runSummaryMarkdown,
  runSummarySuite,
  shortReport,
  testsText,
} from '../../src/views/run-summary.ts'
import { Tally } from '../../src/world/traffic/tally.ts'
import { exchange } from '../support/exchange.ts'

const run = { command: 'npm test', code: 0, at: '2026-11-19T12:34:56.000Z', ms: 12 }
const HOSTILE = '::error::<b>|`x`\u001b[2J\nnext'

const gate = (count: number, first: readonly string[]): GateResult => ({
  gate: 'deprecated',
  title: 'calls of deprecated operations',
  count,
  first,
})
const reportOf = (...all: Parameters<typeof exchange>[0][]) => {
  const tally = new Tally()
  for (const each of all) tally.count(exchange(each))
  return tally.view(['listPets', 'createPet'], String)
}
const summary = (members: Partial<RunSummary> = {}): RunSummary => ({
  report: reportOf({}),
  gates: [],
  backoff: [],
  tests: [],
  ...members,
})
const test = (name: string, findings: RunSummary['tests'][number]['findings']) => ({
  test: name,
  requests: 3,
  findings,
  first: ['line of a gate'],
  others: ['other line'],
})

describe('a short report', () => {
  it('lists the counts that are not zero, and the operations that were never called', () => {
    expect(shortReport(reportOf({}, { status: 401 }))).toBe(
      'report: requests 2\nanswers: listPets 200: 1, 401: 1; never called createPet\n',
    )
    expect(shortReport(reportOf())).toBe('report: requests 0\nanswers: never called listPets, createPet\n')
  })

  it('counts each ignored input, and shows the first ones', () => {
    const findings = [
      { kind: 'ignored-input', inputs: ['parameter a', `parameter ${HOSTILE}`], more: 3 },
    ] as const
    const report = reportOf({ findings })
    expect(shortReport(report)).toContain('ignored inputs 5')
    const text = reportText(report, paint)
    expect(text).toMatch(/Ignored inputs:\n.*parameter a\n.*\n {2}… 3 more\n$/)
    expect(text).not.toContain('\u001b')
  })
})

describe('gates', () => {
  it('are passed or failed, with the first violations and the number of others', () => {
    expect(gatesText([gate(0, []), gate(3, [HOSTILE, 'b'])], paint)).toBe(
      `passed  deprecated
failed  deprecated  calls of deprecated operations: 3
          ::error::<b>|\`x\`\\u001b[2J\\u000anext
          b
          … and 1 more
`,
    )
  })

  it('are failures of a suite; the command fails with its code', () => {
    const suite = runSummarySuite(summary({ gates: [gate(0, []), gate(1, ['a'])] }), { ...run, code: 7 })
    expect(suite.cases.map(({ failure }) => failure?.message)).toEqual([
      'exit code 7',
      undefined,
      'calls of deprecated operations: 1',
    ])
  })
})

describe('tests', () => {
  const tests = [test(HOSTILE, { 'deprecated-call': 1, banned: 2 }), test('b', { 'early-retry': 1 })]

  it('are listed with their findings', () => {
    expect(findingsInWords(tests[0] as (typeof tests)[number])).toBe(
      '1 call of a deprecated operation, 2 bans',
    )
    expect(testsText([])).toBe('')
    expect(testsText(tests).split('\n')).toHaveLength(4)
  })

  it('fail in a suite only if a gate covers their findings', () => {
    const [, , first, second] = runSummarySuite(summary({ gates: [gate(1, ['a'])], tests }), run).cases
    expect([first?.failure, first?.output]).toEqual([
      { message: '1 call of a deprecated operation', details: 'line of a gate' },
      '2 bans\nother line',
    ])
    expect([second?.failure, second?.output]).toEqual([undefined, '1 early retry\nother line'])
    expect(runSummarySuite(summary({ tests }), run).cases.every(({ failure }) => failure === undefined)).toBe(
      true,
    )
  })
})

it('Markdown has each part that is not empty, and no markup of clients', () => {
  const text = runSummaryMarkdown(
    summary({ gates: [gate(1, [HOSTILE])], backoff: [HOSTILE], tests: [test(HOSTILE, { banned: 1 })] }),
    { ...run, command: HOSTILE },
  )
  for (const part of ['| Gate |', '## deprecated', '## Backoff', '## Tests', '## Report', 'never called']) {
    expect(text).toContain(part)
  }
  expect(text).not.toMatch(/(?<!\\)<b>|(?<!\\)`x|^next/m)
  expect(text).not.toContain('\u001b')
  const short = runSummaryMarkdown(summary(), run)
  for (const part of ['| Gate |', '## Backoff', '## Tests']) expect(short).not.toContain(part)
})

it('without backoff there is no heading', () => {
  expect(backoffText([])).toBe('')
  expect(backoffText(['a\u001b'])).toBe('Backoff:\n  a\\u001b\n')
})
