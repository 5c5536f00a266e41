import type { Timeline } from '../time/timeline.ts'
import type { Fixture } from '../world/pets/fixture.ts'
import type { Snapshots } from '../world/store.ts'
import type { Handle, Request } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'
import type { Commands } from './commands.ts'
import type { RecordedLine } from './recording.ts'
import type { OpenStage } from './repeat.ts'

/** The inside of a sandbox, for making and replaying recordings. */
export interface Internals {
  readonly worlds: Worlds
  readonly timeline: Timeline
  readonly commands: Commands
  readonly handle: Handle
  /** The JSON text of its contract. */
  readonly contractText: () => string
  /** The text of the overlay of its contract. */
  readonly overlay: string | undefined
  readonly fixture: Fixture
  readonly snapshots: Snapshots
  readonly openStage: OpenStage
  /** Its options as a recording of it has them. */
  readonly options: Readonly<Record<string, unknown>>
  /** Whether recordings have keys as they are. */
  readonly keepKeys: boolean
  readonly isControl: (request: Request) => boolean
  readonly origin: () => string
  readonly version: string
  /** Resolves in a turn in which no other work in slices follows. */
  readonly turn: () => Promise<void>
}

/** Takes the lines of a recording while it is made. */
export interface Lines {
  /** Whether it should go on from a checkpoint, as soon as no request is waiting. */
  readonly wantsCheckpoint: boolean
  /** Whether that must not wait any longer. */
  readonly isOverdue: boolean
  /** Begins with the parts of a first line. Rejects where it cannot be written. */
  begin(head: AsyncIterable<string>): Promise<void>
  continueFrom(head: AsyncIterable<string>): void
  write(line: RecordedLine): void
  close(): Promise<void>
}
