import { shifted } from '../time/clock.ts'
import type { Branch } from './branches.ts'
import { Budget } from './budget.ts'
import type { Command } from './command.ts'
import type { Keyring } from './keys/key.ts'
import type { WorldState } from './parts.ts'
import { StateSize } from './pets/state-size.ts'
import type { Gone, Point } from './point.ts'
import type { Exchange } from './traffic/exchange.ts'
import { World } from './world.ts'

/** Restores the state of a point; its clock continues from there. `call`: the rewind. Returns a function that undoes it. */
export function rewindTo(world: World, point: Point, state: WorldState, call: Command): () => void {
  world.past.cut(point, call)
  return putInPlace(world, state, point.real, call)
}

/** Swaps the current state with that of a branch. Returns a function that undoes it. */
export function undoRewind(world: World, branch: Branch, call: Command): () => void {
  world.past.swap(branch, call)
  return putInPlace(world, branch.state, branch.call.at, call)
}

/** `then`: the real time to which the clock of the state belongs. Returns a function that undoes it. */
function putInPlace(world: World, state: WorldState, then: number, call: Command): () => void {
  world.takeOver(state)
  world.clock.state = shifted(state.clock, then, call.at)
  world.past.restart(call)
  world.keepClockAfter(call)
  return () => undoRewind(world, world.past.branch(), call)
}

/** Gives an unchanged world the state of another world, without its history. Returns a function that undoes it. */
export function forkInto(target: World, state: WorldState): () => void {
  const before = target.capture()
  // Otherwise a point of the earlier history could return the new state.
  if (target.past.position > 0) target.clearJournal('copied')
  const { controls } = before
  target.takeOver({ ...state, controls, journal: { since: target.past.position, recorded: 0 } })
  // The requests before the copy are in the report of the other world.
  target.tally.reset()
  return () => {
    target.takeOver(before)
    target.turned = false
    target.origin = undefined
  }
}

/** A detached world for reading, with the state of this one at an instant of real time, and the keys inherited then. */
export function viewOf({ name, start }: World, state: WorldState, real: number, inherited?: Keyring): World {
  const own = { budget: new Budget(), stateSize: new StateSize(Infinity, () => 0) }
  const view = new World({ name, start, stored: undefined, inherited, ...own }, real)
  view.restore(state)
  return view
}

/** Kept in a recording beside the state of a world: whether it is in use, and why it has no older points. */
export interface WorldMarks {
  readonly turned: boolean
  readonly admitted: boolean
  readonly setByHand: readonly ('limits' | 'bans')[]
  readonly gone?: Gone
  /** The number of rewinds; 0 by default. */
  readonly branches?: number
}

export function marksOf(world: World, branches = world.past.branchCount): WorldMarks {
  const { turned, admitted, past } = world
  const gone = past.gone && { gone: past.gone }
  const setByHand = [...world.setByHand]
  return { turned, admitted, setByHand, ...gone, ...(branches > 0 && { branches }) }
}

/** A world for a recording. */
export interface RecordedWorld {
  readonly state: WorldState
  readonly journal: readonly Exchange[]
  readonly marks: WorldMarks
}

/** Gives a world the state, the journal and the marks of a recorded one. */
export function continueFrom(world: World, { state, journal, marks }: RecordedWorld): void {
  world.takeOver(state)
  world.past.continueFrom(journal, marks.gone, marks.branches ?? 0)
  for (const _ of journal) world.journal.count()
  world.turned = marks.turned
  world.admitted = marks.admitted
  for (const mark of marks.setByHand) world.setByHand.add(mark)
}
