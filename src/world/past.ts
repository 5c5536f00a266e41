import type { PointView, Side } from '../contract/generated/control.types.d.ts'
import { shorten } from '../text/shorten.ts'
import { ApiError } from './api-error.ts'
import { type Branch, branchToDrop, checkpointsOf, type Run, runsIn, withInner } from './branches.ts'
import { type Budget, KEPT_BYTES, type Kept } from './budget.ts'
import { type Checkpoint, Command } from './command.ts'
import type { WorldState } from './parts.ts'
import { GONE_WORDS, type Gone, idOf, MAX_COMMANDS, type Point, pointOf, pointView } from './point.ts'
import { type Exchange, sizeOf } from './traffic/exchange.ts'
import { JOURNAL_LENGTH } from './traffic/journal.ts'

/** A checkpoint is taken after this many commands, or this many bytes of them. */
const INTERVAL = 256
const INTERVAL_BYTES = 512 * 1024
/** A checkpoint copies all meters: there are at least as many commands between two of them as meters divided by this. */
const METERS_A_COMMAND = 4

/** About how many bytes a command takes in addition to its exchange. */
const COMMAND_BYTES = 200

/** About how many bytes a checkpoint takes, and in addition each meter and each rule of its state. */
const CHECKPOINT_BYTES = 2048
const METER_BYTES = 80
const FAULT_BYTES = 16

/**
 * The history of a namespace: its last commands, with checkpoints among them. The state at a point is that of the
 * checkpoint before it, after the commands in between are applied again.
 */
export class Past {
  readonly #budget: Budget
  readonly #capture: () => WorldState
  /** Oldest first. */
  #checkpoints: Checkpoint[] = []
  #current: Checkpoint | undefined
  /** The requests and control calls that have ended, in this order, from the first request of the journal on. */
  #ended: Command[] = []
  /** The number of requests among them. */
  #requests = 0
  /** The number of events, undone ones included. An event is the start or the end of a command. */
  #position = 0
  /** The number of requests in progress. */
  #inProgress = 0
  #cause: Checkpoint['cause']
  #gone: Gone | undefined
  /** The branches that begin in the present, without those inside others. */
  #branches: readonly Branch[] = []
  #branchCount = 0
  /** A recording can begin only after this command. */
  #unrecorded = 0
  /** The number of the last command that began. */
  #last = 0
  /** Whether to take a checkpoint soon, since a recording cannot begin with an earlier one. */
  #wantsCheckpoint = false
  /** The command that saved each snapshot. Snapshots stay when the history is cleared. */
  readonly #savedBy = new Map<string, number>()
  /** Called with the exchanges of a branch before it is dropped. */
  onDrop = (_branch: readonly Exchange[]): void => {}

  constructor(budget: Budget, capture: () => WorldState, gone?: Gone) {
    this.#budget = budget
    this.#capture = capture
    this.#gone = gone
  }

  get position(): number {
    return this.#position
  }

  /** Whether a request is in progress. */
  get isBusy(): boolean {
    return this.#inProgress > 0
  }

  get branchCount(): number {
    return this.#branchCount
  }

  get ended(): readonly Command[] {
    return this.#ended
  }

  /** The reason why the history has no older points; undefined if none was removed. */
  get gone(): Gone | undefined {
    return this.#gone
  }

