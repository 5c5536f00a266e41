import type { Verdict } from './comparison.ts'
import type { Goal } from './goals.ts'

const HEAD = ['what', 'petstore-sandbox', 'beside', 'its figure', 'ratio', 'goal', 'reached']

export function plainTable(verdicts: readonly Verdict[]): string {
  const rows = [HEAD, ...verdicts.map(cells)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => padded(row, widths).join('  ').trimEnd()).join('\n')
}

export function markdownTable(verdicts: readonly Verdict[]): string {
  const rows = [HEAD, HEAD.map(() => '---'), ...verdicts.map(cells)]
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n')
}

const padded = (row: readonly string[], widths: readonly number[]): string[] =>
  row.map((cell, column) => cell.padEnd(widths[column] ?? 0))

const cells = (verdict: Verdict): string[] => [
  verdict.what,
  figure(verdict.ours, verdict.unit),
  verdict.against ?? '',
  verdict.theirs === undefined ? '' : figure(verdict.theirs, verdict.unit),
  verdict.ratio === undefined ? '' : verdict.ratio.toFixed(2),
  verdict.goal ? goalText(verdict.goal, verdict.ratio === undefined ? verdict.unit : '') : '',
  verdict.reached === undefined ? '' : verdict.reached ? 'yes' : 'no',
]

function figure(value: number, unit: string): string {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })} ${unit}`.trimEnd()
}

const goalText = (goal: Goal, unit: string): string =>
  ('atMost' in goal ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`) + (unit && ` ${unit}`)
