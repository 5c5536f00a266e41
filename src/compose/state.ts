import type { Settings } from '../config/options.ts'
import { Commands } from '../past/commands.ts'
import { Timeline } from '../time/timeline.ts'
import { Committer } from '../world/committer.ts'
import type { Start } from '../world/start.ts'
import type { Store } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { Worlds } from '../world/worlds.ts'

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

/** The parts that a state is opened with. */
export interface StateParts extends Pick<State, 'store' | 'clock'> {
  readonly settings: Settings
  readonly start: Start
  /** The instant at which it begins, in milliseconds since the epoch. */
  readonly at: number
  /** Resolves in the next turn of the event loop. */
  readonly turn: () => Promise<void>
  /** Called with each world before it forgets its requests. */
  readonly onForget: (world: World) => void
}

export function openState({ settings, start, store, clock, at, turn, onForget }: StateParts): State {
  const timeline = new Timeline(at, turn)
  const worlds = new Worlds(start, store.found, timeline.now(), onForget, settings.maxState)
  const commands = new Commands(timeline, clock, worlds)
  store.connect(() => worlds.stored())
  return { worlds, store, committer: new Committer(worlds, store), clock, timeline, commands }
}
