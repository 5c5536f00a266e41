/**
 * Counts the data buffered for slow readers, of all servers of this process, because they share its memory. Beyond the
 * limit, the stream with the most is cut off.
 */
import type { Writable } from 'node:stream'
import { MAX_BACKLOG } from '../../web/streams.ts'

interface Waiting {
  bytes: number
  /** Undefined once the stream was cut off. */
  cutOff: (() => void) | undefined
}

const streams = new Map<Writable, Waiting>()
let total = 0

/** To be called when `writableLength` changed. */
export function count(out: Writable, cutOff: () => void): void {
  const waiting = streams.get(out) ?? { bytes: 0, cutOff }
  const bytes = out.writableLength
  total += bytes - waiting.bytes
  waiting.bytes = bytes
  if (bytes > 0) streams.set(out, waiting)
  else streams.delete(out)
  if (total > MAX_BACKLOG) cutOffLongest()
}

export function forget(out: Writable): void {
  total -= streams.get(out)?.bytes ?? 0
  streams.delete(out)
}

function cutOffLongest(): void {
  let longest: Waiting | undefined
  for (const waiting of streams.values())
    if (waiting.cutOff && waiting.bytes > (longest?.bytes ?? 0)) longest = waiting
  const cutOff = longest?.cutOff
  if (longest) longest.cutOff = undefined
  cutOff?.()
}
