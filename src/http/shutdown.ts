import { setMaxListeners } from 'node:events'

/** Aborts when everything ends; as many streams and delayed answers as there are may wait for it. */
export function createShutdownController(): AbortController {
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  return ending
}
