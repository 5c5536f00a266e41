import { resolvePolicy } from '../contract/decisions.ts'
import { parseInstant } from '../domain/instant.ts'
import { readLatency } from '../domain/latency.ts'
import { foldDecisions } from './fold.ts'
import { readSwitch } from './readers.ts'
import type { SandboxOptions, Settings } from './settings.ts'
import { readOptions, refuseUnknown } from './table.ts'
import { at } from './usage-error.ts'

export type { SandboxOptions, Settings }

/** The names of a sandbox's options. */
export const SANDBOX_OPTIONS = [
  'port',
  'host',
  'listen',
  'db',
  'fixture',
  'fresh',
  'acceptDataFile',
  'limits',
  'decisions',
  'strict',
  'overlay',
  'latency',
  'now',
  'freeze',
  'seed',
  'log',
  'controlToken',
] as const satisfies (keyof SandboxOptions)[]

/** Checks the options of a sandbox and fills in what is left out; throws a UsageError. */
export function checkOptions(options: SandboxOptions): Settings {
  refuseUnknown(options, SANDBOX_OPTIONS, 'createSandbox')
  const given = readOptions({ ...options }, (name) => `Option ${name}`)
  return {
    port: given.port ?? 4010,
    host: given.host ?? 'localhost',
    listen: at('Option listen', () => readSwitch(options.listen ?? true)),
    db: given.db,
    fixture: given.fixture,
    fresh: given.fresh ?? false,
    acceptDataFile: given.acceptDataFile ?? false,
    policy: at('Decisions', () => resolvePolicy(foldDecisions(given))),
    overlay: given.overlay,
    latency: given.latency === undefined ? undefined : readLatency(given.latency),
    now: given.now === undefined ? undefined : parseInstant(String(given.now)),
    freeze: given.freeze ?? false,
    seed: given.seed ?? 1,
    log: given.log ?? 'silent',
    controlToken: given.controlToken,
  }
}
