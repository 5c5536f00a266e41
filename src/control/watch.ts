import type { NotReceived, VerificationFailure } from '../contract/generated/control.types.d.ts'
import { parseDuration } from '../time/duration.ts'
import { MINUTE } from '../time/instant.ts'
import { ApiError } from '../world/api-error.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { ControlContext } from './context.ts'
import { entryText, type NamesIn } from './entry-text.ts'
import type { Matcher } from './match.ts'
import { type JsonReply, writtenReply } from './reply.ts'

/** Reads how long a call waits, in milliseconds of real time. Throws an ApiError. */
export function readWithin(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds <= MINUTE) return milliseconds
  throw new ApiError('invalid_body', `within: "${text}" is too long; use 60s or less`)
}

export interface Watch {
  /** Resolves when `look` returns true, the time is over, the client has disconnected, or the sandbox shuts down. */
  readonly over: Promise<void>
  readonly stop: () => void
}

/**
 * Watches the exchanges of a namespace. `look` receives each of them and returns whether to stop; `restart` is called
 * when the journal is cleared. The caller has to call `stop`.
 */
export function watchRequests(
  { request, deps, recorded, changes, waiting }: ControlContext,
  namespace: string,
  within: number,
  look: (exchange: Exchange) => boolean,
  restart: () => void,
): Watch {
  let finish = () => {}
  const over = new Promise<void>((resolve) => {
    finish = resolve
  })
  waiting.add(finish)
  if (deps.shutdown.aborted) finish()
  const stops = [
    recorded.subscribe(namespace, (exchange) => {
      if (look(exchange)) finish()
    }),
    changes.subscribe(namespace, ({ changed }) => {
      if (changed.includes('requests')) restart()
    }),
    request.onGone?.(finish),
    deps.timer(within, finish),
    () => waiting.delete(finish),
  ]
  return {
    over,
    stop: () => {
      for (const stop of stops) stop?.()
    },
  }
}

const NEAREST = 3

/** Exchanges compared per step. */
const STEP = 4

/** A refusal with the exchanges that match best: the best first, of equal ones the newest first. */
export function* refusal<Value extends NotReceived | VerificationFailure>(
  members: Omit<Value, 'nearest'>,
  exchanges: readonly Exchange[],
  matcher: Matcher,
  namesIn: NamesIn,
): Generator<undefined, JsonReply<409, Value>> {
  const nearest: { readonly exchange: Exchange; readonly agreed: number }[] = []
  for (const [i, exchange] of exchanges.toReversed().entries()) {
    const agreed = matcher.agreement(exchange)
    const place = nearest.findIndex((other) => other.agreed < agreed)
    if (place >= 0) nearest.splice(place, 0, { exchange, agreed })
    else if (nearest.length < NEAREST) nearest.push({ exchange, agreed })
    if (nearest.length > NEAREST) nearest.pop()
    if (i % STEP === 0) yield
  }
  const texts = nearest.map(({ exchange }) => entryText(exchange, namesIn))
  return writtenReply(409, `${JSON.stringify(members).slice(0, -1)},"nearest":[${texts.join(',')}]}`)
}
