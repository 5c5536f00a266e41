import { setTimeout } from 'node:timers/promises'
import type { Contract } from '../../contract/openapi/contract.ts'
import { jsonOf } from '../../contract/openapi/json.ts'
import { decodeUtf8, textOf, withoutMark } from '../../text/utf8.ts'
import { SECOND } from '../../time/instant.ts'
import { readBody } from '../../web/fetch.ts'
import type { Secrets } from '../../world/keys/secrets.ts'
import { reasonFor } from '../../world/traffic/connection-error.ts'
import { FORWARD_LIMIT, FORWARD_TIMEOUT, TOO_LARGE } from '../proxy/forward.ts'
import {
  httpDateOf,
  type Identity,
  identityOf,
  limitFields,
  quoted,
  retryAfter,
  type ServiceRequest,
  type ServiceResponse,
  secretsOf,
  timestampText,
} from './exchange.ts'

export interface ClientOptions {
  /** The address of the service; it should end in /v1. */
  readonly baseUrl: string
  readonly key: string
  readonly contract: Contract
  readonly fetch?: (input: string, init?: RequestInit) => Promise<Response>
  /** When it aborts, nothing more is sent, and checks are skipped with the message of its reason. */
  readonly signal: AbortSignal
  readonly sleep?: (ms: number, value: undefined, until: { signal: AbortSignal }) => Promise<unknown>
  readonly onWait?: (milliseconds: number, why: string) => void
}

/** A check cannot continue. The message says why; it is not a failure of the service. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

/** The service could not be reached, or did not answer in time; the message says why. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  readonly request: string
  constructor(request: string, reason: string) {
    super(reason)
    this.request = request
  }
}

const NOTES = { given: '', missing: ' (no key)', invalid: ' (an invalid key)' } as const

/** A key that was never issued. */
const INVALID_KEY = 'a-key-that-nobody-has-issued'

