/** The last line of a stream that is cut off: a comment in the event stream format. */
export const FELL_BEHIND = ': You read too slowly and are cut off; subscribe again.\n\n'

/** The limit of buffered data for all streams together, in bytes. */
export const MAX_BACKLOG = 32 * 1024 * 1024

interface Waiting {
  bytes: number
  /** Undefined if it cannot be cut off, or was. */
  cutOff: (() => void) | undefined
}

/**
 * Counts the data that is kept for slow clients, of all servers of this process, because they share its memory. Beyond
 * `limit` bytes, which can be set, the stream with the most is cut off.
 */
export function createBacklog<Stream extends object>(limit: number) {
  const streams = new Map<Stream, Waiting>()
  let total = 0
  return {
    limit,
    /** To be called when the bytes that are kept for a stream changed. */
    count(stream: Stream, bytes: number, cutOff?: () => void): void {
      const waiting = streams.get(stream) ?? { bytes: 0, cutOff }
      total += bytes - waiting.bytes
      waiting.bytes = bytes
      if (bytes > 0) streams.set(stream, waiting)
      else streams.delete(stream)
      if (total > this.limit) cutOffLongest()
    },
    /** To be called when bytes were added, or with a negative number when they were sent; unless it was forgotten. */
    add(stream: Stream, bytes: number, cutOff?: () => void): void {
      const before = streams.get(stream)?.bytes
      if (before !== undefined || bytes > 0) this.count(stream, (before ?? 0) + bytes, cutOff)
    },
    forget(stream: Stream): void {
      const waiting = streams.get(stream)
      if (!waiting) return
      total -= waiting.bytes
      streams.delete(stream)
    },
  }

  function cutOffLongest(): void {
    let longest: Waiting | undefined
    for (const waiting of streams.values())
      if (waiting.cutOff && waiting.bytes > (longest?.bytes ?? 0)) longest = waiting
    const cutOff = longest?.cutOff
    if (longest) longest.cutOff = undefined
    cutOff?.()
  }
}
