import type { Checkpoint, Command } from './command.ts'
import type { WorldState } from './parts.ts'

/** The commands that a rewind undid. */
export interface Branch {
  readonly name: string
  /** How many events come before the branch. */
  readonly position: number
  /** The checkpoint before the branch, from whose state its commands can be repeated. */
  readonly base: Checkpoint
  /** The commands between the point of the rewind and the next checkpoint of the branch. */
  readonly rest: Checkpoint
  readonly checkpoints: readonly Checkpoint[]
  readonly ended: readonly Command[]
  /** The state before the rewind, and the real time of the rewind. */
  readonly state: WorldState
  readonly real: number
  /** The number of the rewind. */
  readonly n: number
  readonly end: number
  /** The branches that begin in this one. */
  readonly branches: readonly Branch[]
}

const MAX_BRANCHES = 5

/** The oldest branch if there are too many. The branches in it are older and were dropped before. */
export function superfluous(branches: readonly Branch[]): Branch | undefined {
  const all = flatten(branches)
  return all.length > MAX_BRANCHES ? all.sort((a, b) => a.n - b.n)[0] : undefined
}

/** The branches without one of them, which may be inside another one. */
export const without = (branches: readonly Branch[], branch: Branch): Branch[] =>
  branches
    .filter((each) => each !== branch)
    .map((each) => ({ ...each, branches: without(each.branches, branch) }))

const flatten = (branches: readonly Branch[]): Branch[] =>
  branches.flatMap((branch) => [branch, ...flatten(branch.branches)])

export const checkpointsOf = (branch: Branch): Checkpoint[] =>
  flatten([branch]).flatMap(({ rest, checkpoints }) => [rest, ...checkpoints])

/** Commands that follow one state. */
export interface Run {
  /** Undefined if the commands cannot be repeated. */
  readonly state: WorldState | undefined
  /** The commands between the state and the run. */
  readonly earlier: readonly Command[]
  readonly commands: readonly Command[]
}

/**
 * The commands after each checkpoint, and those of each branch. `before`: the commands between the base of a branch and
 * the branch itself.
 */
export const runsIn = (
  checkpoints: readonly Checkpoint[],
  branches: readonly Branch[],
  before = ({ base }: Branch) => base.commands,
): Run[] => [
  ...checkpoints.map(({ state, commands }) => ({ state, earlier: [], commands: [...commands] })),
  ...branches.flatMap((branch) => runsOf(branch, [...before(branch)])),
]

function runsOf({ base, rest, checkpoints, branches }: Branch, earlier: readonly Command[]): Run[] {
  const commands = [...rest.commands]
  const before = (inner: Branch) => (inner.base === base ? [...earlier, ...commands] : inner.base.commands)
  return [{ state: base.state, earlier, commands }, ...runsIn(checkpoints, branches, before)]
}
