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

/** The result of a replay, for people. */
export function replayText({ commands, compared, difference, notices }: Replay): string {
  const identical = `${compared === 1 ? 'The response is' : `All ${inThousands(compared)} responses are`} identical.\n`
  const agreement = compared === 0 ? 'No response was compared.\n' : identical
  const outcome = difference ? differenceText(difference) : agreement
  return [...notices, `Replayed ${plural(commands, 'command')}. ${outcome}`].join('\n')
}

/** The result of a replay as a JUnit suite with one test. */
export function replaySuite(file: string, { difference }: Replay, at: string): JUnitSuite {
  const failure = difference && {
    message: `${difference.request}: ${difference.where}`,
    details: differenceText(difference),
  }
  const only = { suite: 'replay', name: file, ...(failure && { failure }) }
  return { name: 'petstore-sandbox replay', at, cases: [only] }
}