  /** A command is about to be applied. `isRecorded`: it is a request, whose end follows. */
  begin(command: Command, isRecorded: boolean): void {
    if (this.#isCheckpointDue())
      this.#takeCheckpoint(command.n - 1, this.#inProgress === 0 ? this.#capture() : undefined)
    this.#last = command.n
    command.began = this.#position++
    command.checkpoint = this.#current
    command.isRecorded = isRecorded
    this.#current?.commands.push(command)
    if (!isRecorded) command.dropConnection()
    if (isRecorded) this.#inProgress++
    else this.#grow(bytesOf(command))
  }

  /** A request has ended. */
  end(command: Command, exchange: Exchange): void {
    // Checkpoints were dropped meanwhile: its earlier commands cannot be repeated.
    if (!this.#current) this.#takeCheckpoint(command.n, undefined)
    this.#inProgress--
    command.settle(exchange)
    this.#addEnded(command)
    this.#requests++
    this.#grow(bytesOf(command))
    if (this.#requests > JOURNAL_LENGTH) this.#dropOldestRequest()
  }

  /** The requests in progress are refused: none of them ends here. */
  cancel(): void {
    this.#inProgress = 0
  }

  /** A control call has changed something. */
  endCall(command: Command, id: string): PointView {
    command.asCall().id = id
    this.#addEnded(command)
    return pointView(command)
  }

  /** The system clock was set back: waits of this world last that much longer. */
  setBack(command: Command): void {
    if (this.#current) this.begin(command, false)
  }

  /** State of `bytes` bytes was replaced: from now on only the history keeps it. */
  keepReplaced(bytes: number): void {
    if (bytes <= KEPT_BYTES / 2) {
      this.#grow(bytes)
      return
    }
    // From now on no command that has ended can be repeated.
    this.dropBranches()
    for (const checkpoint of this.#checkpoints) {
      checkpoint.state = undefined
      for (const { call } of checkpoint.commands) if (call) call.again = undefined
    }
    this.#gone = 'size'
  }

  /** The world was changed other than by a command: a recording can begin only after that. */
  interrupt(): void {
    this.#cause ??= 'failure'
    this.#unrecorded = this.#last
    // The checkpoint of a rewind that could not be stored either has no command yet.
    if (this.#current?.position === this.#position) this.#current.state &&= this.#capture()
  }

  /** A call saves a snapshot. A recording with a call that replaces a snapshot needs the call that saved it before. */
  saved(name: string, call: Command, isReplaced: boolean): void {
    if (isReplaced) this.deleted(name, call)
    this.#savedBy.set(name, call.n)
    call.asCall().saved = name
  }

  /** A call deletes a snapshot. */
  deleted(name: string, call: Command): void {
    const called = call.asCall()
    // The call may be applied again, to a detached world.
    called.replaced ??= this.#savedBy.get(name) ?? 0
    this.#wantsCheckpoint ||= called.replaced <= (this.#checkpoints[0]?.n ?? 0)
    this.#savedBy.delete(name)
  }

  /** Clears the history and the journal. */
  clear(gone: Gone): void {
    for (const checkpoint of this.#checkpoints) this.#dropCheckpoint(checkpoint)
    this.dropBranches()
    this.#checkpoints = []
    this.#branchCount = 0
    this.#current = undefined
    this.#ended = []
    this.#requests = 0
    this.#gone = gone
  }

  /** Takes over the journal of a recorded world; its points cannot be reached. `branches`: how many there were. */
  continueFrom(journal: readonly Exchange[], gone: Gone | undefined, branches: number): void {
    this.#branchCount = branches
    this.#takeCheckpoint(0, undefined)
    for (const exchange of journal) {
      const command = new Command({ n: 0, at: exchange.at, request: undefined, keys: [] })
      command.checkpoint = this.#current
      this.#inProgress++
      this.end(command, exchange)
    }
    this.#gone = gone
  }

  /** The point with that id. `call`: the command that asks for it. Throws a 404 ApiError that names the oldest point. */
  find(id: string, side: Side, call?: Command): Point {
    const command = this.#points().findLast((each) => idOf(each) === id)
    if (!command) throw new ApiError('history_gone', this.#goneText(id, side))
    const next = this.#checkpointAfter(command.checkpoint as Checkpoint)
    const point = pointOf(command, side)
    if (side === 'before' || !next || command.ended < next.position) return point
    if (this.#inProgress === 0 && this.isPresent(point, call)) return point
    // It ended after commands that cannot be repeated.
    const why = next.cause
      ? 'a change could not be stored, or limits were dropped to make room, while the request was in progress'
      : GONE_WORDS.busy
    const message = `The history has no state after ${id}, because ${why}. Use the state before it, or a later point.`
    throw new ApiError('history_gone', message)
  }

  #checkpointAfter(checkpoint: Checkpoint): Checkpoint | undefined {
    return this.#checkpoints[this.#checkpoints.indexOf(checkpoint) + 1]
  }

  /** The state at a point, if no command has to be repeated for it. */
  knownState({ command, side, position }: Point): WorldState | undefined {
    const { checkpoint } = command
    if (!checkpoint) return undefined
    if (side === 'before') return checkpoint.commands[0] === command ? checkpoint.state : undefined
    // After a rewind to this point, the clock continues from there.
    const next = this.#checkpointAfter(checkpoint)
    const isLast = position === this.#position && next?.cause !== 'rewind'
    if (isLast && this.#inProgress === 0) return this.#capture()
    return next?.position === position && next.cause !== 'rewind' ? next.state : undefined
  }

  /** Whether a point is the present: since then no request began or ended, and only `call` may have changed anything. */
  isPresent({ command, position }: Point, call: Command | undefined): boolean {
    const later = this.#checkpoints.slice(this.#checkpoints.indexOf(command.checkpoint as Checkpoint))
    const changedNothing = (each: Command) =>
      each === call || each.began < position || (each.request && !each.isRecorded && each.ended < 0)
    return command === this.#ended.at(-1) && later.every(({ commands }) => commands.every(changedNothing))
  }

  /**
   * The points, and those that rewinds undid with the rewinds: of `branch`, or of all branches (`*`). Each is made when it
   * is read: there may be 20,000 control calls.
   */
  view(branch?: string): Iterable<PointView> {
    const points = this.#points()
    const undone = this.#undone(branch)
    return (function* () {
      for (const each of points) yield pointView(each)
      for (const { ended, name, call } of undone) {
        for (const each of ended) yield { ...pointView(each), branch: name }
        yield { ...pointView(call), id: name }
      }
    })()
  }

  /** The exchanges of a branch, or of all branches (`*`), each with its branch and the own keys before the rewind. */
  undone(branch: string) {
    return this.#undone(branch).flatMap(({ ended, name, state: { keys } }) =>
      exchangesOf(ended).map((exchange) => ({ exchange, branch: name, keys })),
    )
  }

  /** The branch of that name, or all branches (`*`). Throws a 404 ApiError for an unknown name. */
  #undone(branch: string | undefined): readonly Branch[] {
    return branch === undefined ? [] : branch === '*' ? this.#branches : [this.branch(branch)]
  }

  /** Removes the last command: a rewind that has changed nothing, or whose changes are kept otherwise. */
  withdraw(call: Command): void {
    if (this.#current?.commands.at(-1) !== call) return
    this.#current.commands.pop()
    this.#grow(-bytesOf(call))
  }

  /** Rewinds to a point: the commands after it become a branch. `call`: the rewind. */
  cut({ command, position }: Point, call: Command): void {
    call.needs = command.n
    this.#addBranch(this.#split(command.checkpoint as Checkpoint, position, call))
    const oldest = branchToDrop(this.#branches)
    if (oldest) this.#dropBranch(oldest)
  }

  /** The branch of that name, by default the last one. Throws a 404 ApiError. */
  branch(name?: string): Branch {
    const found = this.#branches.findLast((each) => name === undefined || each.name === name)
    if (found) return found
    const known = this.#branches.map((each) => each.name).join(', ') || 'none'
    const wanted = name === undefined ? 'rewind to undo' : shorten(name)
    throw new ApiError('history_gone', `There is no ${wanted}; branches: ${known}.`)
  }

  /** The branch that a rewind made; undefined if the budget has dropped it already, with a checkpoint that it needs. */
  madeBy(call: Command): Branch | undefined {
    return this.#branches.find((each) => each.call === call)
  }

  /** A rewind was undone since it could not be stored: nothing of it can be undone again. */
  dropMadeBy(call: Command): void {
    const made = this.madeBy(call)
    if (made) this.#dropBranch(made)
  }

  /** The states before rewinds, which their undo restores. */
  get undoneStates(): WorldState[] {
    return withInner(this.#branches).map(({ state }) => state)
  }

  /** No rewind can be undone from now on. */
  dropBranches(): void {
    for (const branch of this.#branches) this.#dropBranch(branch)
  }

  /** Swaps the commands of a branch with those that take their place now. */
  swap(branch: Branch, call: Command): void {
    const { inner, base, rest, checkpoints, ended } = branch
    call.needs = rest.n
    this.#branches = this.#branches.filter((each) => each !== branch)
    const undone = this.#split(base, rest.position, call)
    this.#budget.release(rest)
    base.commands.push(...rest.commands)
    this.#budget.grow(base, rest.bytes)
    this.#checkpoints.push(...checkpoints)
    this.#ended.push(...ended)
    this.#requests += requestsIn(ended)
    this.#branches = [...this.#branches, ...inner]
    this.#addBranch(undone)
  }

  /** Called after a rewind restored a state: takes a checkpoint. `call`, the rewind, follows it and is not repeated. */
  restart(call: Command): void {
    this.#cause = 'rewind'
    this.#takeCheckpoint(call.n, this.#capture())
    call.began = -1
    this.#current?.commands.push(call)
    this.#grow(bytesOf(call))
  }

  /**
   * The oldest checkpoint with which a recording can begin, and all commands, undone ones included, in runs that can
   * each be repeated from one state. Undefined if there is no such checkpoint.
   */
  recordable(): { readonly first: Checkpoint; readonly runs: readonly Run[] } | undefined {
    const runs = runsIn(this.#checkpoints, this.#branches)
    const needsOf = ({ needs, call }: Command) => needs ?? call?.replaced ?? Infinity
    const all = runs.flatMap(({ commands }) => commands)
    const first = this.#checkpoints.find(
      ({ state, n }) =>
        state && n >= this.#unrecorded && all.every((each) => each.n <= n || needsOf(each) > n),
    )
    return first && { first, runs }
  }

  /** Cuts the commands off that follow an event: they become a branch. */
  #split(base: Checkpoint, position: number, call: Command): Branch {
    this.withdraw(call)
    const state = this.#capture()
    const rest = this.#newCheckpoint({ state: undefined, position, n: call.n, cause: undefined })
    const checkpoints = this.#checkpoints.splice(this.#checkpoints.indexOf(base) + 1)
    const followed = base.commands.filter(({ began }) => began >= position)
    rest.commands.push(...base.commands.splice(base.commands.length - followed.length))
    const ended = this.#ended.splice(this.#ended.filter((each) => each.ended < position).length)
    const bytes = followed.reduce((sum, each) => sum + bytesOf(each), 0)
    rest.bytes = bytes
    this.#budget.grow(base, -bytes)
    this.#budget.keep(rest)
    this.#requests -= requestsIn(ended)
    const isLater = (each: Branch) =>
      checkpoints.includes(each.base) || (each.base === base && each.rest.position > position)
    const inner = this.#branches.filter(isLater)
    this.#branches = this.#branches.filter((each) => !inner.includes(each))
    const name = `branch_${++this.#branchCount}`
    return { name, inner, base, rest, checkpoints, ended, call, state }
  }

  /** Counts its state only now that the branch is complete: to make room, the budget may drop it with its base. */
  #addBranch(branch: Branch): void {
    this.#branches = [...this.#branches, branch]
    this.#budget.grow(branch.rest, CHECKPOINT_BYTES)
  }

  #isCheckpointDue(): boolean {
    if (!this.#current || this.#cause) return true
    if (this.#wantsCheckpoint && this.#inProgress === 0) return true
    const { state, commands, bytes } = this.#current
    const interval = Math.max(INTERVAL, (state?.meters.size ?? 0) / METERS_A_COMMAND)
    const isFull = commands.length >= interval || bytes >= INTERVAL_BYTES
    if (!state) return isFull || this.#inProgress === 0
    return isFull && (this.#inProgress === 0 || commands.length >= MAX_COMMANDS)
  }

  /** Takes a checkpoint. `n`: the number of the last command before it. */
  #takeCheckpoint(n: number, state: WorldState | undefined): void {
    if (!state && this.#current && !this.#cause) this.#gone = 'busy'
    this.#current = this.#newCheckpoint({ state, position: this.#position, n, cause: this.#cause })
    this.#cause = undefined
    this.#wantsCheckpoint = false
    this.#checkpoints.push(this.#current)
    this.#budget.keep(this.#current)
    if (this.#branches.length === 0) this.#dropUnlisted()
  }

  #newCheckpoint(content: Omit<Checkpoint, 'branches' | 'commands' | keyof Kept>): Checkpoint {
    const { meters, faults } = content.state ?? {}
    const checkpoint: Checkpoint = {
      ...content,
      branches: this.#branchCount,
      commands: [],
      bytes: CHECKPOINT_BYTES + METER_BYTES * (meters?.size ?? 0) + FAULT_BYTES * (faults?.rules.length ?? 0),
      forget: () => this.#forget(checkpoint),
    }
    return checkpoint
  }

  #addEnded(command: Command): void {
    command.ended = this.#position++
    this.#ended.push(command)
  }

  #grow(bytes: number): void {
    if (this.#current) this.#budget.grow(this.#current, bytes)
  }

  /** Drops the request that is too old for the journal, and the control calls before it. */
  #dropOldestRequest(): void {
    let dropped = this.#ended.shift()
    while (dropped && !dropped.exchange) dropped = this.#ended.shift()
    this.#requests--
    const [oldest] = this.#checkpoints
    if (oldest?.state) this.#gone = 'journal'
    // Usually the next request follows this checkpoint, too.
    if (this.#ended[0]?.checkpoint !== oldest) this.#dropUnlisted()
  }

  /** Drops the oldest checkpoints without a command in the list of ended ones. */
  #dropUnlisted(): void {
    const { checkpoint: ofFirst, ended: first } = this.#ended[0] ?? { ended: Infinity }
    while (this.#checkpoints.length > 1) {
      const [oldest] = this.#checkpoints
      // Requests of a recorded journal are not among its commands.
      if (oldest === ofFirst || oldest?.commands.some(({ ended }) => ended >= first)) return
      this.#dropCheckpoint(this.#checkpoints.shift() as Checkpoint)
    }
  }

  /** The budget drops a checkpoint: all older ones go with it. */
  #forget(checkpoint: Checkpoint): void {
    const index = this.#checkpoints.indexOf(checkpoint)
    if (index < 0) {
      const branch = this.#branches.find((each) => checkpointsOf(each).includes(checkpoint))
      if (branch) this.#dropBranch(branch)
      return
    }
    const gone = this.#checkpoints.splice(0, index + 1)
    this.#ended = this.#ended.filter((each) => !each.checkpoint || !gone.includes(each.checkpoint))
    this.#requests = requestsIn(this.#ended)
    this.#gone = 'budget'
    for (const each of gone) this.#dropCheckpoint(each)
  }

  #dropCheckpoint(checkpoint: Checkpoint): void {
    this.#budget.release(checkpoint)
    checkpoint.state = undefined
    if (checkpoint === this.#current) this.#current = undefined
    for (const branch of this.#branches) if (branch.base === checkpoint) this.#dropBranch(branch)
  }

  #dropBranch(branch: Branch): void {
    for (const { ended } of withInner([branch])) this.onDrop(exchangesOf(ended))
    const without = (branches: readonly Branch[]) => branches.filter((each) => each !== branch)
    this.#branches = without(this.#branches)
    for (const each of withInner(this.#branches)) each.inner = without(each.inner)
    for (const each of checkpointsOf(branch)) this.#budget.release(each)
    this.#unrecorded = Math.max(this.#unrecorded, branch.rest.n)
  }

  #points(): Command[] {
    return this.ended.filter(({ checkpoint }) => checkpoint?.state)
  }

  #goneText(id: string, side: Side): string {
    const shown = shorten(id)
    const [oldest] = this.#points()
    if (!oldest) return `The history has no point ${shown}: it is empty.`
    // The limits of the history explain only why an older point is gone.
    const why = this.gone && !isAfter(id, this.#points()) ? `, because ${GONE_WORDS[this.gone]}` : ''
    return `The history has no state ${side} ${shown}. The oldest point is ${idOf(oldest)}${why}. List the points with petstore-sandbox history or GET /_sandbox/history${!why && id.startsWith('req_') ? '; a request is listed once it is answered' : ''}.`
  }
}

const exchangesOf = (commands: readonly Command[]): Exchange[] =>
  commands.flatMap(({ exchange }) => exchange ?? [])

const requestsIn = (commands: readonly Command[]): number => exchangesOf(commands).length

const bytesOf = ({ bytes, exchange }: Command): number =>
  COMMAND_BYTES + bytes + (exchange ? sizeOf(exchange) : 0)

/** Whether an id is later than that of the first command of its kind. */
function isAfter(id: string, commands: readonly Command[]): boolean {
  const [kind = '', number = ''] = id.split('_')
  const first = commands.find((each) => idOf(each).startsWith(`${kind}_`))
  return Number(number) > Number(first && idOf(first).slice(kind.length + 1))
}
