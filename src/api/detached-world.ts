import type { DetachedDeps, DetachedWorld, OpenDetached } from '../past/repeat.ts'
import { Timeline } from '../time/timeline.ts'
import type { Command } from '../world/command.ts'
import type { Commit } from '../world/commit.ts'
import { createMemoryStore } from '../world/memory-store.ts'
import type { WorldState } from '../world/parts.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE, Worlds } from '../world/worlds.ts'
import { createEngine, type EngineDeps } from './engine.ts'

/** Makes detached worlds in which the commands of one namespace are applied again, by an engine of their own. */
export const detachedWorlds =
  (deps: EngineDeps, turn: () => Promise<void>): OpenDetached =>
  (of, state, at) => {
    const worlds = new OneWorld(of, state, at)
    const timeline = new Timeline(at, turn)
    const commit: Commit = (_world, _change, apply) => void apply()
    const engine = createEngine({
      ...deps,
      worlds,
      commit,
      durable: () => undefined,
      realTime: timeline.now,
      sleep: timeline.sleep,
      recorders: [],
    })
    const { snapshots } = createMemoryStore()
    const there: DetachedDeps = { worlds, commit, drop: () => {}, realTime: timeline.now, snapshots }
    const apply: DetachedWorld['apply'] = (command) => {
      worlds.apply(command)
      const { call, request } = command
      if (call) return call.again?.(there as never) as ReturnType<DetachedWorld['apply']>
      return request && engine.handle(command)
    }
    return { world: worlds.only, timeline, apply }
  }

/** One namespace, which every name returns, and the keys of `default`. The size of all namespaces is unknown here. */
class OneWorld extends Worlds {
  readonly only: World

  constructor({ name, start }: Pick<World, 'name' | 'start'>, state: WorldState, at: number) {
    super(start, new Map(), at, Infinity)
    this.only = name === DEFAULT_NAMESPACE ? this.default : super.get(name, at)
    this.only.restore(state)
    this.only.isStored = true
  }

  /** A command is about to be applied. */
  apply(command: Command): void {
    if (this.only !== this.default) this.default.keys.restore(command.keys)
  }

  override find(): World {
    return this.only
  }

  override get(): World {
    return this.only
  }
}
