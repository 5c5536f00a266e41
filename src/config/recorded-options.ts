import { iso } from '../time/instant.ts'
import type { SandboxOptions } from './settings.ts'

/** The options that a recording contains: no paths of this machine, and no token. */
export const RECORDED_OPTIONS = [
  'limits',
  'decisions',
  'strict',
  'latency',
  'now',
  'freeze',
  'seed',
  'maxState',
  'faults',
  'keys',
] as const

/** The options of a recording that a sandbox takes: a recording may come from anywhere. */
export const replayedOptions = (options: Readonly<Record<string, unknown>>): SandboxOptions =>
  Object.fromEntries(RECORDED_OPTIONS.filter((name) => name in options).map((name) => [name, options[name]]))

/** The options of a sandbox as a recording of it has them; `now`: where its clock starts. */
export const recordedOptions = (
  options: SandboxOptions,
  now: number | undefined,
): Readonly<Record<string, unknown>> => ({
  ...replayedOptions({ ...options }),
  ...(now !== undefined && { now: iso(now) }),
})
