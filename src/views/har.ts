import type { JournalEntry, JournalMessage } from '../contract/generated/control.types.d.ts'
import { joined } from '../contract/openapi/json.ts'
import { queryParameters } from '../contract/openapi/read-request.ts'
import { VERSION } from '../contract/version.ts'
import { statusText } from '../text/status-text.ts'
import { byteLength } from '../text/utf8.ts'
import { targetOf } from '../world/traffic/address.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import { entryOf, notesOf } from '../world/traffic/journal-entry.ts'

/** An HTTP Archive 1.2 as text, in parts. `origin`: for requests without a Host header. */
export function* harParts(exchanges: Iterable<Exchange>, origin: string): Generator<string> {
  yield `{"log":{"version":"1.2","creator":{"name":"petstore-sandbox","version":"${VERSION}"},"entries":[`
  yield* joined(exchanges, (exchange) => JSON.stringify(harEntry(entryOf(exchange), origin)))
  yield ']}}'
}

/**
 * A journal entry, whose keys are masked, for an archive. After a wire fault there is no response: the status is 0, as in
 * the archives of browsers. `origin`: for requests without a Host header.
 */
export function harEntry(entry: JournalEntry, origin: string): object {
  const { request, response, status, test } = entry
  const { host } = request.headers
  // Every viewer shows the comment.
  const comment = [test, notesOf(entry)].filter(Boolean).join('; ')
  return {
    startedDateTime: entry.at,
    time: entry.ms,
    request: {
      method: entry.method,
      url: `${host ? `${new URL(origin).protocol}//${host}` : origin}${targetOf(entry)}`,
      ...common(request),
      queryString: Array.from(queryParameters(entry.query), ([name, value]) => ({ name, value })),
      bodySize: sizeOf(request),
      ...(request.body !== '' && { postData: bodyOf(request) }),
    },
    response: {
      status,
      statusText: statusText(status),
      ...(status === 0 ? common({ headers: {}, body: '' }) : common(response)),
      content: status === 0 ? NO_CONTENT : { size: byteLength(response.body), ...bodyOf(response) },
      redirectURL: response.headers.location ?? '',
      bodySize: status === 0 ? -1 : sizeOf(response),
    },
    cache: {},
    timings: { send: 0, wait: entry.ms, receive: 0 },
    _id: entry.id,
    _namespace: entry.namespace,
    _operationId: entry.operationId,
    _plan: entry.plan,
    ...(comment !== '' && { comment }),
    _decision: entry.decision,
    _reason: entry.reason,
    _findings: entry.findings,
    ...(test !== undefined && { _test: test }),
    _warnings: entry.warnings,
  }
}

const NO_CONTENT = { size: 0, mimeType: 'x-unknown' }

const common = ({ headers }: JournalMessage): object => ({
  httpVersion: 'HTTP/1.1',
  cookies: [],
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  headersSize: -1,
})

/** The mark of a truncated body keeps `replay` from taking it for a complete one. */
const bodyOf = ({ headers, body, truncated }: JournalMessage): object => ({
  mimeType: headers['content-type'] ?? 'x-unknown',
  text: body,
  ...(truncated && { _truncated: true }),
})

/** In bytes; -1 (unknown) if the body was truncated. */
const sizeOf = ({ body, truncated }: JournalMessage): number => (truncated ? -1 : byteLength(body))
