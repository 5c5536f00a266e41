import { shifted } from '../time/clock.ts'
import { Budget } from './budget.ts'
import type { Command } from './command.ts'
import type { WorldState } from './parts.ts'
import type { Gone, Point } from './past.ts'
import { StateSize } from './pets/state-size.ts'
import type { Exchange } from './traffic/exchange.ts'
import { World } from './world.ts'

/** Goes back to a point, from which the clock runs on. `call`: the command that does so. Returns how to undo that. */
export function rewindTo(world: World, point: Point, state: WorldState, call: Command): () => void {
  world.past.cut(point, call)
  putInPlace(world, state, point.real, call)
  return () => undoRewind(world, world.past.branch().name, call)
}

/** Swaps the present with what a rewind undid. Returns how to undo that. */
export function undoRewind(world: World, name: string, call: Command): () => void {
  const { state, real } = world.past.branch(name)
  world.past.swap(name, call)
  putInPlace(world, state, real, call)
  return () => undoRewind(world, world.past.branch().name, call)
}

/** `then`: when the clock showed what the state has. */
function putInPlace(world: World, state: WorldState, then: number, call: Command): void {
  world.takeOver(state)
  world.clock.state = shifted(state.clock, then, call.at)
  world.past.restart(call)
}

/** Gives a world the state of another world, without its past. Returns how to undo that. */
export function forkInto(target: World, state: WorldState): () => void {
  const before = target.capture()
  // Calls that changed nothing would lead to the new state.
  if (target.past.position > 0) target.clearJournal('copied')
  const { controls } = before
  target.takeOver({ ...state, controls, journal: { since: target.past.position, recorded: 0 } })
  return () => target.takeOver(before)
}

/** A world outside of all namespaces, to be read, with the state of this one at an instant of real time. */
export function viewOf(world: World, state: WorldState, real: number): World {
  const shared = { budget: new Budget(), stateSize: new StateSize(Infinity, () => 0) }
  const view = new World(world.name, world.start, undefined, world.inherited, shared, real)
  view.restore(state)
  return view
}

/** Marks of a world in a recording, beside its state: whether it is in use, and why its history begins where it does. */
export interface WorldMarks {
  readonly turned: boolean
  readonly admitted: boolean
  readonly setByHand: readonly ('limits' | 'bans')[]
  readonly gone?: Gone
}

export function marksOf({ turned, admitted, setByHand, past: { gone } }: World): WorldMarks {
  return { turned, admitted, setByHand: [...setByHand], ...(gone && { gone }) }
}

/** Gives a world the state, the journal and the marks of a recorded one. */
export function continueFrom(
  world: World,
  {
    state,
    journal,
    marks,
  }: { readonly state: WorldState; readonly journal: readonly Exchange[]; readonly marks: WorldMarks },
): void {
  world.takeOver(state)
  world.past.continueFrom(journal, marks.gone)
  for (const _ of journal) world.journal.count()
  world.turned = marks.turned
  world.admitted = marks.admitted
  for (const mark of marks.setByHand) world.setByHand.add(mark)
}
