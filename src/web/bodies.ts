import type { Handle } from '../world/traffic/message.ts'
import { createBacklog } from './backlog.ts'

/** The limit of the bodies of all requests that are not answered yet: sixteen of the longest ones, or 10,000 short ones. */
const MAX_BODIES = 256 * 1024 * 1024

/** Counts the bodies of requests. Beyond the limit, the longest one that has not arrived completely is cut off. */
export const bodies = createBacklog<object>(MAX_BODIES)

/** Shorter bodies are not counted when they are complete: the request itself takes about as much memory. */
const MIN_COUNTED = 4 * 1024

/** Counts long complete bodies, too, while the answers to their requests are made. */
export const countingBodies =
  (handle: Handle): Handle =>
  (request) => {
    const reply = handle(request)
    const { byteLength = 0 } = request.body ?? {}
    if (byteLength < MIN_COUNTED || !(reply instanceof Promise)) return reply
    bodies.count(request, byteLength)
    return reply.finally(() => bodies.forget(request))
  }
