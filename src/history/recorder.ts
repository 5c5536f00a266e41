import { createHash } from 'node:crypto'
import { fieldValue, type Reply, type Request } from '../domain/traffic/message.ts'
import type { Command } from './commands.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import type { RecordedLine, RecordedReply, RecordedRequest } from './recording.ts'

/** Of a longer body only the digest is kept, in characters. */
const LONGEST_BODY = 256 * 1024

/** Of a body that is made while it is read, so much is looked at. */
const LONGEST_SEEN = 8 * 1024 * 1024

export interface LineOptions {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Undefined where keys are kept. */
  readonly pseudonyms: Pseudonyms | undefined
  /** Whether a request is one of the control API: its Authorization has the control token. */
  readonly isControl: (request: Request) => boolean
}

/** Makes the lines of one file. What repeats an earlier line refers to it. */
export class RecordedLines {
  readonly #options: LineOptions
  readonly #requests = new EarlierHeaders()
  readonly #replies = new EarlierHeaders()
  #body: { readonly n: number; readonly text: string } | undefined

  constructor(options: LineOptions) {
    this.#options = options
  }

  /** To be called where another file begins, which does not have the lines so far. */
  restart(): void {
    this.#requests.clear()
    this.#replies.clear()
    this.#body = undefined
  }

  command({ n, from, at, request }: Command): RecordedLine {
    const { startedAt } = this.#options
    const shown = recordedRequest(request, this.#options)
    const { headers, headersOf } = this.#requests.shorten(n, shown.method, shown.headers)
    return {
      n,
      ...(from !== undefined && { from: from - startedAt }),
      at: at - startedAt,
      request: headersOf === undefined ? shown : { ...shown, headers },
      ...(headersOf !== undefined && { headersOf }),
    }
  }

  /** The line of a reply whose body is there. */
  reply(n: number, reply: Reply): RecordedLine {
    const bodyOf = this.#earlierBody(n, reply.body)
    const shown = recordedReply(bodyOf === undefined ? reply : { ...reply, body: undefined }, this.#options)
    const { headers, headersOf } = this.#replies.shorten(n, shown.status, shown.headers)
    return {
      n,
      reply: headersOf === undefined ? shown : { ...shown, headers },
      ...(headersOf !== undefined && { headersOf }),
      ...(bodyOf !== undefined && { bodyOf }),
    }
  }

  #earlierBody(n: number, body: Reply['body']): number | undefined {
    if (typeof body !== 'string' || body.length < LEAST_SHARED || body.length > LONGEST_BODY) return undefined
    if (this.#body?.text === body) return this.#body.n
    this.#body = { n, text: body }
    return undefined
  }
}

/** The header fields of earlier lines to which later ones refer: the last complete ones of each method or status. */
class EarlierHeaders {
  readonly #complete = new Map<string | number, { readonly n: number; readonly headers: readonly string[] }>()

  clear(): void {
    this.#complete.clear()
  }

  /** The fields whose values differ from those of line `headersOf`; all fields where no line has the same names. */
  shorten(n: number, kind: string | number, headers: readonly string[]) {
    const earlier = this.#complete.get(kind)
    const changed = earlier && changedFields(earlier.headers, headers)
    if (changed) return { headers: changed, headersOf: earlier.n }
    if (this.#complete.size >= MOST_KINDS) this.#complete.clear()
    this.#complete.set(kind, { n, headers })
    return { headers, headersOf: undefined }
  }
}

/** Methods and statuses whose header fields are remembered. */
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

/** A reply whose body is there. */
export function recordedReply(
  { status, headers, body, wire }: Reply,
  { pseudonyms }: Pick<LineOptions, 'pseudonyms'>,
): RecordedReply {
  const shown = pseudonyms?.headers(headers, false) ?? headers
  return { status, headers: shown, ...(wire && { wire }), ...recordedBody(body, pseudonyms) }
}

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

function recordedRequest(request: Request, { pseudonyms, isControl }: LineOptions): RecordedRequest {
  const { method, target, headers, body, tooLarge } = request
  return {
    method,
    target: pseudonyms?.text(target) ?? target,
    headers: pseudonyms
      ? pseudonyms.headers(headers, isControl(request))
      : withoutToken(headers, isControl(request)),
    ...(tooLarge && { tooLarge }),
    ...sentBody(body, pseudonyms),
  }
}

/** A request is repeated, so its body is kept whole. */
function sentBody(body: Request['body'], pseudonyms: Pseudonyms | undefined) {
  if (body === undefined) return {}
  const text = textOf(body)
  if (text === undefined) return { base64: Buffer.from(body).toString('base64') }
  return { body: pseudonyms?.text(text) ?? text }
}

function recordedBody(body: Reply['body'], pseudonyms: Pseudonyms | undefined) {
  if (body === undefined) return {}
  const text = typeof body === 'string' ? body : textOf(body)
  if (text === undefined) return { sha256: digest(body) }
  const shown = pseudonyms?.text(text) ?? text
  return shown.length > LONGEST_BODY ? { sha256: digest(shown) } : { body: shown }
}

/** The control token is no key of the API. */
function withoutToken(headers: readonly string[], isControl: boolean): readonly string[] {
  if (!isControl || fieldValue(headers, 'authorization') === undefined) return headers
  return headers.map((value, i) => (headers[i - 1]?.toLowerCase() === 'authorization' ? 'Bearer cut' : value))
}

const digest = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex')

/** Undefined where the bytes are no UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString()
  return text.includes('\ufffd') && !Buffer.from(text).equals(buffer) ? undefined : text
}

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
