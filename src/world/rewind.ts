import { shifted } from '../time/clock.ts'
import type { Branch } from './branches.ts'
import { Budget } from './budget.ts'
import type { Command } from './command.ts'
import type { Keyring } from './keys/key.ts'
import type { WorldState } from './parts.ts'
import { StateSize } from './pets/state-size.ts'
import type { Point } from './point.ts'
import { World } from './world.ts'

/** Restores the state of a point; its clock continues from there. `call`: the rewind. Returns a function that undoes it. */
export function rewindTo(world: World, point: Point, state: WorldState, call: Command): () => void {
  world.past.cut(point, call)
  const undo = putInPlace(world, state, point.real, call)
  return () => {
    undo()
    world.past.dropMadeBy(call)
  }
}

/** Swaps the current state with that of a branch. Returns a function that undoes it. */
export function undoRewind(world: World, branch: Branch, call: Command): () => void {
  world.past.swap(branch, call)
  return putInPlace(world, branch.state, branch.call.at, call)
}

/** `then`: the real time to which the clock of the state belongs. Returns a function that undoes it. */
function putInPlace(world: World, state: WorldState, then: number, call: Command): () => void {
  const before = world.capture()
  world.takeOver(state)
  world.clock.state = shifted(state.clock, then, call.at)
  world.past.restart(call)
  world.keepClockAfter(call)
  const made = world.past.madeBy(call)
  return () => {
    if (made) undoRewind(world, made, call)
    else world.takeOver(before)
  }
}

/** Makes an unchanged world a copy of `origin`, whose history it does not get. Returns a function that undoes it. */
export function forkInto(target: World, state: WorldState, origin: World['origin']): () => void {
  const before = target.capture()
  // Otherwise a point of the earlier history could return the new state.
  if (target.past.position > 0) target.clearJournal('copied')
  const { controls } = before
  const since = target.past.position
  target.takeOver({ ...state, controls, journal: { since, recorded: 0 }, reportedSince: since })
  // The requests before the copy are in the report of the other world.
  target.tally.reset()
  target.origin = origin
  return () => {
    target.takeOver(before)
    target.turned = false
    target.origin = undefined
  }
}

/** A detached world for reading, with the state of this one at an instant of real time, and the keys inherited then. */
export function viewOf({ name, start }: World, state: WorldState, real: number, inherited?: Keyring): World {
  const own = { budget: new Budget(), stateSize: new StateSize() }
  const view = new World({ name, start, stored: undefined, inherited, ...own }, real)
  view.restore(state)
  return view
}
