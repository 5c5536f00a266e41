import type { Settings } from '../config/options.ts'
import type { Internals } from '../past/internals.ts'
import { MINUTE } from '../time/instant.ts'
import type { Timer } from '../time/timer.ts'
import { CONTROL_PATH } from '../world/traffic/address.ts'
import { type Handle, requestWith } from '../world/traffic/message.ts'

/**
 * Drops namespaces that were not used for `expire` milliseconds, up to a minute later. Like the control call, this is a
 * command. Returns a function that stops.
 */
export function startExpiry(
  { expire, controlToken }: Pick<Settings, 'expire' | 'controlToken'>,
  handle: Handle,
  { worlds, timeline }: Pick<Internals, 'worlds' | 'timeline'>,
  timer: Timer,
  clock: () => number,
): () => void {
  let stop = () => {}
  if (expire === undefined) return stop
  const headers =
    controlToken === undefined ? ['Host', 'localhost'] : ['Authorization', `Bearer ${controlToken}`]
  const call = async (method: string, path: string) =>
    handle(requestWith(method, `${CONTROL_PATH}${path}`, headers))
  const idle = () => worlds.idleSince(clock() - expire)
  const dropIdle = async () => {
    if (idle().length === 0) return
    // Loads the control API. After it, no request arrives between the look for an idle namespace and its drop.
    await call('GET', '/health')
    // A drop waits for the one before it. Meanwhile the next namespace may get a request.
    // During a rewind, that request may even be before the drop in the queue.
    for (const name of idle())
      if (!timeline.isBusy && idle().includes(name)) await call('DELETE', `/namespaces/${name}`)
  }
  const wait = () => {
    stop = timer(Math.min(expire, MINUTE), () => {
      wait()
      // A namespace that cannot be dropped now is tried again later.
      return dropIdle().catch(() => {})
    })
  }
  wait()
  return () => stop()
}
