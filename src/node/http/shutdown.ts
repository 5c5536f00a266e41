import { setMaxListeners } from 'node:events'

/** Aborts at shutdown. Any number of streams and delayed responses may listen to it. */
export function createShutdownController(): AbortController {
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  return ending
}
