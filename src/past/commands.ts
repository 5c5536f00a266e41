import type { Timeline } from '../time/timeline.ts'
import type { Reply, Request } from '../world/traffic/message.ts'

/** What a control call means for recordings that are requested later. */
export interface CallEffect {
  /** The namespace in whose recording the call is repeated; undefined: in none. */
  readonly namespace?: string
  /** A namespace that it changes, and in whose recording it cannot be repeated: one begins after the call. */
  readonly changes?: string
  /** Whether a reply with this status says that a state was lost from which a recording could begin. */
  readonly loses?: (status: number) => boolean
}

/** A command that was applied, at an instant of real time in milliseconds since the epoch. */
export interface Command {
  /** From 1. */
  readonly n: number
  readonly at: number
  /** Whether no earlier command was waiting: then it depends on the worlds only. */
  readonly isAlone: boolean
  /** The instant before, where the clock was set back from it. */
  readonly from?: number | undefined
  readonly request: Request
  /** Of a control call; undefined for a request of the Animal Store. */
  readonly effect?: CallEffect | undefined
}

/** Receives each command when it is applied; its reply may be pending. It may return another reply of the same content. */
export type CommandListener = (
  command: Command,
  reply: Reply | Promise<Reply>,
) => Reply | Promise<Reply> | undefined

/** Applies the requests of both APIs as commands of one timeline. */
export class Commands {
  readonly #timeline: Timeline
  readonly #clock: () => number
  readonly #listeners = new Set<CommandListener>()
  #count = 0

  /** `clock`: returns milliseconds since the epoch. */
  constructor(timeline: Timeline, clock: () => number) {
    this.#timeline = timeline
    this.#clock = clock
  }

  /** The number of applied commands. */
  get count(): number {
    return this.#count
  }

  /** The next command is the one after this number. */
  countFrom(count: number): void {
    this.#count = count
  }

  /** Returns how to stop. */
  listen(listener: CommandListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly apply = (
    request: Request,
    act: () => Reply | Promise<Reply>,
    effect?: CallEffect,
  ): Reply | Promise<Reply> =>
    this.#timeline.run(this.#clock(), (from) => {
      const isAlone = this.#timeline.isIdle
      let reply = act()
      const at = this.#timeline.now()
      const command = { n: ++this.#count, isAlone, from: from > at ? from : undefined, at, request, effect }
      for (const listener of this.#listeners) reply = listener(command, reply) ?? reply
      return reply
    })
}
