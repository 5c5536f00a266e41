import { isDeepStrictEqual } from 'node:util'
import type { StateDiff } from '../contract/generated/control.types.d.ts'
import type { Int64, Pet } from '../domain/pets/pet.ts'
import { stringifyJson } from '../openapi/json.ts'
import type { ControlContext } from './context.ts'
import type { OperationContext, ReplyOf } from './operation.ts'
import { notFound, writtenReply } from './reply.ts'

interface State {
  readonly pets: readonly Pet[]
  readonly nextId: Int64
}

/** What is in one state and not in the other. */
export async function diffStates(context: OperationContext<'diffStates'>): Promise<ReplyOf<'diffStates'>> {
  const { a, b } = context.query
  const [from, to] = [await stateOf(context, a), await stateOf(context, b)]
  const { added, removed, changed } = compare(from.pets, to.pets)
  const told = (pets: readonly Pet[]) =>
    `{"count":${pets.length},"first":${context.deps.writePets(pets.slice(0, 100))}}`
  const nextId = stringifyJson({ a: from.nextId, b: to.nextId })
  const text = `{"added":${told(added)},"removed":${told(removed)},"changed":${told(changed)},"nextId":${nextId}}`
  return writtenReply<200, StateDiff>(200, text)
}

async function stateOf(context: ControlContext, state: string): Promise<State> {
  const world = context.world()
  const [kind, name = ''] = state.split(':')
  if (kind === 'start') return world.start.pets
  if (kind === 'snapshot') {
    const found = await context.deps.snapshots.read(world.name, name)
    if (!found) throw notFound(`There is no snapshot ${name} in the namespace ${world.name}.`)
    return found
  }
  const other = kind === 'now' ? world : context.deps.worlds.find(name)
  if (!other) throw notFound(`There is no namespace ${name}.`)
  const { pets } = other.collections
  return { pets: [...pets.values()], nextId: pets.nextId }
}

/** Both are in ascending order of their ids, so one walk through both is enough. */
function compare(a: readonly Pet[], b: readonly Pet[]) {
  const [added, removed, changed]: [Pet[], Pet[], Pet[]] = [[], [], []]
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    if (left && (!right || left.id < right.id)) {
      removed.push(left)
      i++
    } else if (right && (!left || right.id < left.id)) {
      added.push(right)
      j++
    } else {
      if (left && right && !isDeepStrictEqual(left, right)) changed.push(right)
      i++
      j++
    }
  }
  return { added, removed, changed }
}
