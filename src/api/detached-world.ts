import type { DetachedDeps, DetachedWorld, OpenDetached } from '../past/repeat.ts'
import { Timeline } from '../time/timeline.ts'
import { ApiError } from '../world/api-error.ts'
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

/** One namespace, which every name returns, and the keys of `default`. */
class OneWorld extends Worlds {
  readonly only: World
  #applied: Command | undefined

  constructor({ name, start }: Pick<World, 'name' | 'start'>, state: WorldState, at: number) {
    super(start, new Map(), at, Infinity)
    this.only = name === DEFAULT_NAMESPACE ? this.default : super.get(name, at)
    this.only.restore(state)
    this.only.isStored = true
    this.only.stateSize.check = () => this.#checkSize()
  }

  /** A command is about to be applied. */
  apply(command: Command): void {
    this.#applied = command
    if (this.only !== this.default) this.default.keys.restore(command.keys)
  }

  override find(): World {
    return this.only
  }

  override get(): World {
    return this.only
  }

  /** The size of all namespaces is unknown here: a change is refused if it was refused before, or could not be stored. */
  #checkSize(): void {
    const { decision, reason } = this.#applied?.exchange ?? {}
    if (decision === 'refused:request' && reason?.code === 'service_unavailable')
      throw new ApiError('service_unavailable', reason.message ?? '')
  }
}
