import type { NotReceived, VerificationFailure } from '../contract/generated/control.types.d.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryText, type NamesIn } from './entry-text.ts'
import type { Matcher } from './match.ts'
import { type JsonReply, writtenReply } from './reply.ts'

const NEAREST = 3

/** Exchanges that are compared in one step. */
const STEP = 4

/** A refusal with the exchanges that come closest to a match, the closest first and of equal ones the newest. */
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
