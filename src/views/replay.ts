import type { RecordingDifference, Replay, ReplyDifference } from '../past/difference.ts'
import { inThousands } from '../text/in-thousands.ts'
import { plural } from '../text/plural.ts'
import { shorten } from '../text/shorten.ts'
import type { JUnitSuite } from './junit.ts'

/** The limit of characters of a value. */
const MAX_SHOWN = 500

const shown = (value: string | null): string => (value === null ? 'nothing' : shorten(value, MAX_SHOWN))

/** The first difference of a replay: the request, and both values. */
export const differenceText = ({ command, request, requestId, ...difference }: RecordingDifference): string =>
  `The first difference is the response to command ${command}${requestId === null ? '' : `, ${requestId}`}: ${request}
${wasAndIs(difference)}`

export const wasAndIs = ({ where, was, is }: ReplyDifference): string => `  ${where}
    was: ${shown(was)}
    is:  ${shown(is)}
`

/** The first difference, or `All 3 responses are identical.`; `is` and `are`: the words for one and for several. */
export function outcomeText({ compared, difference }: Replay, is: string, are: string): string {
  if (difference) return differenceText(difference)
  if (compared === 0) return 'No response was compared.\n'
  return compared === 1 ? `The response ${is}.\n` : `All ${inThousands(compared)} responses ${are}.\n`
}

/** The result of a replay, for people. */
export function replayText(replay: Replay): string {
  const outcome = outcomeText(replay, 'is identical', 'are identical')
  return [...replay.notices, `Replayed ${plural(replay.commands, 'command')}. ${outcome}`].join('\n')
}

/** The result of a replay as a JUnit suite with one test. `skipped`: why the replay did not reach its end. */
export function replaySuite(file: string, { difference }: Replay, at: string, skipped?: string): JUnitSuite {
  const failure = difference && {
    message: `${difference.request}: ${difference.where}`,
    details: differenceText(difference),
  }
  const only = { suite: 'replay', name: file, ...(failure && { failure }), ...(skipped && { skipped }) }
  return { name: 'petstore-sandbox replay', at, cases: [only] }
}
