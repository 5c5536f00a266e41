import type { Side } from '../contract/generated/control.types.d.ts'
import type { Timeline } from '../time/timeline.ts'
import type { Run } from '../world/branches.ts'
import type { Command } from '../world/command.ts'
import type { Commit } from '../world/commit.ts'
import type { WorldState } from '../world/parts.ts'
import type { Point } from '../world/point.ts'
import type { Snapshots } from '../world/store.ts'
import type { Reply } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import type { Worlds } from '../world/worlds.ts'

/** A detached world in which commands are applied again: nothing of it is stored or recorded. */
export interface DetachedWorld {
  readonly world: World
  readonly timeline: Timeline
  /** Returns undefined if the command cannot be applied again. */
  readonly apply: (command: Command) => Reply | Promise<Reply> | undefined
}

/** The dependencies of a control call that is applied again. */
export interface DetachedDeps {
  readonly worlds: Worlds
  readonly commit: Commit
  readonly drop: (world: World) => void
  /** Milliseconds since the epoch. */
  readonly realTime: () => number
  readonly snapshots: Snapshots
}

/** Makes a detached world with a state at an instant of real time. */
export type OpenDetached = (world: World, state: WorldState, at: number) => DetachedWorld

/** Turns of the event loop in which an answer of other code, such as Prism, usually arrives, and the limit. */
const USUAL_TURNS = 30
const MAX_TURNS = 1000

/** The commands per turn of the event loop: about a millisecond. */
const COMMANDS_A_TURN = 32

/** The state of a world at a point of its history. */
export async function stateAt(world: World, point: Point, open: OpenDetached): Promise<WorldState> {
  const known = world.past.knownState(point)
  const { command, side, real } = point
  const { state, commands = [] } = command.checkpoint ?? {}
  const [first = command] = commands
  if (known || !state) return known ?? world.capture()
  const detached = open(world, state, first.at)
  let found: WorldState | undefined
  const see = (which: Side) => (seen: Command) => {
    if (seen === command && side === which) found ??= detached.world.capture()
  }
  const isOver = () => found !== undefined
  await repeat(detached, commands, { isOver, begins: see('before'), ended: see('after') })
  if (!found) await detached.timeline.advance(real)
  for (let turns = 0; !found && turns < MAX_TURNS; turns++) await detached.timeline.turn()
  if (!found) throw new Error(`The point ${command.n} of ${world.name} was not reached again.`)
  return found
}

/** Repeats commands and returns their replies. `pause`: ends the turn of the event loop. */
export async function repliesOf(
  world: World,
  run: Run,
  open: OpenDetached,
  pause: () => Promise<void>,
): Promise<Map<Command, Reply>> {
  const replies = new Map<Command, Reply>()
  const { state, endsIn } = run
  const commands = [...run.earlier, ...run.commands]
  const [first] = commands
  if (!state || !first) return replies
  const detached = open(world, state, first.at)
  const apply = (command: Command) => {
    const reply = detached.apply(command)
    const keep = (ready: Reply) => replies.set(command, ready)
    if (reply instanceof Promise) reply.then(keep, () => {})
    else if (reply) keep(reply)
    return reply
  }
  await repeat({ ...detached, apply }, commands, { pause })
  const ended = commands.filter(endsIn).flatMap(({ at, exchange }) => (exchange ? [at + exchange.ms] : []))
  await detached.timeline.advance(Math.max(detached.timeline.now(), ...ended))
  await detached.timeline.turn()
  return replies
}

/**
 * Waits for requests that had ended before the instant `until`, while `areLate`. Sleepers wake one by one, so that no
 * answer of other code ends at a later instant than it did.
 */
export async function waitForLate(timeline: Timeline, until: number, areLate: () => boolean): Promise<void> {
  const wait = async (most: number) => {
    for (let turns = 0; turns < most && areLate(); turns++) await timeline.turn()
  }
  await wait(USUAL_TURNS)
  while (areLate() && timeline.due <= until) {
    await timeline.advance(timeline.due)
    await wait(USUAL_TURNS)
  }
  await wait(MAX_TURNS)
}

interface Repeating {
  readonly isOver?: () => boolean
  readonly begins?: (command: Command) => void
  readonly ended?: (command: Command) => void
  readonly pause?: () => Promise<void>
}

/**
 * Applies commands at their instants, until `isOver`. Before each command it waits for the requests that had ended by
 * then: some depend on other code, such as Prism. A clock is set back from the instant that any namespace had reached.
 */
async function repeat(
  { world, timeline, apply }: DetachedWorld,
  commands: readonly Command[],
  { isOver = () => false, begins, ended, pause }: Repeating,
): Promise<void> {
  const running = new Set<Command>()
  const end = (command: Command): undefined => {
    running.delete(command)
    ended?.(command)
  }
  world.watch = {
    begin(command) {
      begins?.(command)
      running.add(command)
    },
    end,
    endCall: (command) => (command.refusal ? undefined : end(command)),
  }
  for (const [index, command] of [...commands].entries()) {
    if (index % COMMANDS_A_TURN === 0) await pause?.()
    const { at, from, request, began } = command
    const isLate = () => [...running].some(({ ended }) => ended >= 0 && ended < began)
    const until = request ? at : (from ?? at)
    if (running.size > 0) await waitForLate(timeline, until, isLate)
    if (timeline.sleeping > 0 || until > at) await timeline.advance(until)
    if (isOver()) return
    const applied = timeline.run(at, () => {
      const stored = command.call && command.refusal ? world.stored() : undefined
      if (request) void apply(command)
      if (!stored) return
      // It could not be stored: its other changes stay.
      world.restoreStored(stored)
      if (command.call?.id) end(command)
    })
    if (applied instanceof Promise) await applied
    if (isOver()) return
  }
}
