import { pipeline, Readable, type Writable } from 'node:stream'

/** Sends a text in slices, as fast as the client reads; generation stops when the client disconnects. */
export function pourSlices(response: Writable, slices: AsyncIterable<string>): void {
  // The response has already started, so on an error it can only be aborted, as pipeline does.
  pipeline(Readable.from(slices, { highWaterMark: 1 }), response, () => {})
}

/** The same as the body of a Response. */
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
