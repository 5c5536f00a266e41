import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base64Of, encodeUtf8, textOf } from '../text/utf8.ts'
import type { Command } from '../world/command.ts'
import { AS_IT_IS, type Rewriter } from '../world/keys/secrets.ts'
import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import type { RecordedLine, RecordedReply, RecordedRequest } from './recording.ts'

/** Longer bodies are kept as a digest, in characters. */
const LONGEST_BODY = 256 * 1024

/** How much of a streamed body is compared. */
const LONGEST_SEEN = 8 * 1024 * 1024

export interface LineOptions {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly rewriter: Rewriter
  /** Whether a request is one of the control API: its Authorization has the control token. */
  readonly isControl: (request: Request) => boolean
}

/** A command as it is written. */
export interface Sent extends Pick<Command, 'n' | 'at'> {
  readonly from?: number | undefined
  readonly request: Request
}

/** Makes the lines of one file. What repeats an earlier line refers to it. */
export class RecordedLines {
  readonly #options: LineOptions
  readonly #sent: Earlier<SentRequest>
  readonly #requests: Earlier<readonly string[]>
  readonly #replies: Earlier<readonly string[]>
  readonly #bodies: Earlier<string>

  constructor(options: LineOptions) {
    const { rewriter } = options
    this.#options = options
    this.#sent = new Earlier(rewriter)
    this.#requests = new Earlier(rewriter)
    this.#replies = new Earlier(rewriter)
    this.#bodies = new Earlier(rewriter)
  }

  /** To be called where another file begins, which does not have the lines so far. */
  restart(): void {
    for (const earlier of [this.#sent, this.#requests, this.#replies, this.#bodies]) earlier.clear()
  }

  command({ n, from, at, request }: Sent): RecordedLine {
    const { startedAt, rewriter } = this.#options
    const { method, target, tooLarge, body } = request
    // JSON leaves out what is undefined.
    const instants = { from: from === undefined ? undefined : from - startedAt, at: at - startedAt }
    const same = this.#sent.find(target)
    if (same && isSame(same.value, request)) return { n, ...instants, requestOf: same.n }
    const isControl = this.#options.isControl(request)
    const kind = isControl ? `control ${method}` : method
    const { headers, headersOf } = this.#headers(this.#requests, n, kind, request.headers, isControl)
    if (!body || body.byteLength <= LONGEST_SAME)
      this.#sent.keep(target, n, { method, headers: request.headers, body, tooLarge })
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
    }
  }

  /** The line of a reply whose body is there. */
  reply(n: number, { status, headers: received, body, wire }: Reply): RecordedLine {
    const bodyOf = this.#earlierBody(n, body)
    const { headers, headersOf } = this.#headers(this.#replies, n, status, received, false)
    const shown = bodyOf === undefined ? recordedBody(body, this.#options.rewriter) : undefined
    return { n, reply: { status, headers, wire, ...shown } satisfies RecordedReply, headersOf, bodyOf }
  }

  /** Header fields as they are written: where an earlier line has the same names, only the values that differ. */
  #headers(
    earlier: Earlier<readonly string[]>,
    n: number,
    kind: string | number,
    headers: readonly string[],
    isControl: boolean,
  ): { readonly headers: readonly string[]; readonly headersOf?: number } {
    const { rewriter } = this.#options
    const show = (fields: readonly string[]) => withoutToken(rewriter.headers(fields), isControl)
    const line = earlier.find(kind)
    const changed = line && changedFields(line.value, headers)
    if (changed) return { headers: show(changed), headersOf: line.n }
    // A key that is new here has a pseudonym from then on.
    const shown = show(headers)
    earlier.keep(kind, n, headers)
    return { headers: shown }
  }

  #earlierBody(n: number, body: Reply['body']): number | undefined {
    if (typeof body !== 'string' || body.length < LEAST_SHARED || body.length > LONGEST_BODY) return undefined
    const line = this.#bodies.find('last')
    if (line?.value === body) return line.n
    this.#bodies.keep('last', n, body)
    return undefined
  }
}

