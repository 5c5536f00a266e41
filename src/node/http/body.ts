import type { IncomingMessage } from 'node:http'
import { bodies } from '../../web/bodies.ts'
import { fieldValue, type Request } from '../../world/traffic/message.ts'
import { clearTimeout, setTimeout } from '../timers.ts'

/** A discarded body is read up to these limits. If nothing were read, the client might not get the response. */
const DRAINED = { bytes: 512 * 1024 * 1024, ms: 30_000 }

/** This many chunks are joined into one, because each takes 400 bytes in addition to its content. */
const MAX_CHUNKS = 1000

type ReadBody = Pick<Request, 'body' | 'tooLarge'>

export const hasBody = (headers: readonly string[]): boolean =>
  (fieldValue(headers, 'content-length') ?? '0') !== '0' ||
  fieldValue(headers, 'transfer-encoding') !== undefined

/** Whether the Content-Length is larger than `limit`. */
export const declaresMore = ({ headers }: IncomingMessage, limit: number): boolean =>
  Number(headers['content-length'] ?? 0) > limit

/**
 * Reads a body and passes it to `done` once it is complete; the message keeps nothing of it. A body larger than `limit`
 * bytes is reported at once and its rest is discarded. `done` is not called for an aborted request, nor for the longest
 * one if the bodies of all requests take too much memory.
 */
export function collect(message: IncomingMessage, limit: number, done: (body: ReadBody) => void): void {
  let kept: Buffer[] | undefined = []
  const declared = Number(message.headers['content-length'] ?? NaN)
  let size = 0
  let loose = 0
  message.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (!kept) return
    if (size > limit) return overflow()
    kept.push(chunk)
    if (++loose === MAX_CHUNKS) {
      kept.push(Buffer.concat(kept.splice(-loose)))
      loose = 0
    }
    // One that is complete is passed on in this turn.
    if (size !== declared) bodies.count(message, size, cutOff)
  })
  message.on('close', () => bodies.forget(message))
  message.on('end', () => {
    bodies.forget(message)
    if (!kept) return
    const [only = Buffer.alloc(0), ...more] = kept.splice(0)
    done({ body: more.length > 0 ? Buffer.concat([only, ...more]) : only, tooLarge: false })
  })
  message.on('error', () => {})
  if (declaresMore(message, limit)) overflow()

  /** Drops what has arrived. */
  function forget(): void {
    kept = undefined
    bodies.forget(message)
  }

  /** At once, because more chunks of this turn would otherwise cut off further bodies. */
  function cutOff(): void {
    forget()
    message.destroy()
  }

  function overflow(): void {
    forget()
    drain(message)
    done({ body: undefined, tooLarge: true })
  }
}

/** Reads and discards the rest of a body; if it is too long or too slow, the connection is closed. */
export function drain(message: IncomingMessage): void {
  let size = 0
  message.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > DRAINED.bytes) message.destroy()
  })
  message.on('error', () => {})
  const over = setTimeout(() => message.destroy(), DRAINED.ms).unref()
  message.on('close', () => clearTimeout(over))
}
