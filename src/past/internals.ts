import type { Contract } from '../contract/openapi/contract.ts'
import type { Timeline } from '../time/timeline.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import type { Snapshots } from '../world/store.ts'
import type { Handle } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'
import type { Commands } from './commands.ts'
import type { OpenDetached } from './repeat.ts'

/** The parts of a sandbox that recordings and replays need. */
export interface Internals {
  readonly worlds: Worlds
  readonly timeline: Timeline
  readonly commands: Commands
  readonly handle: Handle
  readonly contract: Contract
  readonly fixture: CompleteFixture
  readonly snapshots: Snapshots
  readonly openDetached: OpenDetached
  /** Its options as they are recorded. */
  readonly options: Readonly<Record<string, unknown>>
  /** Whether recordings contain keys unchanged. */
  readonly keepKeys: boolean
  readonly origin: () => string
  /** Resolves in a turn of the event loop after which the queue of slices is idle. */
  readonly pause: () => Promise<void>
}
