import type { SandboxOptions, Settings } from '../config/options.ts'
import type { Commands } from '../past/commands.ts'
import type { OpenStage } from '../past/repeat.ts'
import type { Timeline } from '../time/timeline.ts'
import type { Fixture } from '../world/pets/fixture.ts'
import type { Snapshots } from '../world/store.ts'
import type { Handle } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import type { Worlds } from '../world/worlds.ts'
import { slices } from './slices.ts'

/** What recordings are made of, and what replays one. */
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
}

/** Makes recordings; the code for it is loaded with the first one. */
export interface RecordingMaker {
  /** The recording of one namespace, in parts. */
  of(world: World): AsyncGenerator<string>
  /** Records everything from here on in a file; returns how to end it. */
  inFile(file: string, warn: (warning: string) => void): Promise<() => Promise<void>>
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
      await slices.turn()
      yield* recordings.of(world)
    },
    inFile: async (file, warn) => (await load()).inFile(file, warn),
  }
}
