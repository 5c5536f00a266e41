import type { Comparison } from './comparison.ts'
import { type Goal, goalForCost } from './goals.ts'
import type { MeasuredLoad } from './load.ts'

/** Two rows: the rates of two servers, and their processor time per request. No rows if the other could not be measured. */
export function loadRows(
  what: string,
  ours: readonly MeasuredLoad[],
  { name, loads }: { readonly name: string; readonly loads: readonly MeasuredLoad[] | undefined },
  goal: { readonly rate: Goal | undefined },
): Comparison[] {
  if (!loads) return []
  const line = (unit: string, of: (load: MeasuredLoad) => number, limit: Goal | undefined): Comparison => ({
    what: unit === '/s' ? what : `${what}, processor time`,
    unit,
    ours: ours.map(of),
    against: { name, figures: loads.map(of) },
    goal: limit,
  })
  return [line('/s', ({ rate }) => rate, goal.rate), line('µs', ({ cost }) => cost, goalForCost(name))]
}
