import { encodeUtf8 } from '../text/utf8.ts'
import { ApiError } from './api-error.ts'
import type { Kept } from './budget.ts'
import type { WorldState } from './parts.ts'
import type { StoredKey } from './store.ts'
import { targetOf } from './traffic/address.ts'
import { type Exchange, sizeOfTexts } from './traffic/exchange.ts'
import { type Reply, type Request, requestWith } from './traffic/message.ts'

/** The input of a command when it is applied. */
export interface Applied {
  /** Its number, from 1, over all namespaces. Requests that a control call sends have the number of that call. */
  readonly n: number
  /** Its instant, in milliseconds of real time since the epoch. */
  readonly at: number
  /** The later instant that the system clock showed before it was set back; undefined if it was not. */
  readonly from?: number | undefined
  /** Undefined if the command only says that the system clock was set back. */
  readonly request: Request | undefined
  /** The keys of `default`, which every namespace inherits, as they were when it came. */
  readonly keys: readonly StoredKey[]
}

/** The members that only a control call has. */
export interface CallDetails {
  /** A sentence about it. */
  what?: string
  /** The words of the command line that does the same. */
  line?: readonly string[] | undefined
  /** The kind of client that sent it, if it says so. */
  caller?: string | undefined
  /** The name of the key that its path names. */
  keyName?: string | undefined
  /** `ctl_000001` and so on, if it changed something. */
  id?: string
  /** The time of its namespace when it came, and when it ended. */
  shownAt?: number
  shownAfter?: number
  /** Whether the clock of its namespace is frozen after it. */
  isFrozen?: boolean
  /** Applies it again, to a detached world; undefined if that is not possible. */
  again?: ((there: never) => unknown) | undefined
  /** The name of the snapshot that it saved. */
  saved?: string
  /** The number of the command that saved the snapshot which it replaced or deleted; 0 if that is unknown. */
  replaced?: number
  /** Its answer, if it cannot be applied again. */
  reply?: Reply
}

/** Without its texts and its body. */
const REQUEST_BYTES = 512
const CALL_BYTES = 3072

/** A request or a control call that was applied. The past of a namespace consists of its commands. */
export class Command implements Applied {
  readonly n: number
  readonly at: number
  readonly from: number | undefined
  readonly keys: readonly StoredKey[]
  /** The exchange that a request became, once it has ended. */
  exchange: Exchange | undefined
  /** Undefined for a request, and for a command that only says that the system clock was set back. */
  call: CallDetails | undefined
  /** The number of the command that has to come before this rewind wherever it is repeated. */
  needs: number | undefined
  /** The error, if it stored nothing because there was no room or storing failed. Applied again, it stores nothing either. */
  refusal: ApiError | undefined
  /** Whether its answer is that error. A fault rule may have replaced the answer of a request that was refused at once. */
  isRefused = false
  /** The positions of its start and its end among the events of its namespace; -1 = not yet. */
  began = -1
  ended = -1
  /** Whether it is a request whose exchange is recorded when it ends. OPTIONS and documents are not. */
  isRecorded = false
  /** The checkpoint that it follows. */
  checkpoint: Checkpoint | undefined
  #request: Request | undefined

  constructor({ n, at, from, request, keys }: Applied) {
    this.n = n
    this.at = at
    this.from = from
    this.#request = request
    this.keys = keys
  }

  /** Its members as a control call. */
  asCall(): CallDetails {
    this.call ??= {}
    return this.call
  }

  /** Notes the error that refused it, if there was no room for its change or the change could not be stored. */
  noteRefusal(error: unknown): void {
    if (!(error instanceof ApiError) || error.code !== 'service_unavailable') return
    this.refusal = error
    this.isRefused = true
  }

  /** The request as it was received, or rebuilt from its exchange. */
  get request(): Request | undefined {
    return this.#request ?? (this.exchange && requestOf(this.exchange))
  }

  /** About how many bytes are kept in addition to the exchange: of the request, and of a call to apply it again. */
  get bytes(): number {
    if (!this.#request) return 0
    const { target, headers, body } = this.#request
    const texts = target.length + sizeOfTexts(headers)
    return (this.call ? CALL_BYTES : REQUEST_BYTES) + texts + 2 * (body?.byteLength ?? 0)
  }

  /** The request has ended: it is dropped if the exchange contains all of it, so that the garbage collector moves less. */
  settle(exchange: Exchange): void {
    if (this.#request && canRebuild(exchange, this.#request)) this.#request = undefined
    else this.dropConnection()
    this.exchange = exchange
  }

  /** Drops the connection of its request, and the buffer that its body is a part of. */
  dropConnection(): void {
    if (!this.#request) return
    const { method, target, headers, body, tooLarge, address, scheme } = this.#request
    const own = body && body.byteLength < body.buffer.byteLength ? new Uint8Array(body) : body
    this.#request = { method, target, headers, body: own, tooLarge, address, ...(scheme && { scheme }) }
  }
}

/** Whether the request can be rebuilt from its exchange. */
const canRebuild = ({ request: { truncated } }: Exchange, { tooLarge, scheme }: Request): boolean =>
  !truncated && !tooLarge && scheme === undefined

function requestOf(exchange: Exchange): Request {
  const { headers, body } = exchange.request
  return requestWith(exchange.method, targetOf(exchange), headers, body === '' ? undefined : encodeUtf8(body))
}

/** The state of a world at an instant at which no request was in progress, and the commands that followed. */
export interface Checkpoint extends Kept {
  /** Undefined if requests were in progress, or the memory was released: no command can be repeated from here. */
  state: WorldState | undefined
  /** The number of earlier events of the namespace. */
  readonly position: number
  /** The number of the last command before it. */
  readonly n: number
  /** The number of earlier rewinds; each made a branch. */
  readonly branches: number
  /** The event that gave it this state, unless commands did: a rewind, or a change that could not be stored. */
  readonly cause: 'rewind' | 'failure' | undefined
  readonly commands: Command[]
}
