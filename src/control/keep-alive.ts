import type { Timer } from '../time/timer.ts'

/** Milliseconds: "every 15 seconds or so" (HTML Standard, section 9.2.7). */
const EVERY = 15_000
const COMMENT = ':\n\n'

/** Sends comments until what it returns is called: proxies end a stream of events that is idle for a minute. */
export function keepAlive(send: (text: string) => void, timer: Timer): () => void {
  const wait = () =>
    timer(EVERY, () => {
      send(COMMENT)
      stop = wait()
    })
  let stop = wait()
  return () => stop()
}
