import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base64Of, encodeUtf8, textOf } from '../text/utf8.ts'
import type { Eventually } from '../time/eventually.ts'
import type { Applied, Command } from '../world/command.ts'
import { AS_IT_IS, type Rewriter } from '../world/keys/redaction.ts'
import { isControlTarget } from '../world/traffic/address.ts'
import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import type { RecordedLine, RecordedReply, RecordedRequest } from './recording.ts'

/** The longest body that is recorded, in characters; of a longer one the digest. */
const LONGEST_BODY = 256 * 1024

/** The longest streamed body that is compared. */
const LONGEST_STREAMED = 8 * 1024 * 1024

/** The parts of a command that its line contains. */
export type Sent = Omit<Applied, 'keys' | 'request'> & {
  readonly request: Request
  readonly refusal?: Command['refusal']
}

export type RecordedLines = ReturnType<typeof recordedLines>

/**
 * Makes the lines of one file. A line refers to an earlier one for content that both have. `startedAt`: milliseconds since
 * the epoch.
 */
export function recordedLines(startedAt: number, rewriter: Rewriter) {
  const sent = earlierOf<SentRequest>(rewriter)
  const requests = earlierOf<readonly string[]>(rewriter)
  const replies = earlierOf<readonly string[]>(rewriter)
  const bodies = earlierOf<string>(rewriter)
  return { command, reply }

  function command({ n, from, at, request, refusal }: Sent): RecordedLine {
    const { method, target, tooLarge, body } = request
    // JSON omits undefined members.
    const instants = { from: from === undefined ? undefined : from - startedAt, at: at - startedAt }
    const refused = refusal && (true as const)
    const same = sent.find(target)
    if (same && isSame(same.value, request)) return { n, ...instants, requestOf: same.n, refused }
    const isControl = isControlTarget(target)
    const kind = isControl ? `control ${method}` : method
    const { headers, headersOf } = fieldsOf(requests, n, kind, request.headers, isControl)
    if (!body || body.byteLength <= LONGEST_SAME)
      sent.keep(target, n, { method, headers: request.headers, body, tooLarge })
    return {
      n,
      ...instants,
      request: {
        method,
        target: rewriter.text(target),
        headers,
        tooLarge: tooLarge || undefined,
        ...sentBody(body, rewriter),
      } satisfies RecordedRequest,
      headersOf,
      refused,
    }
  }

  /** The line of a complete reply. `isRefused`: it is the error because of which its command stored nothing. */
  function reply(
    n: number,
    { status, headers: received, body, wire }: Reply,
    isRefused = false,
  ): RecordedLine {
    const bodyOf = earlierBody(n, body)
    const { headers, headersOf } = fieldsOf(replies, n, status, received, false)
    const shown = bodyOf === undefined ? recordedBody(body, rewriter) : undefined
    const refused = isRefused || undefined
    return {
      n,
      reply: { status, headers, wire, ...shown, refused } satisfies RecordedReply,
      headersOf,
      bodyOf,
    }
  }

  /** The recorded header fields: if an earlier line has the same names, only the values that differ. */
  function fieldsOf(
    lines: Earlier<readonly string[]>,
    n: number,
    kind: string | number,
    headers: readonly string[],
    isControl: boolean,
  ): { readonly headers: readonly string[]; readonly headersOf?: number } {
    const show = (fields: readonly string[]) => withoutToken(rewriter.headers(fields), isControl)
    const line = lines.find(kind)
    const changed = line && changedFields(line.value, headers)
    if (changed) return { headers: show(changed), headersOf: line.n }
    // A new key gets its pseudonym here.
    const shown = show(headers)
    lines.keep(kind, n, headers)
    return { headers: shown }
  }

  function earlierBody(n: number, body: Reply['body']): number | undefined {
    if (typeof body !== 'string' || body.length < MIN_SHARED || body.length > LONGEST_BODY) return undefined
    const line = bodies.find('last')
    if (line?.value === body) return line.n
    bodies.keep('last', n, body)
    return undefined
  }
}

type Earlier<T> = ReturnType<typeof earlierOf<T>>

