import type { Checkpoint, Command } from './command.ts'
import type { WorldState } from './parts.ts'

/** The commands that a rewind undid. */
export interface Branch {
  readonly name: string
  /** The branch in which this one begins; undefined if it begins in the present. */
  parent: Branch | undefined
  /** The checkpoint before the branch, from whose state its commands can be repeated. */
  readonly base: Checkpoint
  /** The commands between the point of the rewind and the next checkpoint of the branch. Its number is that of the rewind. */
  readonly rest: Checkpoint
  readonly checkpoints: readonly Checkpoint[]
  readonly ended: readonly Command[]
  /** The rewind, and the state before it. */
  readonly call: Command
  readonly state: WorldState
  /** The number of events before the rewind. */
  readonly end: number
}

const MAX_BRANCHES = 5

/** The oldest branch if there are too many. The branches in it are older and were dropped before. */
export const branchToDrop = (branches: readonly Branch[]): Branch | undefined =>
  branches.length > MAX_BRANCHES ? branches.toSorted((a, b) => a.rest.n - b.rest.n)[0] : undefined

/** A branch, and the branches that begin in it. */
export const withInner = (branch: Branch, branches: readonly Branch[]): Branch[] => [
  branch,
  ...branches.filter(({ parent }) => parent === branch).flatMap((each) => withInner(each, branches)),
]

export const checkpointsOf = (branches: readonly Branch[]): Checkpoint[] =>
  branches.flatMap(({ rest, checkpoints }) => [rest, ...checkpoints])

/** Commands that follow one state. */
export interface Run {
  /** Undefined if the commands cannot be repeated. */
  readonly state: WorldState | undefined
  /** The commands between the state and the run. */
  readonly earlier: readonly Command[]
  readonly commands: readonly Command[]
  /** Whether a command of the run ends in it, too. A rewind can lie between begin and end. */
  readonly endsIn: (command: Command) => boolean
}

/** The commands after each checkpoint, then those of each branch, which comes before the branches in it. */
export function runsIn(checkpoints: readonly Checkpoint[], branches: readonly Branch[]): Run[] {
  const endedIn = new Map(branches.flatMap((branch) => branch.ended.map((each) => [each, branch])))
  const runAfter = ({ state, commands }: Checkpoint, branch?: Branch): Run => ({
    state,
    earlier: [],
    commands: [...commands],
    endsIn: (command) => endedIn.get(command) === branch,
  })
  return [
    ...checkpoints.map((each) => runAfter(each)),
    ...branches
      .toReversed()
      .flatMap((branch) => [
        { ...runAfter(branch.rest, branch), state: branch.base.state, earlier: earlierOf(branch) },
        ...branch.checkpoints.map((each) => runAfter(each, branch)),
      ]),
  ]
}

/** The commands between the base of a branch and the branch itself. */
const earlierOf = ({ base, parent }: Branch): Command[] =>
  parent?.base === base ? [...earlierOf(parent), ...parent.rest.commands] : [...base.commands]
