import { type Eventually, whenReady } from '../time/eventually.ts'
import type { Timeline } from '../time/timeline.ts'
import type { ApiError } from '../world/api-error.ts'
import { Command } from '../world/command.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'

/** Receives each command when it is applied; its reply may be pending. Returns that reply, or one with the same content. */
export type CommandListener = (
  command: Command & { readonly request: Request },
  reply: Eventually<Reply>,
) => Eventually<Reply> | undefined

type Act = (command: Command) => Eventually<Reply>

const same = (reply: Eventually<Reply>): Eventually<Reply> => reply

const NOT_REFUSED = { refusal: undefined, isRefused: false }

export type Commands = ReturnType<typeof createCommands>

/** Applies the requests of both APIs as commands of one timeline. `initial`: its clock, until `setClock` is called. */
export function createCommands(timeline: Timeline, initial: () => number, worlds: Worlds) {
  let clock = initial
  const listeners = new Set<CommandListener>()
  let count = 0
  let next: Pick<Command, 'refusal' | 'isRefused'> = NOT_REFUSED
  /** Adds to the history of each world that the system clock was set back from an instant, before command `n`. */
  const setBack = (n: number, from: number): void => {
    const at = timeline.now()
    const keys = worlds.default.keys.stored
    for (const { past } of worlds.all()) past.setBack(new Command({ n, at, from, request: undefined, keys }))
  }
  return {
    setBack,
    /** The time of the next command, in milliseconds since the epoch. */
    clock: () => clock(),
    setClock(next: () => number): void {
      clock = next
    },
    /** The number of applied commands. */
    get count(): number {
      return count
    },
    /** Continues the numbering after `applied`. */
    countFrom(applied: number): void {
      count = applied
    },
    /** The next command stores nothing, because of this error. `isRefused`: the error is its answer. */
    refuseNext(refusal: ApiError, isRefused: boolean): void {
      next = { refusal, isRefused }
    },
    /** Returns a function that stops listening. */
    listen(listener: CommandListener): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** `isAlone`: no other command is applied until this one has its reply. `durably`: waits until that reply may be sent. */
    apply(request: Request, act: Act, isAlone = false, durably = same): Eventually<Reply> {
      let reply: Eventually<Reply>
      const applied = (before: number) => {
        const at = timeline.now()
        const from = before > at ? before : undefined
        const n = ++count
        const keys = worlds.default.keys.stored
        if (from !== undefined) setBack(n, from)
        const command = new Command({ n, at, from, request, keys })
        command.refusal = next.refusal
        command.isRefused = next.isRefused
        next = NOT_REFUSED
        const made = act(command)
        reply = durably(made)
        for (const listener of listeners)
          reply = listener(command as Parameters<CommandListener>[0], reply) ?? reply
        return made
      }
      return whenReady(timeline.run(clock(), applied, isAlone), () => reply)
    },
  }
}