/** The last line of each kind. Later lines can refer to it until another key gets a pseudonym. */
function earlierOf<T>(rewriter: Rewriter) {
  const lines = new Map<string | number, EarlierLine<T>>()
  return {
    keep(kind: string | number, n: number, value: T): void {
      if (lines.size >= MAX_KINDS) lines.clear()
      lines.set(kind, { n, value, version: rewriter.version })
    },
    find(kind: string | number): EarlierLine<T> | undefined {
      const line = lines.get(kind)
      return line?.version === rewriter.version ? line : undefined
    },
  }
}

interface EarlierLine<T> {
  readonly n: number
  /** The value before pseudonyms. */
  readonly value: T
  /** The version of the rewriter when the line was written. */
  readonly version: number
}

type SentRequest = Pick<Request, 'method' | 'headers' | 'body' | 'tooLarge'>

/** Longer bodies of requests are not compared, in bytes. */
const LONGEST_SAME = 16 * 1024

function isSame(one: SentRequest, other: SentRequest): boolean {
  return (
    one.method === other.method &&
    one.tooLarge === other.tooLarge &&
    one.headers.length === other.headers.length &&
    one.headers.every((text, i) => text === other.headers[i]) &&
    (one.body === undefined || other.body === undefined
      ? one.body === other.body
      : isEqual(one.body, other.body))
  )
}

/** The limit of remembered kinds (method, target, status). */
const MAX_KINDS = 50

/** Undefined if the names differ, or if the name of a changed field is repeated. */
function changedFields(before: readonly string[], after: readonly string[]): string[] | undefined {
  if (before.length !== after.length) return undefined
  const changed: string[] = []
  for (let i = 0; i < after.length; i += 2) {
    const [name = '', value = ''] = [after[i], after[i + 1]]
    if (name !== before[i]) return undefined
    if (value === before[i + 1]) continue
    if (after.indexOf(name) !== after.lastIndexOf(name)) return undefined
    changed.push(name, value)
  }
  return changed
}

/** A complete reply as a recording contains it when no line refers to another and keys are unchanged. */
export const recordedReply = ({ status, headers, body, wire }: Reply): RecordedReply => ({
  status,
  headers,
  ...(wire && { wire }),
  ...recordedBody(body, AS_IT_IS),
})

/** In characters; a shorter body takes as much as a reference. */
const MIN_SHARED = 256

/** Calls `report` with a reply once its body is complete; the returned reply collects one that is made while it is read. */
export function recorded(reply: Eventually<Reply>, report: (reply: Reply) => void): Eventually<Reply> {
  if (reply instanceof Promise) return reply.then((ready) => recorded(ready, report))
  if (reply.slices) return { ...reply, slices: collected(reply.slices, (body) => report({ ...reply, body })) }
  if (!reply.stream) report(reply)
  return reply
}

/** The complete body, since a replay sends the request again. */
export function sentBody(body: Request['body'], rewriter: Rewriter) {
  if (body === undefined) return {}
  const text = textOf(body)
  if (text === undefined) return { base64: rewriter.text(base64Of(body)) }
  return { body: rewriter.text(text) }
}

function recordedBody(body: Reply['body'], rewriter: Rewriter) {
  if (body === undefined) return {}
  const text = typeof body === 'string' ? body : textOf(body)
  if (text === undefined) return { sha256: digest(body) }
  const shown = rewriter.text(text)
  return shown.length > LONGEST_BODY ? { sha256: digest(shown) } : { body: shown }
}

/** Replaces the control token, which is not a key and therefore has no pseudonym. */
function withoutToken(headers: readonly string[], isControl: boolean): readonly string[] {
  if (!isControl || fieldValue(headers, 'authorization') === undefined) return headers
  return headers.map((value, i) => (headers[i - 1]?.toLowerCase() === 'authorization' ? 'Bearer cut' : value))
}

export const digest = (body: string | Uint8Array): string =>
  bytesToHex(sha256(typeof body === 'string' ? encodeUtf8(body) : body))

const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, i) => byte === other[i])

/** Passes the parts on. `report` receives the whole text at the end, unless it is too long or reading stops early. */
async function* collected(parts: AsyncIterable<string>, report: (text: string) => void) {
  let text: string | undefined = ''
  for await (const part of parts) {
    text = text === undefined || text.length > LONGEST_STREAMED ? undefined : text + part
    yield part
  }
  if (text !== undefined) report(text)
}
