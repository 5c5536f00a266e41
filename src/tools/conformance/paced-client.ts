import { SECOND } from '../../time/instant.ts'
import {
  type Identity,
  identityOf,
  limitFields,
  retryAfter,
  type ServiceRequest,
  type ServiceResponse,
  timestampText,
} from './exchange.ts'
import { NoResponse, type Send } from './service.ts'

/** A check cannot continue. The message says why; it is no failure of the service. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

/** Sends all requests to the service, slowly enough for its limits. */
export interface PacedClient {
  /** Every response, in order. */
  readonly history: readonly ServiceResponse[]
  /**
   * Sends a request; after a refusal (429, or 503 with Retry-After) waits and retries once, if the wait is short. Throws
   * Skipped if the quota is nearly used up or the wait too long; then nothing more is sent for that caller.
   */
  send(sent: ServiceRequest): Promise<ServiceResponse>
  /** Sends this request at most once, and returns its response. */
  once(sent: ServiceRequest): Promise<ServiceResponse>
  /** Sends a request regardless of the quota; a refusal is returned like any response. */
  sendUnpaced(sent: ServiceRequest): Promise<ServiceResponse>
  /** Calls `make` the first time, and returns that value from then on. */
  remember<T>(name: string, make: () => Promise<T>): Promise<T>
  wait(milliseconds: number, why: string): Promise<void>
  /** From now on, every request of this caller throws Skipped; the first reason is kept. */
  stop(caller: Identity, reason: string): void
}

export interface Pace {
  readonly sleep: (milliseconds: number) => Promise<unknown>
  readonly onWait: (milliseconds: number, why: string) => void
}

/** The longest wait, in milliseconds: a window of a minute, and a margin for rounding. */
export const LONGEST_WAIT = 65 * SECOND

/** Added to each wait, because two clocks may differ, in milliseconds. */
const MARGIN = 200

/** After this many requests in a row without a response, no more are sent. */
const MAX_UNANSWERED = 2

export function createPacedClient(sendNow: Send, { sleep, onWait }: Pace): PacedClient {
  const history: ServiceResponse[] = []
  const stopped = new Map<Identity, string>()
  const memory = new Map<string, Promise<unknown>>()
  let latest: ServiceResponse | undefined
  let awaitedReset: number | undefined
  let unanswered = 0

  const wait = async (milliseconds: number, why: string) => {
    onWait(milliseconds, why)
    await sleep(milliseconds + MARGIN)
  }
  const stop = (caller: Identity, reason: string) => {
    if (!stopped.has(caller)) stopped.set(caller, reason)
  }
  const refuse = (caller: Identity, reason: string): never => {
    stop(caller, reason)
    throw new Skipped(reason)
  }

  async function sendUnpaced(sent: ServiceRequest): Promise<ServiceResponse> {
    const reason = stopped.get(identityOf(sent))
    if (reason !== undefined) throw new Skipped(reason)
    const answer = await sendNow(sent).catch((error: unknown) => {
      unanswered += 1
      if (unanswered === MAX_UNANSWERED) {
        for (const caller of ['owner', 'anonymous'] as const) stop(caller, 'the service stopped answering')
      }
      throw error
    })
    unanswered = 0
    history.push(answer)
    if (identityOf(sent) === 'owner') latest = answer
    return answer
  }

  /** Waits for the next window before the quota is used up, because others may use the key too. */
  async function keepReserve(): Promise<void> {
    const fields = latest && limitFields(latest)
    if (!latest || !fields || fields.remaining > reserveOf(fields.limit)) return
    const { remaining, limit, reset } = fields
    const left = reset * SECOND - latest.at
    const why = `${remaining} of ${limit} requests are left until ${timestampText(reset)}`
    if (left <= 0) return
    if (left > LONGEST_WAIT) refuse('owner', `${why}; the rest of this quota is left to others`)
    if (awaitedReset === reset)
      refuse('owner', `${why}, and waiting did not help: its clock seems to be stopped`)
    awaitedReset = reset
    await wait(left, why)
    latest = undefined
  }

  async function send(sent: ServiceRequest): Promise<ServiceResponse> {
    if (identityOf(sent) === 'owner' && !stopped.has('owner')) await keepReserve()
    const answer = await sendUnpaced(sent)
    if (!isRefusal(answer)) return answer
    const pause = retryAfter(answer)
    const received = `${answer.request} was answered with ${answer.status}`
    if (pause === undefined) return refuse(identityOf(sent), `${received} without a readable Retry-After`)
    if (pause > LONGEST_WAIT)
      return refuse(identityOf(sent), `${received} and Retry-After ${pause / SECOND} s: too long to wait`)
    await wait(pause, received)
    const second = await sendUnpaced(sent)
    if (isRefusal(second)) refuse(identityOf(sent), `${received}, and so again after Retry-After`)
    return second
  }

  function remember<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = memory.get(name)
    if (known) return known.catch(skipInstead) as Promise<T>
    const made = make()
    memory.set(name, made)
    return made
  }

  const once = (sent: ServiceRequest) => remember(JSON.stringify(sent), () => send(sent))
  return { history, send, once, sendUnpaced, remember, wait, stop }
}

/** A 503 with Retry-After says that the service is unavailable for a while. */
const isRefusal = (answer: ServiceResponse): boolean =>
  answer.status === 429 || (answer.status === 503 && retryAfter(answer) !== undefined)

/** How many requests of a window are left to other users of the key: five, or fewer of a small limit. */
const reserveOf = (limit: number): number => Math.max(1, Math.min(5, Math.floor(limit / 10)))

/** Skips a check after a request without a response, which the check that sent it has reported. */
function skipInstead(error: unknown): never {
  if (error instanceof NoResponse) throw new Skipped(`there was no answer to ${error.request}`)
  throw error
}
