import { describe, expect, it } from 'vitest'
import type { Report } from '../../../src/contract/generated/control.types.d.ts'
import { FINDING_KINDS } from '../../../src/world/traffic/findings.ts'
import { findingOf, GATE_NAMES, gateCount, isGated } from '../../../src/world/traffic/gates.ts'
import { countIn } from '../../../src/world/traffic/report.ts'

const report = {
  uncovered: ['createPet', 'getPet'],
  deprecatedCalls: 1,
  rateLimited: 2,
  earlyRetries: { count: 3, first: [] },
  bans: 4,
  invalidRequests: 5,
  ignoredInputs: { count: 6, first: [] },
  possibleDuplicates: 7,
  serverErrors: 8,
} as unknown as Report

describe('quality gates', () => {
  it.each([
    ['deprecated', 1],
    ['rate-limited', 2],
    ['early-retry', 3],
    ['banned', 4],
    ['invalid-request', 5],
    ['ignored-input', 6],
    ['duplicate', 7],
    ['server-error', 8],
    ['uncovered', 2],
  ] as const)('%s counts %i', (gate, count) => {
    expect(gateCount(report, gate)).toBe(count)
  })

  it('only coverage has no finding of a single request', () => {
    expect(GATE_NAMES.filter((gate) => findingOf(gate) === undefined)).toEqual(['uncovered'])
  })

  it('several count the findings of each of them', () => {
    const isCounted = (kind: string) => isGated(['banned', 'server-error', 'uncovered'], kind)
    expect(FINDING_KINDS.filter(isCounted).toSorted()).toEqual(['banned', 'server-error'])
  })
})

describe('a report', () => {
  it('counts every kind of finding; a missing member counts as zero', () => {
    expect(countIn(report, 'hold-timeout')).toBe(0)
    const counts = FINDING_KINDS.map((kind) =>
      countIn({ ...report, holdTimeouts: 9, interfaceViolations: 10 }, kind),
    )
    expect(new Set(counts)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))
  })
})
