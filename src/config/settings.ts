import type { DecisionName } from '../contract/decisions/decision.ts'
import type { FaultInput } from '../contract/generated/control.types.d.ts'
import type { FixtureKey } from '../world/pets/fixture.ts'
import type { Plan, PlanName } from '../world/plan.ts'

/** The options of a sandbox. */
export interface SandboxOptions {
  /** 4010 unless given; 0 = any free port. */
  readonly port?: number
  /** `localhost` unless given. */
  readonly host?: string
  /** The file of a certificate in PEM, with those of its chain behind it: the sandbox serves HTTPS. Needs `key`. */
  readonly cert?: string
  /** The file of the private key of `cert`. */
  readonly key?: string
  /** False opens no port: only `fetch` answers. */
  readonly listen?: boolean
  /**
   * For a fetch handler in a server that does not report the client's address: lets the control API answer
   * nevertheless.
   */
  readonly control?: boolean
  /** The surrounding server adds forwarding header fields itself, so they are not a sign of a proxy. */
  readonly trustForwarded?: boolean
  /** The data file; without it everything is in memory. */
  readonly db?: string
  /** The name of a built-in fixture, or a file. It is used if the data file is empty or new. */
  readonly fixture?: string
  /** Starts from the fixture even if the data file holds pets. */
  readonly fresh?: boolean
  /** Takes a data file that was changed by hand although its log is newer; the log is kept as `.bak`. */
  readonly acceptDataFile?: boolean
  /** Limits by plan: `<perMinute>/<perDay>`. */
  readonly limits?: Readonly<Partial<Record<PlanName, string | Plan>>>
  /** Decisions on what the interface leaves open, other than the defaults. */
  readonly decisions?: Readonly<Partial<Record<DecisionName, unknown>>>
  /** The same as the decision `unknown: 'reject'`. */
  readonly strict?: boolean
  /** An OpenAPI Overlay 1.0 file, or several, which are applied in their order. */
  readonly overlay?: string | readonly string[]
  /** The latency of every response: `200ms` or `100ms-300ms`. */
  readonly latency?: string
  /** The instant at which the clock starts. */
  readonly now?: string | Date
  readonly freeze?: boolean
  /** The seed of all random values. */
  readonly seed?: number
  /** The most memory for the pets of all namespaces: bytes, or a size such as `256MiB`, the default. */
  readonly maxState?: string | number
  /** Namespaces other than `default` that nobody has used for so long are dropped, such as `7d`; never unless given. */
  readonly expire?: string
  /** Request lines on the console; `silent` unless given. */
  readonly log?: LogForm
  /** The bearer token that the control API requires. */
  readonly controlToken?: string
  /** Fault rules that every namespace begins with, as `faults.add` takes them. */
  readonly faults?: readonly FaultInput[]
  /** Keys that are valid from the start, as in a fixture: `{ key, plan, expiresAt? }`. */
  readonly keys?: readonly FixtureKey[]
  /** The origins whose pages may call the control API, with its token. */
  readonly controlOrigins?: readonly string[]
  /** A file that gets a recording, to be replayed: `.jsonl` or `.jsonl.gz`. */
  readonly record?: string
  /** Leaves keys in the recording as they are; otherwise they are replaced by pseudonyms. */
  readonly keepKeys?: boolean
  /** A recording, to begin with what was there at its end: pets, limits, clock and journal. It brings its own options. */
  readonly recording?: string
}

export type LogForm = 'pretty' | 'json' | 'silent'

/** The options of `start`: those of a sandbox, and those of its process. */
export interface StartOptions
  extends Omit<SandboxOptions, 'listen' | 'control' | 'trustForwarded' | 'recording'> {
  /** No data file. */
  readonly memory?: boolean
  /** A file that receives one JSON line once the sandbox is ready. */
  readonly readyFile?: string
  /** The configuration file. */
  readonly config?: string
}