/** Sends one request, without retries or redirects. Rejects with a NoResponse. */
async function sendTo(
  options: ClientOptions,
  secrets: Secrets,
  sent: ServiceRequest,
): Promise<ServiceResponse> {
  const { baseUrl, key, contract, fetch = globalThis.fetch, signal } = options
  const [method = '', target = ''] = sent.send.split(' ')
  // The id of a pet may be long, or the key, if the service is wrong.
  const request = quoted(sent.send, { secrets }) + NOTES[sent.key ?? 'given']
  const { operation } = contract.resolve(method, target.replace(/\?.*/s, ''))
  // The catch clause reads it: AbortSignal.any of Node 20 does not keep a signal that nothing else refers to, and after
  // a garbage collection that signal never aborts.
  const limit = AbortSignal.timeout(FORWARD_TIMEOUT)
  try {
    const response = await fetch(`${baseUrl}${target}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(sent.key !== 'missing' && { authorization: `Bearer ${sent.key ? INVALID_KEY : key}` }),
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      ...(sent.body !== undefined && { body: sent.body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    })
    const read = response.body ? await readBody(response.body, FORWARD_LIMIT) : {}
    if (read.tooLarge) throw new Error(TOO_LARGE)
    const bytes = read.body ?? new Uint8Array()
    const text = textOf(bytes)
    const body = withoutMark(text ?? decodeUtf8(bytes))
    const json = text === undefined ? undefined : jsonOf(body)
    // The spaces around a value are not part of it (RFC 9110, section 5.5); `fetch` leaves those behind it.
    const headers = [...response.headers].flatMap(([name, value]) => [name, value.trim()])
    const at = httpDateOf(response.headers.get('date') ?? undefined) ?? Date.now()
    const { status } = response
    return { sent, operationId: operation?.id, request, status, headers, body, json, at, secrets }
  } catch (error) {
    const reason = limit.aborted ? `no response within ${FORWARD_TIMEOUT / SECOND} s` : reasonOf(error)
    throw new NoResponse(request, reason)
  }
}

function reasonOf(error: unknown): string {
  const { message, cause }: Error & { cause?: { code?: string; message?: string } } = Object(error)
  const text = (cause?.message ?? message).replace(/\.$/, '')
  return reasonFor(cause?.code ?? text, text)
}

/** The longest wait, in milliseconds: a window of a minute, and a margin for rounding. */
export const LONGEST_WAIT = 65 * SECOND

/** The longest wait for each single request, in milliseconds. */
const SHORT_WAIT = 10 * SECOND

/** Added to each wait, because two clocks may differ, in milliseconds. */
const MARGIN = 200

/** After this many requests in a row without a response, no more are sent. */
const MAX_UNANSWERED = 2

export type PacedClient = ReturnType<typeof createPacedClient>

/** Sends all requests to the service, slowly enough for its limits. `history`: every response, in order. */
export function createPacedClient(options: ClientOptions) {
  const { sleep = setTimeout, onWait = () => {}, signal } = options
  const secrets = secretsOf(options.key)
  const history: ServiceResponse[] = []
  /** Why no more requests of a caller are sent; `reserve`: none but those that use up the quota. */
  const stopped = new Map<Identity | 'reserve', string>()
  const memory = new Map<string, Promise<unknown>>()
  let latest: ServiceResponse | undefined
  let awaitedReset: number | undefined
  let firstAfterWait: ServiceResponse | undefined
  let unanswered = 0

  async function wait(milliseconds: number, why: string): Promise<void> {
    skipStopped()
    onWait(milliseconds, why)
    await sleep(milliseconds + MARGIN, undefined, { signal }).finally(skipStopped)
  }

  function skipStopped(): void {
    if (signal.aborted) throw new Skipped(signal.reason.message)
  }

  /** From now on, every request of this caller throws Skipped; the first reason is kept. */
  function stop(caller: Identity | 'reserve', reason: string): void {
    if (!stopped.has(caller)) stopped.set(caller, reason)
  }

  function refuse(caller: Identity | 'reserve', reason: string): never {
    stop(caller, reason)
    throw new Skipped(reason)
  }

  /** Sends a request regardless of the quota; a refusal is returned like any response. */
  async function sendUnpaced(sent: ServiceRequest): Promise<ServiceResponse> {
    skipStopped()
    const reason = stopped.get(identityOf(sent))
    if (reason !== undefined) throw new Skipped(reason)
    const received = await sendTo(options, secrets, sent).catch((error: unknown) => {
      skipStopped()
      unanswered += 1
      if (unanswered === MAX_UNANSWERED) {
        for (const caller of ['owner', 'anonymous'] as const) stop(caller, 'the service stopped answering')
      }
      throw error
    })
    const answer = { ...received, unanswered }
    unanswered = 0
    history.push(answer)
    if (identityOf(sent) === 'owner') {
      latest = answer
      firstAfterWait ??= answer
    }
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
    if (left > LONGEST_WAIT) refuse('reserve', `${why}; only the checks of --exhaust-limits use them`)
    if (awaitedReset === reset)
      refuse('reserve', `${why}, and waiting did not help: its clock seems to be stopped`)
    // Each request takes a wait if the reserve is nearly all of a small limit, or if a limit refills in short steps.
    const waitsForEach = left <= SHORT_WAIT || reserveOf(limit) >= limit - 1
    if (awaitedReset !== undefined && latest === firstAfterWait && !waitsForEach)
      refuse('reserve', `${why}, and waiting for this window did not help`)
    awaitedReset = reset
    await wait(left, why)
    latest = undefined
    firstAfterWait = undefined
  }

  /**
   * Sends a request; after a refusal (429, or 503 with Retry-After) waits and retries once, if the wait is short. Throws
   * Skipped if the quota is nearly used up or the wait too long; then nothing more is sent for that caller.
   */
  async function send(sent: ServiceRequest): Promise<ServiceResponse> {
    const caller = identityOf(sent)
    if (caller === 'owner' && !stopped.has(caller) && !signal.aborted) await keepReserve()
    const answer = await sendUnpaced(sent)
    if (!isRefusal(answer)) return answer
    const pause = retryAfter(answer)
    const received = `${answer.request} was answered with ${answer.status}`
    if (pause === undefined) return refuse(caller, `${received} without a readable Retry-After`)
    if (pause > LONGEST_WAIT)
      return refuse(caller, `${received} and Retry-After ${pause / SECOND} s: too long to wait`)
    await wait(pause, received)
    const second = await sendUnpaced(sent)
    if (isRefusal(second)) refuse(caller, `${received}, and so again after Retry-After`)
    return second
  }

  /** Calls `make` the first time, and returns that value from then on. */
  function remember<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = memory.get(name)
    if (known) return known.catch(skipInstead) as Promise<T>
    const made = make()
    memory.set(name, made)
    return made
  }

  /** Sends this request at most once, and returns its response. */
  const once = (sent: ServiceRequest) => remember(JSON.stringify(sent), () => send(sent))
  const shared = { send, once, sendUnpaced, remember, wait, stop }
  return { ...shared, history: history as readonly ServiceResponse[], stopped }
}

/** A 503 with Retry-After says that the service is unavailable for a while. */
const isRefusal = (answer: ServiceResponse): boolean =>
  answer.status === 429 || (answer.status === 503 && retryAfter(answer) !== undefined)

/** The number of requests of a window that are left to other users of the key: five, or fewer of a small limit. */
const reserveOf = (limit: number): number => Math.max(1, Math.min(5, Math.floor(limit / 10)))

/** Skips a check after a request without a response, which the check that sent it has reported. */
function skipInstead(error: unknown): never {
  if (error instanceof NoResponse) throw new Skipped(`there was no response to ${error.request}`)
  throw error
}
