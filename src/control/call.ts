import type { DetachedDeps } from '../past/repeat.ts'
import type { Eventually } from '../time/eventually.ts'
import type { Command } from '../world/command.ts'
import type { Reply } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import type { ControlContext, ControlDeps, WorldAt } from './context.ts'
import { StateChanges } from './state-changes.ts'

export type FindWorld = (name: string) => World

/** What a call acts on: parts of the sandbox, worlds and an instant. */
export interface CallScope extends Pick<ControlContext, 'deps' | 'changes' | 'real'> {
  readonly find: FindWorld
  /** Undefined in `prepare`, and for a call that only observes. */
  readonly command?: Command
  /** The world at the point that `at` names. */
  readonly seen?: WorldAt | undefined
}

/** Finds the world of a command, and adds the command to its history. */
export function beginning(command: Command, find: FindWorld): FindWorld {
  let begun: World | undefined
  return (name) => {
    const world = find(name)
    if (begun !== world) world.beginCall(command)
    begun = world
    return world
  }
}

/** Lets a command be applied again, to a detached world. */
export function repeatable(
  command: Command,
  deps: ControlDeps,
  act: (scope: CallScope) => Eventually<Reply>,
): void {
  command.asCall().again = (there: DetachedDeps) => {
    const real = there.realTime()
    const own = { clock: there.realTime, durable: () => undefined, closeReusedConnections: async () => {} }
    return act({
      deps: { ...deps, ...there, ...own },
      changes: new StateChanges(),
      real,
      find: beginning(command, (name) => there.worlds.get(name, real)),
      command,
    })
  }
}
