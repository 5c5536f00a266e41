import { type Goal, reached } from './goals.ts'

/** A row of the table: the figures of the sandbox, one per round, and those of another server. */
export interface Comparison {
  readonly what: string
  readonly unit: string
  readonly ours: readonly number[]
  readonly against?: { readonly name: string; readonly figures: readonly number[] }
  readonly goal?: Goal | undefined
}

/** The result of a comparison: medians, and the median of the ratios within each round. */
export interface Verdict {
  readonly what: string
  readonly unit: string
  readonly ours: number
  readonly against?: string
  readonly theirs?: number
  readonly ratio?: number
  readonly goal?: Goal
  readonly reached?: boolean
}

export function judge({ what, unit, ours, against, goal }: Comparison): Verdict {
  const figure = median(ours)
  const ratio = against && median(ours.map((own, round) => own / (against.figures[round] ?? Number.NaN)))
  return {
    what,
    unit,
    ours: figure,
    ...(against && { against: against.name, theirs: median(against.figures), ratio }),
    ...(goal && { goal, reached: reached(goal, ratio ?? figure) }),
  }
}

function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
