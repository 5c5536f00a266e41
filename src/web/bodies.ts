import type { Handle } from '../world/traffic/message.ts'
import { createBacklog } from './backlog.ts'

/** The limit of the bodies of all requests that are not answered yet: sixteen of the longest ones, or 10,000 short ones. */
const MAX_BODIES = 256 * 1024 * 1024

/** Counts the bodies of requests. Beyond the limit, the longest one that has not arrived completely is cut off. */
export const bodies = createBacklog<object>(MAX_BODIES)

/** Counts complete bodies, too, while the answers to their requests are made. */
export const countingBodies =
  (handle: Handle): Handle =>
  (request) => {
    const reply = handle(request)
    if (!request.body || !(reply instanceof Promise)) return reply
    bodies.count(request, request.body.byteLength)
    return reply.finally(() => bodies.forget(request))
  }
