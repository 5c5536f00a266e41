import { isUtf8 } from 'node:buffer'
import type { Budget, Kept, Place } from '../domain/traffic/budget.ts'
import { type Exchange, sizeOf } from '../domain/traffic/exchange.ts'
import { JOURNAL_BODY_LIMIT, JOURNAL_LENGTH } from '../domain/traffic/journal.ts'
import type { Reply, Request } from '../domain/traffic/message.ts'
import { type Linked, Queue } from '../domain/traffic/queue.ts'
import type { StoredKey } from '../domain/world/stored.ts'
import type { Command } from './commands.ts'

/** A command with its reply, once there is one. */
export interface RecentCommand {
  readonly command: Command
  readonly reply: Reply | undefined
}

/** What a command did to every namespace. Instants are milliseconds since the epoch. */
export interface SharedChange {
  /** The number of the command. */
  readonly n: number
  readonly at: number
  /** The instant before, where the clock was set back from it. */
  readonly from?: number | undefined
  /** The keys of `default`, which every namespace inherits, where they were replaced. */
  readonly keys?: { readonly before: readonly StoredKey[]; readonly after: readonly StoredKey[] } | undefined
}

/** Changes of every namespace that are remembered. */
const MOST_SHARED_CHANGES = 100

/** Control calls of one namespace, beside its requests. */
const MOST_CALLS = JOURNAL_LENGTH

/** The approximate size of a command in bytes, without what the journal keeps of it. */
const BYTES = 256

/** And that of one which the journal does not keep. */
const OTHER_BYTES = 1024

/**
 * The last commands of each namespace: as many requests as its journal has. Of a request only that is kept which its
 * exchange does not have, because whatever lives as long as the journal is moved about by the garbage collector.
 */
export class RecentCommands {
  readonly #budget: Budget
  readonly #byNamespace = new Map<string, Recent>()
  /** Requests without an exchange so far, by their header fields. */
  readonly #pending = new Map<readonly string[], Item>()
  #latest: Exchange | undefined
  #sharedChanges: SharedChange[] = []
  /** The number of the last command whose change of every namespace was forgotten. */
  #sharedForgotten = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Keeps a control call, or what else no journal keeps. */
  keep(namespace: string, command: Command, reply: Reply | Promise<Reply>): void {
    const item = this.#add(namespace, command, true)
    item.request = messageOf(command.request)
    this.#hold(item, OTHER_BYTES + (command.request.body?.byteLength ?? 0))
    const replied = (ready: Reply) => {
      item.reply = ready
      this.#hold(item, bytesOf(ready.body))
    }
    if (reply instanceof Promise) reply.then(replied, () => {})
    else replied(reply)
  }

  /** Keeps a request that is journaled, now or later. */
  keepRequest(namespace: string, command: Command, reply: Reply | Promise<Reply>): void {
    const item = this.#add(namespace, command, false)
    const exchange = this.exchangeOf(command)
    if (exchange) this.#complete(item, exchange)
    else this.#pending.set(command.request.headers, item)
    if (exchange && hasReply(exchange)) return
    if (reply instanceof Promise)
      reply.then(
        (ready) => this.#keepReply(item, ready),
        () => {},
      )
    else this.#keepReply(item, reply)
  }

  /** The exchange of a command, if it was journaled last. */
  exchangeOf({ request }: Command): Exchange | undefined {
    return this.#latest?.request.headers === request.headers ? this.#latest : undefined
  }

  /** To be called with each exchange, as soon as it is journaled; `instead`: the one that it replaces. */
  journaled(exchange: Exchange, instead?: Exchange): void {
    this.#latest = exchange
    if (instead) this.#amend(instead, exchange)
    const item = this.#pending.get(exchange.request.headers)
    if (!item) return
    this.#pending.delete(exchange.request.headers)
    this.#complete(item, exchange)
  }

  /** What the journal of a namespace has lost, although it was applied, counts here from now on. */
  keepExchanges(namespace: string): void {
    for (const item of this.#byNamespace.get(namespace)?.requests ?? []) {
      if (!item.exchange || item.isExchangeHeld) continue
      item.isExchangeHeld = true
      this.#hold(item, sizeOf(item.exchange))
    }
  }

  /** Forgets what was applied to a namespace so far: its history begins again, and a recording with it. */
  forget(namespace: string): void {
    const { requests, calls } = this.#byNamespace.get(namespace) ?? {}
    while (requests?.first) requests.first.forget()
    while (calls?.first) calls.first.forget()
  }

  /** A recording of this namespace can begin only after this command. */
  beginAfter(namespace: string, n: number): void {
    const recent = this.#byNamespace.get(namespace)
    if (recent) recent.forgotten = Math.max(recent.forgotten, n)
  }

  keepSharedChange(change: SharedChange): void {
    this.#sharedChanges.push(change)
    const first = this.#sharedChanges.length > MOST_SHARED_CHANGES ? this.#sharedChanges.shift() : undefined
    if (first) this.#sharedForgotten = first.n
  }

  /** Those by the commands from number `n` on. */
  sharedChangesFrom(n: number): SharedChange[] {
    return this.#sharedChanges.filter((change) => change.n >= n)
  }

