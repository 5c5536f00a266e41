import { SECOND } from '../domain/world/instant.ts'
import { NoResponse, type Send } from './service.ts'
import { type Identity, identityOf, type ServiceRequest } from './service-request.ts'
import { limitFields, retryAfter, type ServiceResponse, timestampText } from './service-response.ts'

/** A check cannot go on; the message says why. It says nothing against the service. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

/** Everything that is said to a service, at a pace that it allows. */
export interface PacedClient {
  /** Every answer, in order. */
  readonly history: readonly ServiceResponse[]
  /**
   * Sends a request and waits out a refusal (429, or 503 with Retry-After) once, where that is short. Throws
   * Skipped where the quota is nearly used up or the wait too long; then nothing more is sent for that caller.
   */
  send(ask: ServiceRequest): Promise<ServiceResponse>
  /** The answer to this request, which is sent at most once. */
  once(ask: ServiceRequest): Promise<ServiceResponse>
  /** Sends a request without a look at the quota; a refusal is an answer like another. */
  insist(ask: ServiceRequest): Promise<ServiceResponse>
  /** What `make` made the first time. */
  remember<T>(name: string, make: () => Promise<T>): Promise<T>
  wait(milliseconds: number, why: string): Promise<void>
  /** From now on, every request of this caller throws Skipped; the first reason stands. */
  stop(caller: Identity, reason: string): void
}

export interface Pace {
  readonly sleep: (milliseconds: number) => Promise<unknown>
  readonly onWait: (milliseconds: number, why: string) => void
}

/** What is waited for at most, in milliseconds: a minute's window, and a little for its rounding. */
export const LONGEST_WAIT = 65 * SECOND

/** So that a wait is over when its seconds have passed by the other clock too, in milliseconds. */
const MARGIN = 200

/** After so many requests in a row that got no answer, no more are sent. */
const SILENCES = 2

export function createPacedClient(sendNow: Send, { sleep, onWait }: Pace): PacedClient {
  const history: ServiceResponse[] = []
  const stopped = new Map<Identity, string>()
  const memory = new Map<string, Promise<unknown>>()
  let latest: ServiceResponse | undefined
  let awaitedReset: number | undefined
  let silences = 0

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

  async function insist(ask: ServiceRequest): Promise<ServiceResponse> {
    const reason = stopped.get(identityOf(ask))
    if (reason !== undefined) throw new Skipped(reason)
    const answer = await sendNow(ask).catch((error: unknown) => {
      silences += 1
      if (silences === SILENCES) {
        for (const caller of ['owner', 'anonymous'] as const) stop(caller, 'the service stopped answering')
      }
      throw error
    })
    silences = 0
    history.push(answer)
    if (identityOf(ask) === 'owner') latest = answer
    return answer
  }

  /** Leaves some of the quota to others: waits for the next window where that is near. */
  async function spare(): Promise<void> {
    const fields = latest && limitFields(latest)
    if (!latest || !fields || fields.remaining > reserveOf(fields.limit)) return
    const { remaining, limit, reset } = fields
    const left = reset * SECOND - latest.at
    const why = `${remaining} of ${limit} requests are left until ${timestampText(reset)}`
    if (left <= 0) return
    if (left > LONGEST_WAIT) refuse('owner', `${why}; the rest of this quota is not touched`)
    if (awaitedReset === reset) refuse('owner', `${why}, and waiting did not help: its clock seems to stand`)
    awaitedReset = reset
    await wait(left, why)
    latest = undefined
  }

  async function send(ask: ServiceRequest): Promise<ServiceResponse> {
    if (identityOf(ask) === 'owner' && !stopped.has('owner')) await spare()
    const answer = await insist(ask)
    if (!isRefusal(answer)) return answer
    const pause = retryAfter(answer)
    const came = `${answer.request} was answered with ${answer.status}`
    if (pause === undefined) return refuse(identityOf(ask), `${came} without a readable Retry-After`)
    if (pause > LONGEST_WAIT)
      return refuse(identityOf(ask), `${came} and Retry-After ${pause / SECOND} s: too long to wait`)
    await wait(pause, came)
    const second = await insist(ask)
    if (isRefusal(second)) refuse(identityOf(ask), `${came}, and so again after Retry-After`)
    return second
  }

  function remember<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = memory.get(name)
    if (known) return known.catch(skipInstead) as Promise<T>
    const made = make()
    memory.set(name, made)
    return made
  }

  const once = (ask: ServiceRequest) => remember(JSON.stringify(ask), () => send(ask))
  return { history, send, once, insist, remember, wait, stop }
}

/** A service that is away for a while says so with a Retry-After too. */
const isRefusal = (answer: ServiceResponse): boolean =>
  answer.status === 429 || (answer.status === 503 && retryAfter(answer) !== undefined)

/** What is left of a window to others: five requests, less of a small one. */
const reserveOf = (limit: number): number => Math.max(1, Math.min(5, Math.floor(limit / 10)))

/** A request without an answer is told once, by the check that sent it. */
function skipInstead(error: unknown): never {
  if (error instanceof NoResponse) throw new Skipped(`there was no answer to ${error.request}`)
  throw error
}
