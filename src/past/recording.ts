import { AdvisedError } from '../text/advised-error.ts'
import type { PetTable } from '../world/pets/collection.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import type { StoredKey } from '../world/store.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import type { RecordedState } from './world-state.ts'

/** The text is not a recording, or has a format that this version does not read; or a recording cannot be written. */
export class RecordingError extends AdvisedError {
  override readonly name = 'RecordingError'
}

/** The version of the format: it is written, and this and older ones are read. */
export const RECORDING_VERSION = 1

export interface RecordedNamespace {
  /** Undefined for the pets of the start fixture. */
  readonly pets?: PetTable
  readonly empty?: PetTable
  readonly keys: readonly StoredKey[]
  /** True if nothing in it was stored. */
  readonly isUnstored?: true
  /** Undefined if nothing had happened in it. */
  readonly state?: RecordedState
  readonly snapshots?: readonly RecordedSnapshot[]
}

export interface RecordedSnapshot extends CompleteFixture {
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The first line of a recording. */
export interface RecordingHead {
  readonly recording: number
  /** The version of the program. */
  readonly version: string
  /** ISO 8601. */
  readonly startedAt: string
  /** When the initial state was captured, in milliseconds since `startedAt`; 0 by default. */
  readonly at?: number
  /** The number of requests in progress then; their later changes are missing. */
  readonly waiting?: number
  readonly origin: string
  /** The options of its user, without paths of the machine. */
  readonly options: Readonly<Record<string, unknown>>
  readonly overlay?: string
  /** The digest of the contract. */
  readonly contract: string
  readonly start: {
    readonly fixture: CompleteFixture
    readonly namespaces: Readonly<Record<string, RecordedNamespace>>
  }
}

type RecordedBody =
  | { readonly body?: string }
  | { readonly base64: string }
  /** In place of a body that is too long. */
  | { readonly sha256: string }

export type RecordedRequest = Pick<Request, 'method' | 'target' | 'headers'> &
  RecordedBody & { readonly tooLarge?: true }

export type RecordedReply = Pick<Reply, 'status' | 'headers' | 'wire'> &
  RecordedBody & {
    /** It is the error because of which the command stored nothing. This may be known only after the command was written. */
    readonly refused?: true
  }

interface RecordedStep {
  /** The later instant that the clock showed before it was set back, in milliseconds since `startedAt`. */
  readonly from?: number
  /** Milliseconds since `startedAt`. */
  readonly at: number
  /** The number of replies that were sent before. */
  readonly replied: number
}

/** A change that a command of another namespace made in the recorded one. */
export interface RecordedChange extends RecordedStep {
  /** The number of the command before the change; 0 at the start. */
  readonly after: number
  /** The keys of `default`, which are inherited, if they were replaced. */
  readonly keys?: readonly StoredKey[]
}

export interface RecordedCommand extends RecordedStep {
  readonly n: number
  readonly request: RecordedRequest
  readonly refused?: true
}

export interface Recording {
  readonly head: RecordingHead
  readonly commands: readonly RecordedCommand[]
  readonly changes: readonly RecordedChange[]
  /** By the number of the command, in the order in which they were sent; a request in progress at the end has none. */
  readonly replies: ReadonlyMap<number, RecordedReply>
  /** Milliseconds since `startedAt`; undefined if the end is missing. */
  readonly endedAt: number | undefined
}

/** A line after the first: a command, its reply, a change by another namespace, or the end of the recording. */
export interface RecordedLine {
  readonly n?: number
  readonly from?: number
  readonly at?: number
  readonly request?: RecordedRequest
  /** The request is the same as that of this command. */
  readonly requestOf?: number
  /** The command had no room for its change, which depends on the pets of other namespaces. */
  readonly refused?: true
  readonly keys?: readonly StoredKey[]
  readonly reply?: RecordedReply
  /** The header fields are those of this command (of its request or of its reply), except for the values given here. */
  readonly headersOf?: number
  /** The body is that of the reply to this command. */
  readonly bodyOf?: number
  readonly end?: number
}
