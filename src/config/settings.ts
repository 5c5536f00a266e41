import type { FaultInput } from '../contract/generated/control.types.d.ts'
import type { DecisionName } from '../decisions/decision.ts'
import type { Plan, PlanName } from '../domain/limits/plan.ts'
import type { FixtureKey } from '../domain/pets/fixture.ts'
import type { Policy } from '../domain/policy.ts'
import type { Latency } from '../domain/traffic/latency.ts'

/** What a sandbox can be told when it is made. */
export interface SandboxOptions {
  /** 4010 unless given; 0 = any free port. */
  readonly port?: number
  /** `localhost` unless given. */
  readonly host?: string
  /** False opens no port: only `fetch` answers. */
  readonly listen?: boolean
  /**
   * Where it is mounted in another server that does not tell where a request comes from, as a fetch handler: lets the
   * control API answer all the same.
   */
  readonly control?: boolean
  /** The server that it is mounted in itself adds forwarding header fields: they are no sign of a proxy. */
  readonly trustForwarded?: boolean
  /** The data file; without it everything is in memory. */
  readonly db?: string
  /** A fixture that ships, by name, or a file. It is used where the data file holds nothing yet. */
  readonly fixture?: string
  /** Starts from the fixture even where the data file holds pets. */
  readonly fresh?: boolean
  /** Takes a data file that was changed by hand although its log is newer; the log is kept as `.bak`. */
  readonly acceptDataFile?: boolean
  /** By plan: `<perMinute>/<perDay>`. */
  readonly limits?: Readonly<Partial<Record<PlanName, string | Plan>>>
  /** What the interface leaves open, decided otherwise than by default. */
  readonly decisions?: Readonly<Partial<Record<DecisionName, unknown>>>
  /** The same as the decision `unknown: 'reject'`. */
  readonly strict?: boolean
  /** An OpenAPI Overlay 1.0 file. */
  readonly overlay?: string
  /** How late every answer is: `200ms` or `100ms-300ms`. */
  readonly latency?: string
  /** Where the clock starts. */
  readonly now?: string | Date
  readonly freeze?: boolean
  /** Of all chance. */
  readonly seed?: number
  /** What the pets of all namespaces may take together: bytes, or a size such as `256MiB`, which it is unless given. */
  readonly maxState?: string | number
  /** Request lines on the console; `silent` unless given. */
  readonly log?: LogForm
  /** The bearer token that the control API asks for. */
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
}

export type LogForm = 'pretty' | 'json' | 'silent'

/** What `start` can be told: a sandbox's options, and what concerns its process. */
export interface StartOptions extends Omit<SandboxOptions, 'listen' | 'control' | 'trustForwarded'> {
  /** No data file. */
  readonly memory?: boolean
  /** Gets one JSON line once the sandbox is ready. */
  readonly readyFile?: string
  /** The configuration file. */
  readonly config?: string
}

/** The options of a sandbox, checked, with everything filled in. */
export interface Settings {
  readonly port: number
  readonly host: string
  readonly listen: boolean
  readonly control: boolean
  readonly trustForwarded: boolean
  /** Undefined in memory. */
  readonly db: string | undefined
  readonly fixture: string | undefined
  readonly fresh: boolean
  readonly acceptDataFile: boolean
  readonly policy: Policy
  readonly overlay: string | undefined
  readonly latency: Latency | undefined
  /** Milliseconds since the epoch; undefined = real time. */
  readonly now: number | undefined
  readonly freeze: boolean
  readonly seed: number
  /** In bytes. */
  readonly maxState: number
  readonly log: LogForm
  readonly controlToken: string | undefined
  /** As they were given: still to be checked. */
  readonly faults: readonly unknown[]
  readonly keys: readonly unknown[]
  readonly controlOrigins: readonly string[]
  readonly record: string | undefined
  readonly keepKeys: boolean
}
