import { iso } from '../time/instant.ts'
import type { SandboxOptions } from './settings.ts'

/** The options that a recording contains. None has a path of this machine or a token. */
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
const NAMES: readonly string[] = RECORDED_OPTIONS

/** The accepted options of a recording, which may come from anywhere. */
export const replayedOptions = (options: Readonly<Record<string, unknown>>): SandboxOptions =>
  Object.fromEntries(RECORDED_OPTIONS.filter((name) => name in options).map((name) => [name, options[name]]))

/** The options that a recording does not contain, such as a token. */
export const unrecordedOptions = (
  options: SandboxOptions,
): Omit<SandboxOptions, (typeof RECORDED_OPTIONS)[number]> =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !NAMES.includes(name)))

/** The recorded options of a sandbox. `now`: the instant at which its clock starts. */
export const recordedOptions = (options: SandboxOptions, now: number | undefined) => ({
  ...replayedOptions({ ...options }),
  ...(now !== undefined && { now: iso(now) }),
})
