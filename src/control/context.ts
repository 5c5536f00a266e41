import type { GenerateOptions } from '../contract/generate/generate-pets.ts'
import type { ResetPart } from '../contract/generated/control.types.d.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import type { PetShape } from '../contract/openapi/pet-shape.ts'
import type { Commands } from '../past/commands.ts'
import type { Slices } from '../time/slices.ts'
import type { Timer } from '../time/timer.ts'
import type { Command } from '../world/command.ts'
import type { Committer } from '../world/commit.ts'
import type { WorldState } from '../world/parts.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import type { Int64 } from '../world/pets/pet.ts'
import type { Point } from '../world/point.ts'
import type { Policy } from '../world/policy.ts'
import type { Snapshots } from '../world/store.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import type { Worlds } from '../world/worlds.ts'
import type { RequestCounts } from './request-counts.ts'
import type { StateChanges, Subscribers } from './state-changes.ts'

/** Reads the past of a world: its state at a point, or its recording in parts. */
export interface PastReader {
  stateAt(world: World, point: Point): Promise<WorldState>
  recording(world: World): AsyncGenerator<string>
}

/** The dependencies of the control API: the worlds, and functions of other rooms. */
export interface ControlDeps extends Committer {
  /** The contract of the control API. */
  readonly contract: Contract
  readonly worlds: Worlds
  readonly policy: Policy
  /** Applies a command: a call that may change something. `isAlone`: no other command is applied until its reply. */
  readonly apply: Commands['apply']
  /** Undefined in a proxy, whose service has the state. */
  readonly past: PastReader | undefined
  /** The base URL of the service of a proxy. */
  readonly service?: string
  readonly snapshots: Snapshots
  /** The queue for work that grows with its input. */
  readonly slices: Slices
  readonly timer: Timer
  /** Undefined if requests of this machine are accepted without a token. */
  readonly token: string | undefined
  /** Whether requests pass unguarded, because a recording is being replayed. */
  readonly trusted: () => boolean
  /** The origins whose pages may call the control API with the token. */
  readonly origins: readonly string[]
  /** Real time, in milliseconds since the epoch; it does not advance while a command is applied. */
  readonly realTime: () => number
  /** The system clock, for calls that are not commands. */
  readonly clock: () => number
  /** Returns `length` random bytes, for a key that cannot be guessed. */
  readonly entropy: (length: number) => Uint8Array
  readonly startedAt: number
  /** Every operation of the Animal Store, enabled or not. */
  readonly knownOperations: readonly string[]
  /** The effective document of the Animal Store. `removed`: without the operations that have a sunset. */
  readonly document: (removed: boolean) => OpenApiDocument
  /** The shape of pets in the effective document. */
  readonly petShape: PetShape
  /** Reads a built file of the inspector, such as `index.html.br`; undefined if there is none. */
  readonly page: (name: string) => Promise<Uint8Array | undefined>
  /** The names of the fixtures that come with the sandbox. */
  readonly fixtureNames: readonly string[]
  readonly loadFixture: (name: string) => Promise<CompleteFixture>
  /** Validates a fixture and assigns ids that are not in use, in steps. Throws a FixtureError with every problem. */
  readonly completeSteps: (
    input: unknown,
    existing?: { readonly nextId: Int64; has(id: Int64): boolean },
  ) => Generator<unknown, CompleteFixture>
  readonly generate: (options: GenerateOptions) => Promise<CompleteFixture>
  /** Exchanges as an HTTP Archive 1.2, in parts. */
  readonly har: (exchanges: readonly Exchange[]) => Iterable<string>
  /** Handles a request to the Animal Store, as a part of the command that is applied. */
  readonly send: (command: Command) => Reply | Promise<Reply>
  /** Loads Prism, which such a request may need; undefined if it is already loaded. */
  readonly loadMocks: () => Promise<void> | undefined
  /** Each receives every exchange after it was recorded. */
  readonly subscribers: Set<(exchange: Exchange) => void>
  readonly counts: RequestCounts
  /** The longest delay of the event loop since the last call, in seconds; undefined if it is not measured. */
  readonly loopDelay: () => number | undefined
  /** Whether only the namespace of a call is here, with a copy of `default` for its keys. */
  readonly hasOneNamespace?: true
  /** Answers a message of the Model Context Protocol. */
  readonly mcp: (request: globalThis.Request) => Promise<Response>
  /** Aborted at shutdown, to end all waits. */
  readonly shutdown: AbortSignal
  /** Closes the connections on which a client would not notice a wire fault. Resolves when they are closed. */
  readonly closeReusedConnections: () => Promise<void>
  /** Called with the parts that a control call has changed. */
  readonly onChange: (world: World, changed: readonly ResetPart[]) => void
  /** Receives unexpected failures. */
  readonly onFailure: (error: unknown) => void
}

/** A world to read, and its instant of real time. */
export interface WorldAt {
  readonly world: World
  readonly real: number
}

/** A call of the control API, of any operation. */
export interface ControlContext {
  readonly deps: ControlDeps
  readonly request: Request
  /** Real time of its arrival, in milliseconds. */
  readonly real: number
  readonly namespace: string
  /** Promises that the reply waits for; meanwhile the next commands are applied. */
  readonly due: (Promise<unknown> | undefined)[]
  /** A namespace, by default that of the call; created only if a command is applied. */
  world(name?: string): World
  /** The world to read: now, or at the point that `at` and `side` name. */
  view(): WorldAt
  readonly changes: StateChanges
  /** Functions that end the waits of calls; called at shutdown. */
  readonly waiting: Set<() => void>
  /** Emits each exchange of a namespace once it is in the journal. */
  readonly recorded: Subscribers<Exchange>
}
