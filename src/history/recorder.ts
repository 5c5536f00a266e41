import { createHash } from 'node:crypto'
import { fieldValue, type Reply, type Request } from '../domain/traffic/message.ts'
import type { Command } from './commands.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import type { RecordedLine, RecordedReply, RecordedRequest } from './recording.ts'

/** Of a longer body only the digest is kept, in characters. */
const LONGEST_BODY = 256 * 1024

/** Of a body that is made while it is read, so much is looked at. */
const LONGEST_SEEN = 8 * 1024 * 1024

export interface RecorderOptions {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Undefined where keys are kept. */
  readonly pseudonyms: Pseudonyms | undefined
  readonly isControl: (request: Request) => boolean
  /** Told before a command is written: which keys there are may have changed. */
  readonly learn: (request: Request) => void
  /** Told of each line but the first. */
  readonly write: (line: RecordedLine) => void
}

/** Writes commands and their replies as the lines of a recording. */
export class Recorder {
  readonly #options: RecorderOptions
  #last = 0

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** A listener of commands: a reply that is made while it is read is given on as one that is looked at. */
  readonly listen = (
    { n, from, at, request }: Command,
    reply: Reply | Promise<Reply>,
  ): Reply | Promise<Reply> => {
    const isControl = this.#options.isControl(request)
    this.#options.learn(request)
    this.#last = n
    const { startedAt } = this.#options
    this.#options.write({
      n,
      ...(from !== undefined && { from: from - startedAt }),
      at: at - startedAt,
      request: this.#request(request, isControl),
    })
    if (reply instanceof Promise) return reply.then((ready) => this.#replied(n, ready))
    return this.#replied(n, reply)
  }

  end(at: number, isFull = false): void {
    this.#options.write({ end: this.#last, at: at - this.#options.startedAt, ...(isFull && { full: true }) })
  }

  #replied(n: number, reply: Reply): Reply {
    const write = (body: Reply['body']) => {
      const { status, headers, wire } = reply
      const shown = {
        status,
        headers: this.#headers(headers, false),
        ...(wire && { wire }),
        ...this.#body(body),
      }
      this.#options.write({ n, reply: shown satisfies RecordedReply })
    }
    if (reply.slices) return { ...reply, slices: looked(reply.slices, write) }
    if (!reply.stream) write(reply.body)
    return reply
  }

  #request({ method, target, headers, body, tooLarge }: Request, isControl: boolean): RecordedRequest {
    const sent = this.#headers(headers, isControl)
    return {
      method,
      target: this.#text(target),
      headers: sent,
      ...(tooLarge && { tooLarge }),
      ...this.#sentBody(body),
    }
  }

  /** A request is repeated, so it is kept whole. */
  #sentBody(body: Request['body']) {
    if (body === undefined) return {}
    const text = textOf(body)
    return text === undefined ? { base64: Buffer.from(body).toString('base64') } : { body: this.#text(text) }
  }

  #body(body: Reply['body']) {
    if (body === undefined) return {}
    const text = typeof body === 'string' ? body : textOf(body)
    if (text === undefined) return { sha256: digest(body) }
    const shown = this.#text(text)
    return shown.length > LONGEST_BODY ? { sha256: digest(shown) } : { body: shown }
  }

  #text(text: string): string {
    return this.#options.pseudonyms?.text(text) ?? text
  }

  #headers(headers: readonly string[], isControl: boolean): readonly string[] {
    const { pseudonyms } = this.#options
    if (pseudonyms) return pseudonyms.headers(headers, isControl)
    if (!isControl || fieldValue(headers, 'authorization') === undefined) return headers
    return headers.map((value, i) =>
      headers[i - 1]?.toLowerCase() === 'authorization' ? 'Bearer cut' : value,
    )
  }
}

export const digest = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex')

/** Undefined where the bytes are no UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString()
  return text.includes('\ufffd') && !Buffer.from(text).equals(buffer) ? undefined : text
}

/** The same parts; their text is told at the end, unless it is too long or its reader leaves. */
async function* looked(parts: AsyncIterable<string>, tell: (text: string) => void): AsyncGenerator<string> {
  let text: string | undefined = ''
  for await (const part of parts) {
    text = text === undefined || text.length > LONGEST_SEEN ? undefined : text + part
    yield part
  }
  if (text !== undefined) tell(text)
}
