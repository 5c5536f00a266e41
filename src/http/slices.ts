import { pipeline, Readable, type Writable } from 'node:stream'

/** Sends a text part by part, as fast as the client takes it; one that goes ends the making of it. */
export function pourSlices(response: Writable, slices: AsyncIterable<string>): void {
  // What fails here has begun already: all that can be done is to break the response off, which this does.
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
