import type { Checkpoint, Command } from './command.ts'
import type { WorldState } from './parts.ts'

/** The commands that a rewind undid. */
export interface Branch {
  readonly name: string
  /** The branches that begin in this one. They are older. */
  inner: readonly Branch[]
  /** The checkpoint before the branch, from whose state its commands can be repeated. */
  readonly base: Checkpoint
  /** The commands between the point of the rewind and the next checkpoint of the branch. Its number is that of the rewind. */
  readonly rest: Checkpoint
  readonly checkpoints: readonly Checkpoint[]
  readonly ended: readonly Command[]
  /** The rewind, and the state before it. */
  readonly call: Command
  readonly state: WorldState
}

const MAX_BRANCHES = 5

/** Branches, and those that begin in them. */
export const withInner = (branches: readonly Branch[]): Branch[] =>
  branches.flatMap((branch) => [branch, ...withInner(branch.inner)])

/** The oldest branch if there are too many. The branches in it are older and were dropped before. */
export function branchToDrop(branches: readonly Branch[]): Branch | undefined {
  const all = withInner(branches)
  return all.length > MAX_BRANCHES ? all.sort((a, b) => a.rest.n - b.rest.n)[0] : undefined
}

/** The checkpoints of a branch and of those that begin in it. */
export const checkpointsOf = (branch: Branch): Checkpoint[] =>
  withInner([branch]).flatMap(({ rest, checkpoints }) => [rest, ...checkpoints])

/** Commands that follow one state. */
export interface Run {
  /** Undefined if the commands cannot be repeated. */
  readonly state: WorldState | undefined
  /** The commands between the state and the run. */
  readonly earlier: readonly Command[]
  readonly commands: readonly Command[]
  /** Whether a command of the run ends in it, too. A rewind can come between its start and its end. */
  readonly endsIn: (command: Command) => boolean
}

/** The commands after each checkpoint, then those of each branch, which comes before the branches in it. */
export function runsIn(checkpoints: readonly Checkpoint[], branches: readonly Branch[]): Run[] {
  const endedIn = new Map(withInner(branches).flatMap((branch) => branch.ended.map((each) => [each, branch])))
  const runAfter = ({ state, commands }: Checkpoint, branch?: Branch): Run => ({
    state,
    earlier: [],
    commands: [...commands],
    endsIn: (command) => endedIn.get(command) === branch,
  })
  /** `earlier`: the commands between its base and the branch. */
  const runsOf = (branch: Branch, earlier: readonly Command[] = branch.base.commands): Run[] => {
    const { base, rest, inner } = branch
    const untilCheckpoint = [...earlier, ...rest.commands]
    return [
      { ...runAfter(rest, branch), state: base.state, earlier: [...earlier] },
      ...branch.checkpoints.map((each) => runAfter(each, branch)),
      ...inner.flatMap((each) => runsOf(each, each.base === base ? untilCheckpoint : undefined)),
    ]
  }
  return [...checkpoints.map((each) => runAfter(each)), ...branches.flatMap((each) => runsOf(each))]
}
