import type { StartOptions } from './settings.ts'

/**
 * The decisions that the options of one place make: `--limits` and `--strict` are decisions too, and win over
 * `--set` beside them.
 */
export function foldDecisions({ limits, decisions, strict }: StartOptions): Record<string, unknown> {
  const plans = Object.entries(limits ?? {}).map(([plan, limit]) => [`plans.${plan}`, limit])
  return {
    ...(strict === false && { unknown: 'ignore' }),
    ...decisions,
    ...Object.fromEntries(plans),
    ...(strict === true && { unknown: 'reject' }),
  }
}
