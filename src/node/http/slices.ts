import { pipeline, Readable, type Writable } from 'node:stream'

/** Sends a text in slices, as fast as the client reads; generation stops when the client disconnects. */
export function pourSlices(response: Writable, slices: AsyncIterable<string>): void {
  // The response has already started, so on an error it can only be aborted, as pipeline does.
  pipeline(Readable.from(slices, { highWaterMark: 1 }), response, () => {})
}
