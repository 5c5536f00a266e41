import type { IncomingMessage } from 'node:http'
import { fieldValue } from '../domain/traffic/message.ts'
import { clearTimeout, setTimeout } from './timers.ts'

export interface ReceivedBody {
  /** Undefined where nothing of it is kept. */
  readonly bytes: Uint8Array | undefined
  readonly tooLarge: boolean
}

/** How much, and for how long (in milliseconds), a body is read that is not kept, so that its sender gets to see the answer. */
const DRAINED = { bytes: 512 * 1024 * 1024, ms: 30_000 }

export const hasBody = (headers: readonly string[]): boolean =>
  (fieldValue(headers, 'content-length') ?? '0') !== '0' ||
  fieldValue(headers, 'transfer-encoding') !== undefined

/** Whether a body is larger than `limit` by what its head declares. */
export const declaresMore = ({ headers }: IncomingMessage, limit: number): boolean =>
  Number(headers['content-length'] ?? 0) > limit

/**
 * Reads a body and gives it once it is complete, or gives nothing of it as soon as it is known to be larger than
 * `limit` bytes; the rest is then read and dropped. A request that breaks off is answered by nobody.
 */
export function collect(message: IncomingMessage, limit: number, done: (body: ReceivedBody) => void): void {
  let kept: Buffer[] | undefined = []
  let size = 0
  message.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (!kept) return
    if (size > limit) overflow()
    else kept.push(chunk)
  })
  message.on('end', () => {
    if (!kept) return
    const [only = Buffer.alloc(0)] = kept
    done({ bytes: kept.length > 1 ? Buffer.concat(kept) : only, tooLarge: false })
  })
  message.on('error', () => {})
  if (declaresMore(message, limit)) overflow()

  function overflow(): void {
    kept = undefined
    drain(message)
    done({ bytes: undefined, tooLarge: true })
  }
}

/** Reads a body, or the rest of it, and keeps nothing; one that has no end in sight takes its connection along. */
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
