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

/** The line of a command. */
export function commandLine({ n, from, at, request }: Command, options: LineOptions): RecordedLine {
  const { startedAt } = options
  return {
    n,
    ...(from !== undefined && { from: from - startedAt }),
    at: at - startedAt,
    request: recordedRequest(request, options),
  }
}

/** The line of a reply whose body is there. */
export function replyLine(
  n: number,
  { status, headers, body, wire }: Reply,
  { pseudonyms }: Pick<LineOptions, 'pseudonyms'>,
): RecordedLine {
  const shown = pseudonyms?.headers(headers, false) ?? headers
  return {
    n,
    reply: {
      status,
      headers: shown,
      ...(wire && { wire }),
      ...recordedBody(body, pseudonyms),
    } satisfies RecordedReply,
  }
}

/** Writes the lines of replies to one file; a long body that is repeated is written once. */
export class ReplyLines {
  readonly #options: Pick<LineOptions, 'pseudonyms'>
  #last: { readonly n: number; readonly body: string } | undefined

  constructor(options: Pick<LineOptions, 'pseudonyms'>) {
    this.#options = options
  }

  /** To be called where another file begins, which does not have the lines so far. */
  restart(): void {
    this.#last = undefined
  }

  line(n: number, reply: Reply): RecordedLine {
    const { body } = reply
    if (typeof body !== 'string' || body.length < LEAST_SHARED || body.length > LONGEST_BODY)
      return replyLine(n, reply, this.#options)
    if (this.#last?.body === body)
      return { ...replyLine(n, { ...reply, body: undefined }, this.#options), bodyOf: this.#last.n }
    this.#last = { n, body }
    return replyLine(n, reply, this.#options)
  }
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
