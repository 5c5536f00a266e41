import type { IncomingMessage } from 'node:http'
import { fieldValue } from '../domain/message.ts'

export interface Body {
  readonly bytes: Uint8Array
  readonly tooLarge: boolean
}

/** How much beyond the limit is still read of a body that is too large, so that its sender gets to see the answer. */
const DRAINED = 64 * 1024 * 1024

export const hasBody = (headers: readonly string[]): boolean =>
  (fieldValue(headers, 'content-length') ?? '0') !== '0' ||
  fieldValue(headers, 'transfer-encoding') !== undefined

/** Reads a body to its end and keeps at most `limit` bytes of it. A request that breaks off is answered by nobody. */
export function collect(message: IncomingMessage, limit: number, done: (body: Body) => void): void {
  const kept: Buffer[] = []
  let size = 0
  message.on('data', (chunk: Buffer) => {
    const room = limit - size
    if (room > 0) kept.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    size += chunk.length
    if (size > limit + DRAINED) message.destroy()
  })
  message.on('end', () => {
    const [only = Buffer.alloc(0)] = kept
    done({ bytes: kept.length > 1 ? Buffer.concat(kept) : only, tooLarge: size > limit })
  })
  message.on('error', () => {})
}
