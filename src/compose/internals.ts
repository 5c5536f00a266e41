import type { SandboxOptions, Settings } from '../config/options.ts'
import type { Commands } from '../past/commands.ts'
import type { OpenStage } from '../past/repeat.ts'
import type { Timeline } from '../time/timeline.ts'
import type { Fixture } from '../world/pets/fixture.ts'
import type { Snapshots } from '../world/store.ts'
import type { Handle } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import type { Worlds } from '../world/worlds.ts'
import type { Lines } from './record.ts'

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
  readonly settings: Settings
  readonly origin: () => string
  readonly version: string
  /** Resolves in a turn in which no other work in slices follows. */
  readonly turn: () => Promise<void>
}

/** Makes recordings; the code for it is loaded with the first one. */
export interface RecordingMaker {
  /** The recording of one namespace, in parts. */
  of(world: World): AsyncGenerator<string>
  /** Records everything from here on; returns how to end it. */
  record(open: (fail: () => void) => Lines): Promise<() => Promise<void>>
}

export function createRecordingMaker(options: SandboxOptions, internals: () => Internals): RecordingMaker {
  const load = async () => {
    const { Recordings } = await import('./record.ts')
    return new Recordings(options, internals())
  }
  return {
    async *of(world) {
      const recordings = await load()
      // All that waited for the code would begin at once.
      await internals().turn()
      yield* recordings.of(world)
    },
    record: async (open) => (await load()).record(open),
  }
}
