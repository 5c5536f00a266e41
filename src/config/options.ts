import { resolvePolicy } from '../contract/decisions/decisions.ts'
import { parseDuration } from '../time/duration.ts'
import { parseInstant } from '../time/instant.ts'
import { type Latency, readLatency } from '../world/faults/latency.ts'
import { DEFAULT_MAX_STATE } from '../world/pets/state-size.ts'
import type { Policy } from '../world/policy.ts'
import { DEFAULT_PORT } from '../world/traffic/address.ts'
import { readTexts } from './readers.ts'
import type { SandboxOptions, StartOptions } from './settings.ts'
import { OPTION_NAMES, readOptions, refuseUnknown } from './table.ts'
import { at, UsageError } from './usage-error.ts'

export type { SandboxOptions }

const DEFAULTS = {
  port: DEFAULT_PORT,
  host: 'localhost',
  listen: true,
  control: false,
  trustForwarded: false,
  fresh: false,
  acceptDataFile: false,
  freeze: false,
  seed: 1,
  log: 'silent',
  faults: [],
  keys: [],
  controlOrigins: [],
  keepKeys: false,
} as const satisfies SandboxOptions

/** The validated options of a sandbox. */
export interface Settings
  extends Required<Pick<SandboxOptions, Exclude<keyof typeof DEFAULTS, 'faults' | 'keys'>>>,
    Pick<SandboxOptions, 'db' | 'fixture' | 'controlToken' | 'record'> {
  /** The files of the certificate and of its private key. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly policy: Policy
  readonly overlay: readonly string[]
  readonly latency: Latency | undefined
  /** Milliseconds since the epoch; undefined = real time. */
  readonly now: number | undefined
  /** In bytes. */
  readonly maxState: number
  /** In milliseconds; undefined for never. */
  readonly expire: number | undefined
  /** Not validated yet. */
  readonly faults: readonly unknown[]
  readonly keys: readonly unknown[]
}

/** The names of a sandbox's options: all but those for the process of `start`. */
export const SANDBOX_OPTIONS: readonly string[] = OPTION_NAMES.filter(
  (name) => !['memory', 'readyFile', 'config'].includes(name),
)

/** Validates the options of a sandbox and adds defaults. Throws a UsageError. */
export function checkOptions(options: SandboxOptions): Settings {
  refuseUnknown(options, SANDBOX_OPTIONS, 'createSandbox')
  const given = readOptions({ ...options }, (name) => `Option ${name}`)
  if (given.controlOrigins && given.controlToken === undefined)
    throw new UsageError(
      '--control-origin (controlOrigins) needs --control-token (controlToken)',
      'add a token',
    )
  if (given.fresh && given.acceptDataFile)
    throw new UsageError('--fresh and --accept-data-file exclude each other', 'leave out one of them')
  if (given.acceptDataFile && given.db === undefined)
    throw new UsageError('--accept-data-file (acceptDataFile) needs a data file', 'name it with --db (db)')
  if ((given.cert === undefined) !== (given.key === undefined))
    throw new UsageError('--cert (cert) and --key (key) belong together', 'give both, or neither')
  const { cert, key, now, latency, maxState, expire, ...others } = given
  return {
    ...DEFAULTS,
    ...others,
    tls: cert !== undefined && key !== undefined ? { cert, key } : undefined,
    policy: at('Decisions', () => resolvePolicy(foldDecisions(given))),
    overlay: readTexts(given.overlay ?? []),
    latency: latency === undefined ? undefined : readLatency(latency),
    now: now === undefined ? undefined : parseInstant(String(now)),
    expire: expire === undefined ? undefined : parseDuration(expire),
    maxState: maxState === undefined ? DEFAULT_MAX_STATE : Number(maxState),
  }
}

/**
 * The decisions of one source of options. `--limits` and `--strict` set decisions too, and override `--set` of that
 * source.
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
