import type { Eventually } from '../time/eventually.ts'
import type { Timeline } from '../time/timeline.ts'
import { Command } from '../world/command.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'

/** Receives each command when it is applied; its reply may be pending. Returns that reply, or one with the same content. */
export type CommandListener = (
  command: Command & { readonly request: Request },
  reply: Eventually<Reply>,
) => Eventually<Reply> | undefined

type Act = (command: Command) => Eventually<Reply>

/** Applies the requests of both APIs as commands of one timeline. */
export class Commands {
  readonly #timeline: Timeline
  readonly #clock: () => number
  readonly #worlds: Worlds
  readonly #listeners = new Set<CommandListener>()
  #count = 0

  /** `clock`: returns milliseconds since the epoch. */
  constructor(timeline: Timeline, clock: () => number, worlds: Worlds) {
    this.#timeline = timeline
    this.#clock = clock
    this.#worlds = worlds
  }

  /** The number of applied commands. */
  get count(): number {
    return this.#count
  }

  /** Continues the numbering after `count`. */
  countFrom(count: number): void {
    this.#count = count
  }

  /** Returns a function that stops listening. */
  listen(listener: CommandListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The system clock was set back from an instant, before command `n`. */
  setBack(n: number, from: number): void {
    const at = this.#timeline.now()
    const keys = this.#worlds.default.keys.stored
    for (const { past } of this.#worlds.all())
      past.setBack(new Command({ n, at, from, request: undefined, keys }))
  }

  /** `isAlone`: no other command is applied until this one has its reply. */
  readonly apply = (request: Request, act: Act, isAlone = false): Eventually<Reply> => {
    const applied = (before: number) => {
      const at = this.#timeline.now()
      const from = before > at ? before : undefined
      const n = ++this.#count
      const keys = this.#worlds.default.keys.stored
      if (from !== undefined) this.setBack(n, from)
      const command = new Command({ n, at, from, request, keys })
      let reply = act(command)
      for (const listener of this.#listeners)
        reply = listener(command as Parameters<CommandListener>[0], reply) ?? reply
      return reply
    }
    return this.#timeline.run(this.#clock(), applied, isAlone)
  }
}
