import { jsonOf } from '../../contract/openapi/json.ts'
import { pathOfDifference, type ReplyDifference, shortenValue } from '../../past/difference.ts'
import type { RecordedReply } from '../../past/recording.ts'
import type { ValidatedResponse } from '../../prism/validator.ts'
import { essence, fieldValue, fieldValues } from '../../world/traffic/message.ts'
import type { ServiceIds } from './service-ids.ts'

/** Undefined if the replies agree. */
type Difference = ReplyDifference | undefined

/**
 * The first difference between a recorded reply and that of a service, in what the interface defines: the status, the
 * media type, the body (with the ids of the service), and the presence of its header fields. Error messages, counters,
 * waits and other header fields are not compared, because services differ in them.
 */
export function serviceDifference(was: RecordedReply, is: ValidatedResponse, ids: ServiceIds): Difference {
  if (was.status !== is.status) return { where: 'status', was: `${was.status}`, is: `${is.status}` }
  return typeDifference(was, is) ?? bodyDifference(was, is, ids) ?? headerDifference(was, is)
}

function typeDifference(was: RecordedReply, is: ValidatedResponse): Difference {
  const [before, now] = [was, is].map(({ headers }) => essence(fieldValue(headers, 'content-type') ?? ''))
  if (!before || before === now) return undefined
  return { where: 'header Content-Type', was: before, is: now || null }
}

function bodyDifference(was: RecordedReply, is: ValidatedResponse, ids: ServiceIds): Difference {
  // A body of which only a digest was recorded cannot be compared.
  if ('sha256' in was || 'base64' in was) return undefined
  const { body = '' } = was
  const [before, now] = [jsonOf(body), jsonOf(is.body)]
  if (before === undefined || now === undefined)
    return body === is.body
      ? undefined
      : { where: 'body', was: shortenValue(body) || null, is: shortenValue(is.body) || null }
  ids.learn(before, now, was.status === 201)
  return pathOfDifference(withMessageOf(ids.expected(before), now), now, '$')
}

/** Replaces the message of an error, which differs between services and may contain ids. */
function withMessageOf(error: unknown, other: unknown): unknown {
  const [mine, its] = [Object(error), Object(other)]
  const isError = typeof mine.code === 'string' && typeof mine.message === 'string'
  return isError && typeof its.message === 'string' ? { ...mine, message: its.message } : error
}

/** The headers of the interface (sections 7 and 8). */
const HEADERS: readonly (readonly [name: string, form: RegExp])[] = [
  ['X-RateLimit-Limit', /^\d+$/],
  ['X-RateLimit-Remaining', /^\d+$/],
  ['X-RateLimit-Reset', /^\d+$/],
  ['Retry-After', /^(?:\d+|[A-Z][a-z]{2}, .+ GMT)$/],
]

function headerDifference(was: RecordedReply, is: ValidatedResponse): Difference {
  for (const [name, form] of HEADERS) {
    const [before, now] = [was.headers, is.headers].map((headers) => fieldValues(headers, name.toLowerCase()))
    const value = now?.join(', ') ?? ''
    if (before?.[0] !== undefined && !form.test(value))
      return { where: `header ${name}`, was: before[0], is: value || null }
  }
  return undefined
}
