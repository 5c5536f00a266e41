import type { Side, State, StateDiff } from '../contract/generated/control.types.d.ts'
import { type ComparedState, comparedWorld, diffSteps } from '../past/state-diff.ts'
import type { ControlContext } from './context.ts'
import { worldAt } from './history.ts'
import type { SomeHandlers } from './operation.ts'
import { tableParts } from './pets.ts'
import { jsonReply, noSuch, slicedReply } from './reply.ts'
import { builtInFixture } from './seed.ts'

export const states = {
  diffStates: {
    async observe(context) {
      const { a, b } = context.query
      const [from, to] = [await stateOf(context, a), await stateOf(context, b)]
      return jsonReply<200, StateDiff>(200, await context.deps.slices.run(diffSteps(from, to)))
    },
  },
  /** A complete state, for a comparison in another process. */
  getState: {
    async observe(context) {
      const { slices, petShape } = context.deps
      const { pets, nextId, limits } = await stateOf(context, context.query.of)
      return slicedReply<State>(slices, tableParts({ pets, nextId, limits }, petShape), 'application/json')
    },
  },
} satisfies SomeHandlers

async function stateOf(context: ControlContext, state: string): Promise<ComparedState> {
  const { deps, real } = context
  const world = context.world()
  const [kind, name = '', side = 'after'] = state.split(':')
  if (kind === 'start') return world.start.pets
  if (kind === 'fixture') return builtInFixture(name, deps, 'invalid_parameter')
  if (kind === 'snapshot') {
    const found = await deps.snapshots.read(world.name, name)
    if (!found) throw noSuch('snapshot', name, ` in the namespace ${world.name}`)
    return { pets: found.pets, nextId: found.nextId }
  }
  if (kind === 'at') {
    const seen = await worldAt(context, name, side as Side)
    return comparedWorld(seen.world, seen.real, deps.policy)
  }
  const other = kind === 'now' ? world : deps.worlds.find(name)
  if (!other) throw noSuch('namespace', name)
  return comparedWorld(other, real, deps.policy)
}
