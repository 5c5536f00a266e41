import { resolvePolicy } from '../contract/decisions/decisions.ts'
import { parseDuration } from '../time/duration.ts'
import { parseInstant } from '../time/instant.ts'
import { readLatency } from '../world/faults/latency.ts'
import { DEFAULT_MAX_STATE } from '../world/pets/state-size.ts'
import { foldDecisions } from './fold-decisions.ts'
import { readSwitch, readTexts } from './readers.ts'
import type { SandboxOptions, Settings } from './settings.ts'
import { OPTION_NAMES, type OptionName, readOptions, refuseUnknown } from './table.ts'
import { at, UsageError } from './usage-error.ts'

export type { SandboxOptions, Settings }

/** Options of the process of `start`, which no sandbox has. */
const OF_PROCESS: readonly OptionName[] = ['memory', 'readyFile', 'config']

/** The names of a sandbox's options. */
export const SANDBOX_OPTIONS: readonly string[] = [
  ...OPTION_NAMES.filter((name) => !OF_PROCESS.includes(name)),
  'listen',
  'control',
  'trustForwarded',
]

/** Validates the options of a sandbox and fills in defaults; throws a UsageError. */
export function checkOptions(options: SandboxOptions): Settings {
  refuseUnknown(options, SANDBOX_OPTIONS, 'createSandbox')
  const given = readOptions({ ...options }, (name) => `Option ${name}`)
  if (given.controlOrigins && given.controlToken === undefined) {
    throw new UsageError(
      '--control-origin (controlOrigins) lets pages send the control token',
      'give --control-token (controlToken) as well',
    )
  }
  if (given.fresh && given.acceptDataFile) {
    throw new UsageError('--fresh ignores the data file, --accept-data-file uses it', 'leave out one of them')
  }
  if ((given.cert === undefined) !== (given.key === undefined)) {
    throw new UsageError('--cert (cert) and --key (key) belong together', 'give both, or neither')
  }
  return {
    port: given.port ?? 4010,
    host: given.host ?? 'localhost',
    tls:
      given.cert !== undefined && given.key !== undefined ? { cert: given.cert, key: given.key } : undefined,
    listen: at('Option listen', () => readSwitch(options.listen ?? true)),
    control: at('Option control', () => readSwitch(options.control ?? false)),
    trustForwarded: at('Option trustForwarded', () => readSwitch(options.trustForwarded ?? false)),
    db: given.db,
    fixture: given.fixture,
    fresh: given.fresh ?? false,
    acceptDataFile: given.acceptDataFile ?? false,
    policy: at('Decisions', () => resolvePolicy(foldDecisions(given))),
    overlay: readTexts(given.overlay ?? []),
    latency: given.latency === undefined ? undefined : readLatency(given.latency),
    now: given.now === undefined ? undefined : parseInstant(String(given.now)),
    freeze: given.freeze ?? false,
    seed: given.seed ?? 1,
    maxState: given.maxState === undefined ? DEFAULT_MAX_STATE : Number(given.maxState),
    expire: given.expire === undefined ? undefined : parseDuration(given.expire),
    log: given.log ?? 'silent',
    controlToken: given.controlToken,
    faults: given.faults ?? [],
    keys: given.keys ?? [],
    controlOrigins: given.controlOrigins ?? [],
    record: given.record,
    keepKeys: given.keepKeys ?? false,
  }
}
