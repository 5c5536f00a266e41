import { type Comparison, judge, type Verdict } from './comparison.ts'
import type { Contender } from './contenders.ts'
import type { Size } from './context.ts'
import { markdownTable, plainTable } from './table.ts'

/** The results of a run, and its conditions. */
export interface Report {
  /** The time, as ISO 8601. */
  readonly at: string
  readonly node: string
  readonly machine: string
  readonly load: string
  readonly size: Size
  readonly beside: readonly Contender[]
  readonly comparisons: readonly Comparison[]
  readonly notes: readonly string[]
  readonly failures: readonly string[]
}

export const asJson = ({ beside, comparisons, ...report }: Report): string =>
  `${JSON.stringify(
    {
      ...report,
      versions: versionsOf(beside),
      rows: comparisons.map((comparison) => ({ ...judge(comparison), figures: figuresOf(comparison) })),
    },
    undefined,
    2,
  )}\n`

export const asText = (report: Report): string =>
  [plainTable(verdictsOf(report)), conditions(report).join('\n'), ...remarks(report)].join('\n\n')

export const asMarkdown = (report: Report): string =>
  `${[markdownTable(verdictsOf(report)), bullets(conditions(report)), bullets(remarks(report))]
    .filter((part) => part !== '')
    .join('\n\n')}\n`

const figuresOf = ({ ours, against }: Comparison): object => ({
  ours,
  ...(against && { theirs: against.figures }),
})

const verdictsOf = ({ comparisons }: Report): Verdict[] => comparisons.map(judge)

const versionsOf = (beside: readonly Contender[]): readonly string[] =>
  beside.flatMap(({ packages = [] }) => packages)

const conditions = ({ at, node, machine, load, size, beside }: Report): string[] => [
  `${at}, Node ${node}, ${machine}`,
  `Load: ${load}; ${size.seconds} s after ${size.warmUp} s of warming up, a fresh process each time`,
  `Medians of ${size.starts} starts, ${size.rounds} loads, ${size.longRounds} long loads, ${size.installs} installs, everybody in turn; ratios within a round`,
  ...(versionsOf(beside).length > 0 ? [`Beside: ${versionsOf(beside).join(', ')}`] : []),
]

const remarks = ({ notes, failures }: Report): string[] => [
  ...notes,
  ...failures.map((failure) => `NOT MEASURED: ${failure}`),
]

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')
