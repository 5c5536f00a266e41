import type { Timer } from '../time/timer.ts'

/** In milliseconds: "every 15 seconds or so" (HTML Standard, section 9.2.7). */
const EVERY = 15_000
const COMMENT = ':\n\n'

/** Sends comments, since proxies end an event stream that is idle for a minute. Returns a function that stops. */
export function keepAlive(send: (text: string) => void, timer: Timer): () => void {
  const wait = () =>
    timer(EVERY, () => {
      send(COMMENT)
      stop = wait()
    })
  let stop = wait()
  return () => stop()
}
