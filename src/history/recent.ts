import type { Budget, Kept } from '../domain/traffic/budget.ts'
import { JOURNAL_BODY_LIMIT, JOURNAL_LENGTH } from '../domain/traffic/journal.ts'
import type { Reply } from '../domain/traffic/message.ts'
import { type Place, Queue } from '../domain/traffic/queue.ts'
import type { StoredKey } from '../domain/world/stored.ts'
import type { Command } from './commands.ts'

/** A command with its reply, once there is one. */
export interface RecentCommand {
  readonly command: Command
  readonly reply: Reply | undefined
}

/** The keys of `default` were replaced, which every namespace inherits. */
export interface KeyChange {
  readonly command: Command
  readonly before: readonly StoredKey[]
  readonly after: readonly StoredKey[]
}

/** Changes of keys that are remembered. */
const MOST_KEY_CHANGES = 100

/** Control calls of one namespace, beside its requests. */
const MOST_CALLS = JOURNAL_LENGTH

/** The approximate size of a command in bytes, without what the journal keeps of it. */
const BYTES = 512

/** The last commands of each namespace: as many requests as its journal has. They count in the budget of the journals. */
export class RecentCommands {
  readonly #budget: Budget
  readonly #byNamespace = new Map<string, Recent>()
  #keyChanges: KeyChange[] = []
  /** The number of the last command whose change of keys was forgotten. */
  #keysForgotten = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** `isCall`: it is one of the control API. */
  keep(namespace: string, command: Command, reply: Reply | Promise<Reply>, isCall: boolean): void {
    const known = this.#byNamespace.get(namespace)
    const recent = known ?? { requests: new Queue<Item>(), calls: new Queue<Item>(), forgotten: 0 }
    if (!known) this.#byNamespace.set(namespace, recent)
    const queue = isCall ? recent.calls : recent.requests
    if (queue.size === (isCall ? MOST_CALLS : JOURNAL_LENGTH)) queue.first?.forget()
    const item = new Item(command, (place) => {
      queue.remove(place)
      recent.forgotten = Math.max(recent.forgotten, command.n)
      this.#budget.release(item)
      if (recent.requests.size + recent.calls.size === 0) this.#byNamespace.delete(namespace)
    })
    item.standing = queue.push(item)
    this.#budget.keep(item)
    const replied = (ready: Reply) => {
      item.reply = ready
      const bytes = typeof ready.body === 'string' ? 2 * ready.body.length : (ready.body?.byteLength ?? 0)
      // The journal has a shorter one.
      if (!item.place || (bytes <= 2 * JOURNAL_BODY_LIMIT && !isCall)) return
      item.bytes += bytes
      this.#budget.hold(bytes)
    }
    if (reply instanceof Promise) reply.then(replied, () => {})
    else replied(reply)
  }

  /** A recording can begin only after this command, of another namespace maybe. */
  beginAfter(namespace: string, n: number): void {
    const recent = this.#byNamespace.get(namespace)
    if (recent) recent.forgotten = Math.max(recent.forgotten, n)
  }

  keysReplaced(change: KeyChange): void {
    this.#keyChanges.push(change)
    const first = this.#keyChanges.length > MOST_KEY_CHANGES ? this.#keyChanges.shift() : undefined
    if (first) this.#keysForgotten = first.command.n
  }

  /** Those by the commands from number `n` on. */
  keyChangesFrom(n: number): KeyChange[] {
    return this.#keyChanges.filter(({ command }) => command.n >= n)
  }

  /** In the order in which they were applied; none is missing in between. */
  of(namespace: string): RecentCommand[] {
    const recent = this.#byNamespace.get(namespace)
    if (!recent) return []
    return [...recent.requests, ...recent.calls]
      .filter(({ command }) => command.n > Math.max(recent.forgotten, this.#keysForgotten))
      .sort((a, b) => a.command.n - b.command.n)
  }
}

interface Recent {
  readonly requests: Queue<Item>
  readonly calls: Queue<Item>
  /** The number of the last command that was forgotten. */
  forgotten: number
}

class Item implements Kept, RecentCommand {
  readonly command: Command
  bytes: number
  reply: Reply | undefined
  place: Place<Kept> | undefined
  standing: Place<Item> | undefined
  readonly #leave: (place: Place<Item>) => void

  constructor(command: Command, leave: (place: Place<Item>) => void) {
    this.command = command
    this.bytes = BYTES + (command.request.body?.byteLength ?? 0)
    this.#leave = leave
  }

  forget(): void {
    if (this.standing) this.#leave(this.standing)
    this.standing = undefined
  }
}
