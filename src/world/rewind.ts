import type { Found, Gone, Position } from './history.ts'
import { StateSize } from './pets/state-size.ts'
import { undo, type WorldState } from './state.ts'
import { Budget } from './traffic/budget.ts'
import { World } from './world.ts'

/** What `capture` returned at a position of the world's history. */
export function stateAt(world: World, position: Position): WorldState {
  const state = world.capture()
  for (const image of world.history.back(position.at)) undo(state, image)
  return state
}

/** Goes back to a position, from which the clock runs on. Returns how to undo that. */
export function rewindTo(world: World, position: Found, real: number): () => void {
  const before = world.capture()
  world.takeOver(stateAt(world, position))
  const putBack = world.history.cut(position)
  // Logged, as points before the position refer to the clock before it was shifted.
  world.shiftClock(position.real, real)
  return () => {
    world.takeOver(before)
    putBack()
  }
}

/** Gives a world the state of another world, without its history. Returns how to undo that. */
export function forkInto(target: World, state: WorldState): () => void {
  const before = target.capture()
  // Points of calls that changed nothing would lead to the new state.
  if (target.history.points.length > 0) target.endHistory('copied')
  target.takeOver(state)
  return () => target.takeOver(before)
}

/** A world outside of all namespaces, as this one was at a position. */
export function viewAt(world: World, position: Position): World {
  const shared = { budget: new Budget(), stateSize: new StateSize(Infinity, () => 0) }
  const view = new World(world.name, world.start, undefined, world.inherited, shared, position.real)
  view.restore(stateAt(world, position))
  return view
}

/** What a recording keeps of a world beside its state: whether it is in use, and how its history continues. */
export interface WorldMarks {
  readonly turned: boolean
  readonly admitted: boolean
  readonly hasChanged: boolean
  readonly setByHand: readonly ('limits' | 'bans')[]
  readonly controls: number
  readonly gone?: Gone
}

export function marksOf({ turned, admitted, hasChanged, setByHand, history }: World): WorldMarks {
  const { controls, gone } = history
  return { turned, admitted, hasChanged, setByHand: [...setByHand], controls, ...(gone && { gone }) }
}

/** Gives a world the state and the marks of a recorded one. */
export function continueFrom(world: World, state: WorldState, marks: WorldMarks): void {
  world.takeOver(state)
  world.turned = marks.turned
  world.admitted = marks.admitted
  for (const mark of marks.setByHand) world.setByHand.add(mark)
  world.history.continueFrom(marks.controls, marks.gone)
  if (marks.hasChanged) world.label = state.label
}
