/** The last line of a stream that is cut off: a comment in the event stream format. */
export const FELL_BEHIND = ': You read too slowly and are cut off; subscribe again.\n\n'

/** The limit of buffered data for all streams together, in bytes. */
export const MAX_BACKLOG = 32 * 1024 * 1024

/** A text in slices as the body of a Response; generation stops when the reader cancels it. */
export function readableOf(slices: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = slices[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
