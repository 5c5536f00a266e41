import { plural } from '../../text/plural.ts'
import { differenceText } from '../../views/replay.ts'
import type { ServiceReplay, SkipReason } from './service-requests.ts'

const REASONS: Readonly<Record<SkipReason, string>> = {
  fault: 'answered by a fault',
  prefer: 'answered as the header Prefer asked',
  'trigger-key': 'answered as the key triggers it',
  'not-described': 'that the interface does not describe',
  outside: 'outside /v1',
  'no-reply': 'without a recorded reply',
  'not-sendable': 'that cannot be sent as it was',
}

/** The result of a replay against another service, for people. */
export function serviceReplayText(replay: ServiceReplay): string {
  const { service, commands, compared, difference, differing, skipped, notices } = replay
  const more = differing > 1 ? `${plural(differing - 1, 'more reply differs', 'more replies differ')}.\n` : ''
  const outcome = difference
    ? `${differenceText(difference)}${more}`
    : `${compared === 1 ? 'The reply agrees' : `All ${compared} replies agree`} with the recording.\n`
  const lines = [
    ...notices,
    ...skipped.map(({ reason, requests }) => `${plural(requests, 'request')} skipped: ${REASONS[reason]}.`),
  ]
  return `${lines.map((line) => `${line}\n`).join('')}Sent ${plural(commands, 'request')} to ${service}. ${outcome}`
}
