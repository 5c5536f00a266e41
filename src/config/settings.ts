import type { DecisionName } from '../contract/decisions/decision.ts'
import type { FaultInput } from '../contract/generated/control.types.d.ts'
import type { FixtureKey } from '../world/pets/fixture.ts'
import type { Plan, PlanName } from '../world/plan.ts'

/** The options of a sandbox. */
export interface SandboxOptions {
  /** The default is 4010; 0 = any free port. */
  readonly port?: number
  /** The default is `localhost`. */
  readonly host?: string
  /** The file of a certificate in PEM, followed by its chain, for HTTPS. Needs `key`. */
  readonly cert?: string
  /** The file of the private key of `cert`. */
  readonly key?: string
  /** With false, no port is opened; only `fetch`, `handler` and `middleware` answer. The default is true. */
  readonly listen?: boolean
  /** Enables the control API in a fetch handler whose host server does not report the address of the client. */
  readonly control?: boolean
  /** The host server itself adds forwarding header fields: they are not treated as the sign of a proxy. */
  readonly trustForwarded?: boolean
  /** The data file. Without it, state is in memory only. */
  readonly db?: string
  /** The name of a built-in fixture, or a file. It is used if the data file is empty or new. */
  readonly fixture?: string
  /** Starts from the fixture even if the data file contains pets. */
  readonly fresh?: boolean
  /** Accepts a data file that was edited although its log is newer. The log is kept as `.bak`. */
  readonly acceptDataFile?: boolean
  /** Limits by plan: `{ free: '5/100' }` for 5 requests a minute and 100 a day; each may be `unlimited`. */
  readonly limits?: Readonly<Partial<Record<PlanName, string | Plan>>>
  /** Values of decisions about what the interface leaves open: `{ 'list.limit': 'clamp' }`. */
  readonly decisions?: Readonly<Partial<Record<DecisionName, unknown>>>
  /** The same as the decision `unknown: 'reject'`. */
  readonly strict?: boolean
  /** An OpenAPI Overlay file (1.0 to 1.2), or several, applied in their order. */
  readonly overlay?: string | readonly string[]
  /** The latency of every response: `200ms` or `100ms-300ms`. */
  readonly latency?: string
  /** The instant at which the clock starts: `2030-12-05T00:00:00Z`, a date or a Date. The default is real time. */
  readonly now?: string | Date
  /** Starts with the clock frozen. */
  readonly freeze?: boolean
  /** The seed of all random choices: an integer of at least 0. The default is 1. */
  readonly seed?: number
  /** The memory limit for pets, keys, fault rules and snapshots in memory: bytes, or a size; the default is `256MiB`. */
  readonly maxState?: string | number
  /** Drops namespaces other than `default` that were not used for this long, such as `7d`. Without it, none is dropped. */
  readonly expire?: string
  /** The format of the request log on the console; the default is `silent`. */
  readonly log?: LogForm
  /** The bearer token that the control API requires. */
  readonly controlToken?: string
  /** Fault rules of every namespace at its start, in the form of `faults.add`: without the id of a listed rule. */
  readonly faults?: readonly (FaultInput & { readonly id?: never })[]
  /** Keys that are valid in every namespace: `{ key, plan, expiresAt? }`, as in a fixture. */
  readonly keys?: readonly FixtureKey[]
  /** The origins whose pages may call the control API, with its token. */
  readonly controlOrigins?: readonly string[]
  /** The file for a recording: `.jsonl` or `.jsonl.gz`. */
  readonly record?: string
  /** Keeps keys unchanged in the recording; by default they are replaced by pseudonyms. */
  readonly keepKeys?: boolean
  /** A recording whose final state the sandbox begins with: pets, limits, clock and journal. Its options are used too. */
  readonly recording?: string
}

export type LogForm = 'pretty' | 'json' | 'silent'

/** The options of a sandbox, and those of the process of `start`. */
export interface StartOptions extends Omit<SandboxOptions, 'recording'> {
  /** Uses no data file. */
  readonly memory?: boolean
  /** A file that receives one JSON line once the sandbox is ready. */
  readonly readyFile?: string
  /** The configuration file. */
  readonly config?: string
}
