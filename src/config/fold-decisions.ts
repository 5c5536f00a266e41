import type { StartOptions } from './settings.ts'

/**
 * The decisions from the options of one source: `--limits` and `--strict` are decisions too, and override
 * `--set` of the same source.
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