/** The last lines of each kind, to which later lines refer as long as no further key has a pseudonym. */
class Earlier<T> {
  readonly #lines = new Map<string | number, EarlierLine<T>>()
  readonly #rewriter: Rewriter

  constructor(rewriter: Rewriter) {
    this.#rewriter = rewriter
  }

  clear(): void {
    this.#lines.clear()
  }

  keep(kind: string | number, n: number, value: T): void {
    if (this.#lines.size >= MOST_KINDS) this.#lines.clear()
    this.#lines.set(kind, { n, value, keys: this.#rewriter.version })
  }

  find(kind: string | number): EarlierLine<T> | undefined {
    const line = this.#lines.get(kind)
    return line?.keys === this.#rewriter.version ? line : undefined
  }
}

interface EarlierLine<T> {
  readonly n: number
  /** As it was received. */
  readonly value: T
  /** How many keys had a pseudonym when it was written. */
  readonly keys: number | undefined
}

type SentRequest = Pick<Request, 'method' | 'headers' | 'body' | 'tooLarge'>

/** Requests with a longer body are not compared, in bytes. */
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

/** Methods, statuses and targets that are remembered. */
const MOST_KINDS = 50

/** Undefined where the names are others, or where the name of a changed field is repeated. */
function changedFields(before: readonly string[], after: readonly string[]): string[] | undefined {
  if (before.length !== after.length) return undefined
  const changed: string[] = []
  for (let i = 0; i < after.length; i += 2) {
    const name = after[i] as string
    if (name !== before[i]) return undefined
    if (after[i + 1] === before[i + 1]) continue
    if (after.indexOf(name) !== after.lastIndexOf(name)) return undefined
    changed.push(name, after[i + 1] as string)
  }
  return changed
}

/** A reply whose body is there, as a line has it where nothing is referred to and keys are kept. */
export const recordedReply = ({ status, headers, body, wire }: Reply): RecordedReply => ({
  status,
  headers,
  ...(wire && { wire }),
  ...recordedBody(body, AS_IT_IS),
})

/** A reference takes about as much as a shorter body, in characters. */
const LEAST_SHARED = 256

/**
 * Calls `report` with a reply once its body is complete. Where the body is produced while it is read, the returned
 * reply collects it.
 */
export function recorded(
  reply: Reply | Promise<Reply>,
  report: (reply: Reply) => void,
): Reply | Promise<Reply> {
  if (reply instanceof Promise) return reply.then((ready) => recorded(ready, report))
  if (reply.slices) return { ...reply, slices: collected(reply.slices, (body) => report({ ...reply, body })) }
  if (!reply.stream) report(reply)
  return reply
}

/** A request is repeated, so its body is kept whole. */
function sentBody(body: Request['body'], rewriter: Rewriter) {
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

/** The control token is no key of the API. */
function withoutToken(headers: readonly string[], isControl: boolean): readonly string[] {
  if (!isControl || fieldValue(headers, 'authorization') === undefined) return headers
  return headers.map((value, i) => (headers[i - 1]?.toLowerCase() === 'authorization' ? 'Bearer cut' : value))
}

const digest = (body: string | Uint8Array): string =>
  bytesToHex(sha256(typeof body === 'string' ? encodeUtf8(body) : body))

const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, i) => byte === other[i])

/** The same parts; `report` receives their text at the end, unless it is too long or its reader leaves. */
async function* collected(
  parts: AsyncIterable<string>,
  report: (text: string) => void,
): AsyncGenerator<string> {
  let text: string | undefined = ''
  for await (const part of parts) {
    text = text === undefined || text.length > LONGEST_SEEN ? undefined : text + part
    yield part
  }
  if (text !== undefined) report(text)
}