  /** In the order in which they were applied; none is missing in between. */
  of(namespace: string): RecentCommand[] {
    const recent = this.#byNamespace.get(namespace)
    if (!recent) return []
    return [...recent.requests, ...recent.calls]
      .filter(({ n }) => n > Math.max(recent.forgotten, this.#sharedForgotten))
      .sort((a, b) => a.n - b.n)
      .map(recentOf)
  }

  /** Unless its exchange has all of it. */
  #keepReply(item: Item, reply: Reply): void {
    if (item.exchange && !reply.wire && !item.exchange.response.truncated) return
    item.reply = reply
    this.#hold(item, bytesOf(reply.body))
  }

  #add(namespace: string, command: Command, isOther: boolean): Item {
    const known = this.#byNamespace.get(namespace)
    const recent = known ?? { namespace, requests: new Queue<Item>(), calls: new Queue<Item>(), forgotten: 0 }
    if (!known) this.#byNamespace.set(namespace, recent)
    const queue = isOther ? recent.calls : recent.requests
    if (queue.size === (isOther ? MOST_CALLS : JOURNAL_LENGTH)) queue.first?.forget()
    const item = new Item(this, recent, isOther, command)
    queue.push(item)
    this.#budget.keep(item)
    return item
  }

  /** To be called by an item that leaves. */
  remove(item: Item): void {
    const { recent } = item
    const { requests, calls } = recent
    if (!(item.isOther ? calls : requests).remove(item)) return
    recent.forgotten = Math.max(recent.forgotten, item.n)
    if (!item.exchange) this.#pending.delete(item.headers)
    this.#budget.release(item)
    if (requests.size + calls.size === 0) this.#byNamespace.delete(recent.namespace)
  }

  #amend(before: Exchange, exchange: Exchange): void {
    for (const item of this.#byNamespace.get(before.namespace)?.requests ?? [])
      if (item.exchange === before) item.exchange = exchange
  }

  #complete(item: Item, exchange: Exchange): void {
    item.exchange = exchange
    const { request } = item
    if (!request) return
    item.request = hasAll(exchange, request) ? undefined : messageOf(request)
    if (item.request) this.#hold(item, item.request.body?.byteLength ?? 0)
  }

  #hold(item: Item, bytes: number): void {
    if (!item.place) return
    item.bytes += bytes
    this.#budget.hold(bytes)
  }
}

interface Recent {
  readonly namespace: string
  readonly requests: Queue<Item>
  /** Control calls, and what else no journal keeps. */
  readonly calls: Queue<Item>
  /** The number of the last command that was forgotten. */
  forgotten: number
}

/** Not a closure for each: those would be two more objects that the garbage collector moves. */
class Item implements Kept, Linked<Item> {
  readonly recent: Recent
  /** Whether no journal keeps it. */
  readonly isOther: boolean
  readonly n: number
  readonly at: number
  readonly from: number | undefined
  readonly isAlone: boolean
  readonly headers: readonly string[]
  bytes = BYTES
  /** Undefined where the exchange has all of it. */
  request: Request | undefined
  /** Undefined where the exchange has all of it, or there is none yet. */
  reply: Reply | undefined
  exchange: Exchange | undefined
  isExchangeHeld = false
  place: Place | undefined
  before: Item | undefined
  after: Item | undefined
  readonly #owner: RecentCommands

  constructor(owner: RecentCommands, recent: Recent, isOther: boolean, command: Command) {
    const { n, at, from, isAlone, request } = command
    this.#owner = owner
    this.recent = recent
    this.isOther = isOther
    this.n = n
    this.at = at
    this.from = from
    this.isAlone = isAlone
    this.headers = request.headers
    this.request = request
  }

  forget(): void {
    this.#owner.remove(this)
  }
}

const bytesOf = (body: Reply['body']): number =>
  typeof body === 'string' ? 2 * body.length : (body?.byteLength ?? 0)

/** A request without its sender, whose connection it would keep, and without the rest of the buffer it came in. */
function messageOf({ method, target, headers, body, tooLarge, address, scheme }: Request): Request {
  const own = body && body.byteLength < body.buffer.byteLength ? new Uint8Array(body) : body
  return { method, target, headers, body: own, tooLarge, address, ...(scheme && { scheme }) }
}

/** Whether the request can be made again of its exchange. */
const hasAll = ({ request: { truncated } }: Exchange, { body, tooLarge, scheme }: Request): boolean =>
  !truncated &&
  !tooLarge &&
  scheme === undefined &&
  (!body || body.byteLength > JOURNAL_BODY_LIMIT || isUtf8(body))

/** Whether the reply can be made again of its exchange: whatever else was decided may have affected how it was sent. */
const hasReply = ({ decision, response }: Exchange): boolean =>
  (decision === 'served' || decision.startsWith('refused')) && !response.truncated

function recentOf({ n, at, from, isAlone, headers, request, reply, exchange }: Item): RecentCommand {
  const command = {
    n,
    at,
    isAlone,
    ...(from !== undefined && { from }),
    request: request ?? requestOf(exchange as Exchange, headers),
  }
  return { command, reply: reply ?? (exchange && replyOf(exchange)) }
}

const requestOf = ({ method, path, query, request }: Exchange, headers: readonly string[]): Request => ({
  method,
  target: query === '' ? path : `${path}?${query}`,
  headers,
  body: request.body === '' ? undefined : Buffer.from(request.body),
  tooLarge: false,
  address: undefined,
})

const replyOf = ({ status, response }: Exchange): Reply => ({
  status,
  headers: response.headers,
  body: response.body === '' ? undefined : response.body,
})
