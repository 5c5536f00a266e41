import type { Point, RequestPoint } from '../world/history.ts'
import type { StoredKey } from '../world/stored.ts'
import type { Budget, Kept, Place } from '../world/traffic/budget.ts'
import { type Exchange, sizeOf } from '../world/traffic/exchange.ts'
import { JOURNAL_LENGTH } from '../world/traffic/journal.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import { type Linked, Queue } from '../world/traffic/queue.ts'
import type { World } from '../world/world.ts'
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

/** The approximate size of a command in bytes, without what its point of history has. */
const BYTES = 256

/** And that of one without a point. */
const OTHER_BYTES = 1024

/**
 * The last commands of each namespace: as many requests as its history reaches. Of most requests nothing is kept but
 * the number of their command, since their point of history has the rest: whatever lives that long is moved about by
 * the garbage collector.
 */
export class RecentCommands {
  readonly #budget: Budget
  readonly #byWorld = new WeakMap<World, Recent>()
  /** Requests without a point so far, by their header fields. */
  readonly #pending = new Map<readonly string[], Item>()
  #latest: RequestPoint | undefined
  #sharedChanges: SharedChange[] = []
  /** The number of the last command whose change of every namespace was forgotten. */
  #sharedForgotten = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Keeps a control call, or what else no journal keeps. */
  keep(world: World, command: Command, reply: Reply | Promise<Reply>): void {
    const item = this.#add(world, 'calls', command)
    item.request = messageOf(command.request)
    this.#hold(item, OTHER_BYTES + (command.request.body?.byteLength ?? 0))
    this.#keepReply(item, reply)
  }

  /** Keeps a request that is journaled, now or later. */
  keepRequest(world: World, command: Command, reply: Reply | Promise<Reply>): void {
    const point = this.pointOf(command)
    if (point) point.command = command.n
    const isComplete = point !== undefined && hasReply(point.exchange)
    if (
      isComplete &&
      command.isAlone &&
      command.from === undefined &&
      hasAll(point.exchange, command.request)
    )
      return
    const item = this.#add(world, 'requests', command)
    item.request = command.request
    if (point) this.#complete(item, point.exchange)
    else this.#pending.set(command.request.headers, item)
    if (!isComplete) this.#keepReply(item, reply)
  }

  /** The point of a command, if it was the last one. */
  pointOf({ request }: Command): RequestPoint | undefined {
    return this.#latest?.exchange.request.headers === request.headers ? this.#latest : undefined
  }

  /** To be called with each point of a request, as soon as there is one. */
  recorded(point: RequestPoint): void {
    this.#latest = point
    const { headers } = point.exchange.request
    const item = this.#pending.get(headers)
    if (!item) return
    this.#pending.delete(headers)
    point.command = item.n
    this.#complete(item, point.exchange)
  }

