import type { World } from '../world/world.ts'
import type { Internals, Lines } from './internals.ts'

/** Makes recordings; the code for it is loaded with the first one. */
export interface RecordingMaker {
  /** The recording of one namespace, in parts. */
  of(world: World): AsyncGenerator<string>
  /** Records everything from here on; returns how to end it. */
  record(open: (fail: () => void) => Lines): Promise<() => Promise<void>>
}

export function createRecordingMaker(internals: () => Internals): RecordingMaker {
  const load = async () => {
    const { Recordings } = await import('./record.ts')
    return new Recordings(internals())
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
