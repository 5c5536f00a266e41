import type { Fault, HoldUntil, NewFault } from '../../data/types.ts'
import { brief } from '../../text/text.ts'

/** A fault rule in one line. */
export const faultText = ({ match = {}, effect, when }: NewFault | Fault): string => {
  const subject = match.operationId ?? [match.method, match.path].filter(Boolean).join(' ')
  const what =
    'hold' in effect
      ? holdText(effect.hold.until)
      : 'wire' in effect
        ? WIRE[effect.wire]
        : 'latency' in effect
          ? effect.latency
          : effect.status
  return `${brief(subject || 'every request', 60)}${match.key ? ` of ${brief(match.key, 40)}` : ''} → ${what}${when === 'after' ? ', carried out' : ''}`
}

export const holdText = (until: HoldUntil): string =>
  until === 'released'
    ? 'held until released'
    : `held until ${brief(Object.values(until).join(' ') || 'any request', 60)}`

const WIRE = {
  reset: 'connection reset',
  empty: 'no answer',
  truncate: 'half an answer',
  garbage: 'garbage',
  hang: 'never an answer',
} as const
