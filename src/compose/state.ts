import type { Settings } from '../config/options.ts'
import type { RecordShape } from '../contract/openapi/record-shape.ts'
import { createMemoryStore } from '../node/store/memory-store.ts'
import { Commands } from '../past/commands.ts'
import { Timeline } from '../time/timeline.ts'
import type { Store } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE, Worlds } from '../world/worlds.ts'
import { Committer } from './committer.ts'
import type { InitialState, ReplayedState } from './initial-state.ts'
import type { Notice, Notices } from './notices.ts'
import { slices } from './slices.ts'

/** The namespaces of a sandbox, where they are stored, and the commands that change them. */
export interface State {
  readonly worlds: Worlds
  readonly store: Store
  readonly committer: Committer
  /** Real time, in milliseconds since the epoch. */
  readonly clock: () => number
  readonly timeline: Timeline
  readonly commands: Commands
}

/** Rejects with a DataFileError. `onForget`: called with each world before it forgets its requests. */
export async function openState(
  settings: Settings,
  { contract, start }: InitialState,
  notices: Notices,
  onForget: (world: World) => void,
  replayed?: ReplayedState,
): Promise<State> {
  const store = replayed ? createMemoryStore() : await openStore(settings, contract.petShape, notices.warn)
  const clock = replayed?.clock ?? Date.now
  const timeline = new Timeline(replayed?.at ?? clock())
  const worlds = new Worlds(start, store.found, timeline.now(), onForget, settings.maxState)
  const commands = new Commands(timeline, clock, worlds)
  store.connect(() => worlds.stored())
  if (settings.fixture !== undefined && store.found.has(DEFAULT_NAMESPACE))
    notices.add(unusedFixture(settings.fixture))
  return {
    worlds,
    store,
    committer: new Committer(worlds, store),
    clock,
    timeline,
    commands,
  }
}

async function openStore(
  { db, fresh, acceptDataFile }: Settings,
  petShape: RecordShape,
  warn: (warning: string) => void,
): Promise<Store> {
  if (db === undefined) return createMemoryStore()
  const { openFileStore } = await import('../node/store/file-store.ts')
  return openFileStore(db, { fresh, acceptDataFile, petShape, warn, slices })
}

const unusedFixture = (fixture: string): Notice => ({
  kind: 'unused-fixture',
  text: `The fixture ${fixture} was not used: the data file holds pets already. --fresh starts from the fixture even so.`,
})
