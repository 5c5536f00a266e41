import type { Kept } from './budget.ts'
import type { WorldState } from './parts.ts'
import type { StoredKey } from './stored.ts'
import type { Exchange } from './traffic/exchange.ts'
import type { Reply, Request } from './traffic/message.ts'

/** The facts of a command when it is applied. */
export interface Applied {
  /** From 1, over all namespaces; what a command sends itself has its number. */
  readonly n: number
  /** Its instant, in milliseconds of real time since the epoch. */
  readonly at: number
  /** The instant before, where the clock of the machine was set back from it. */
  readonly from?: number | undefined
  /** Undefined where only the clock was set back. */
  readonly request: Request | undefined
  /** The keys of `default`, which every namespace inherits, as they were when it came. */
  readonly keys: readonly StoredKey[]
}

/** Applies a control call once more, to a world outside of all namespaces. */
export type Again = (there: never) => unknown

/** A request or a control call that was applied: the past of its namespace is made of these. */
export class Command implements Applied {
  readonly n: number
  readonly at: number
  readonly from: number | undefined
  readonly keys: readonly StoredKey[]
  /** The exchange that a request became, once it has ended. */
  exchange: Exchange | undefined
  /** The id of a control call that changed something: `ctl_000001` and so on. */
  id: string | undefined
  /** The text of a control call, and the time of its namespace when it came. */
  what: string | undefined
  /** The words of the command line that does the same. */
  line: readonly string[] | undefined
  shownAt: number | undefined
  /** The time of its namespace when it had ended. */
  shownAfter: number | undefined
  /** Whether the clock stands after it. */
  isFrozen = false
  /** False for a control call, and where only the clock was set back. */
  isRequest = false
  /** Undefined for a request, and for what cannot be applied once more. */
  again: Again | undefined
  /** The answer to what cannot be applied once more. */
  reply: Reply | undefined
  /** The number of the command that has to come before it in a recording. */
  needs: number | undefined
  /** Its positions among the events of its namespace, at its begin and its end; -1 = not yet. */
  began = -1
  ended = -1
  /** The one that it follows. */
  checkpoint: Checkpoint | undefined
  #request: Request | undefined

  constructor({ n, at, from, request, keys }: Applied) {
    this.n = n
    this.at = at
    this.from = from
    this.#request = request
    this.keys = keys
  }

  /** As it came in, or made again of its exchange. */
  get request(): Request | undefined {
    return this.#request ?? (this.exchange && requestOf(this.exchange))
  }

  /** About how many bytes of the request are kept beside the exchange. */
  get bytes(): number {
    return this.#request ? 512 + 2 * (this.#request.body?.byteLength ?? 0) : 0
  }

  /** It has ended. Of most requests the exchange has all: the garbage collector moves whatever else is kept. */
  settle(exchange: Exchange): void {
    if (this.#request && isWhole(exchange, this.#request)) this.#request = undefined
    else this.release()
    this.exchange = exchange
  }

  /** Keeps neither the connection of its request nor the rest of the buffer that the body came in. */
  release(): void {
    if (!this.#request) return
    const { method, target, headers, body, tooLarge, address, scheme } = this.#request
    const own = body && body.byteLength < body.buffer.byteLength ? new Uint8Array(body) : body
    this.#request = { method, target, headers, body: own, tooLarge, address, ...(scheme && { scheme }) }
  }
}

/** Whether the request can be made again of its exchange. */
const isWhole = ({ request: { truncated } }: Exchange, { tooLarge, scheme }: Request): boolean =>
  !truncated && !tooLarge && scheme === undefined

function requestOf({ method, path, query, request }: Exchange): Request {
  return {
    method,
    target: query === '' ? path : `${path}?${query}`,
    headers: request.headers,
    body: request.body === '' ? undefined : new TextEncoder().encode(request.body),
    tooLarge: false,
    address: undefined,
  }
}

/** The state of a world at an instant at which it answered no request, and the commands that followed. */
export class Checkpoint implements Kept {
  /** Undefined: it answered some, so that nothing can be repeated from here on, or nothing shall be. */
  state: WorldState | undefined
  /** How many events of the namespace were before. */
  readonly position: number
  /** The number of the last command before. */
  readonly n: number
  /** Whether the world was put into this state: by a rewind, or since a change could not be stored. */
  readonly cause: 'rewind' | 'failure' | undefined
  readonly commands: Command[] = []
  /** How many of them are listed. */
  listed = 0
  bytes: number
  before: Kept | undefined
  after: Kept | undefined
  readonly #forget: (checkpoint: Checkpoint) => void

  constructor(
    { state, position, n, cause }: Pick<Checkpoint, 'state' | 'position' | 'n' | 'cause'>,
    forget: (checkpoint: Checkpoint) => void,
  ) {
    this.state = state
    this.position = position
    this.n = n
    this.cause = cause
    this.#forget = forget
    const { meters, faults } = state ?? {}
    this.bytes = BYTES + METER_BYTES * (meters?.size ?? 0) + FAULT_BYTES * (faults?.rules.length ?? 0)
  }

  /** Called by the budget. */
  forget(): void {
    this.#forget(this)
  }
}

const BYTES = 2048
const METER_BYTES = 80
const FAULT_BYTES = 16