  /** To be called with the points that a rewind removes: their commands were applied nevertheless. */
  rewound(world: World, removed: readonly Point[]): void {
    const known = new Map(Array.from(this.#recent(world).requests, (item) => [item.n, item]))
    for (const { command: n = 0, exchange, before } of removed) {
      if (!exchange || n === 0) continue
      const item = known.get(n) ?? this.#add(world, 'requests', { n, at: before.real, isAlone: true })
      item.exchange = exchange
      this.#hold(item, sizeOf(exchange))
    }
  }

  /** Forgets what was applied to a namespace so far: its history begins again, and a recording with it. */
  forget(world: World): void {
    const { requests, calls } = this.#recent(world)
    while (requests.first) requests.first.forget()
    while (calls.first) calls.first.forget()
  }

  /** A recording of this namespace can begin only after this command. */
  beginAfter(world: World, n: number): void {
    const recent = this.#recent(world)
    recent.forgotten = Math.max(recent.forgotten, n)
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
  of(world: World): RecentCommand[] {
    const { requests, calls, forgotten } = this.#recent(world)
    const first = Math.max(forgotten, this.#sharedForgotten)
    const found = new Map<number, Applied>()
    for (const { command: n = 0, exchange, before } of world.history.points)
      if (exchange && n > 0) found.set(n, { n, at: before.real, isAlone: true, exchange })
    for (const item of [...requests, ...calls]) {
      const exchange = item.exchange ?? found.get(item.n)?.exchange
      // The point of another one is forgotten, and with it whatever was before.
      if (exchange || item.request) found.set(item.n, { ...item, exchange })
    }
    return [...found.values()]
      .filter(({ n }) => n > first)
      .sort((a, b) => a.n - b.n)
      .map(recentOf)
  }

  /** To be called by an item that leaves. */
  remove(item: Item): void {
    if (!item.queue.remove(item)) return
    item.recent.forgotten = Math.max(item.recent.forgotten, item.n)
    if (item.request) this.#pending.delete(item.request.headers)
    this.#budget.release(item)
  }

  #recent(world: World): Recent {
    const known = this.#byWorld.get(world)
    if (known) return known
    const recent = { requests: new Queue<Item>(), calls: new Queue<Item>(), forgotten: 0 }
    this.#byWorld.set(world, recent)
    return recent
  }

  #add(world: World, kind: 'requests' | 'calls', applied: Applied): Item {
    const recent = this.#recent(world)
    const queue = recent[kind]
    if (queue.size === (kind === 'calls' ? MOST_CALLS : JOURNAL_LENGTH)) queue.first?.forget()
    const item = new Item(this, recent, queue, applied)
    queue.push(item)
    this.#budget.keep(item)
    return item
  }

  /** Its point has the exchange, and possibly all of it. */
  #complete(item: Item, exchange: Exchange): void {
    const { request } = item
    item.hasWholeReply = !exchange.response.truncated
    item.request = !request || hasAll(exchange, request) ? undefined : messageOf(request)
    this.#hold(item, item.request?.body?.byteLength ?? 0)
  }

  #keepReply(item: Item, reply: Reply | Promise<Reply>): void {
    const keep = (ready: Reply) => {
      // It is answered without a point, as where its world was rewound meanwhile.
      if (item.request && this.#pending.delete(item.request.headers)) {
        item.request = messageOf(item.request)
        this.#hold(item, item.request.body?.byteLength ?? 0)
      }
      if (item.hasWholeReply && !ready.wire) return
      item.reply = ready
      this.#hold(item, bytesOf(ready.body))
    }
    if (reply instanceof Promise) reply.then(keep, () => {})
    else keep(reply)
  }

  #hold(item: Item, bytes: number): void {
    if (!item.place) return
    item.bytes += bytes
    this.#budget.hold(bytes)
  }
}

interface Recent {
  readonly requests: Queue<Item>
  /** Control calls, and what else no journal keeps. */
  readonly calls: Queue<Item>
  /** The number of the last command that was forgotten. */
  forgotten: number
}

/** What is known of a command. */
interface Applied extends Omit<Command, 'request'> {
  readonly request?: Request | undefined
  readonly reply?: Reply | undefined
  readonly exchange?: Exchange | undefined
}

/** A command that its point of history does not have, or not all of it. */
class Item implements Applied, Kept, Linked<Item> {
  readonly recent: Recent
  readonly queue: Queue<Item>
  readonly n: number
  readonly at: number
  readonly from: number | undefined
  readonly isAlone: boolean
  bytes = BYTES
  /** Undefined where the exchange has all of it. */
  request: Request | undefined
  /** Undefined where the exchange has all of it, or there is none yet. */
  reply: Reply | undefined
  /** Undefined where the point has it, or there is none. */
  exchange: Exchange | undefined
  /** Whether the exchange has the whole body of the reply. */
  hasWholeReply = false
  place: Place | undefined
  before: Item | undefined
  after: Item | undefined
  readonly #owner: RecentCommands

  constructor(owner: RecentCommands, recent: Recent, queue: Queue<Item>, { n, at, from, isAlone }: Applied) {
    this.#owner = owner
    this.recent = recent
    this.queue = queue
    this.n = n
    this.at = at
    this.from = from
    this.isAlone = isAlone
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
const hasAll = ({ request: { truncated } }: Exchange, { tooLarge, scheme }: Request): boolean =>
  !truncated && !tooLarge && scheme === undefined

/** Whether the reply can be made again of its exchange: whatever else was decided may have affected how it was sent. */
const hasReply = ({ decision, response }: Exchange): boolean =>
  (decision === 'served' || decision.startsWith('refused')) && !response.truncated

function recentOf({ n, at, from, isAlone, request, reply, exchange }: Applied): RecentCommand {
  const command = {
    n,
    at,
    isAlone,
    ...(from !== undefined && { from }),
    request: request ?? requestOf(exchange as Exchange),
  }
  return { command, reply: reply ?? (exchange && replyOf(exchange)) }
}

const requestOf = ({ method, path, query, request }: Exchange): Request => ({
  method,
  target: query === '' ? path : `${path}?${query}`,
  headers: request.headers,
  body: request.body === '' ? undefined : Buffer.from(request.body),
  tooLarge: false,
  address: undefined,
})

const replyOf = ({ status, response }: Exchange): Reply => ({
  status,
  headers: response.headers,
  body: response.body === '' ? undefined : response.body,
})
