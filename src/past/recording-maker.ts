import type { World } from '../world/world.ts'
import type { Internals, Lines } from './internals.ts'

/** Makes recordings; its code is loaded when it is first used. */
export interface RecordingMaker {
  /** The recording of one namespace, in parts. */
  of(world: World): AsyncGenerator<string>
  /** Records everything from now on; returns a function that ends it. */
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
      // Otherwise all calls that waited for the code would begin in one turn.
      await internals().turn()
      yield* recordings.of(world)
    },
    record: async (open) => (await load()).record(open),
  }
}
