import type { Settings } from '../config/options.ts'
import { MINUTE } from '../time/instant.ts'
import type { Timer } from '../time/timer.ts'
import { CONTROL_PATH } from '../world/traffic/address.ts'
import { type Handle, requestWith } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'

/**
 * Drops namespaces that were not used for `expire` milliseconds, up to a minute later. Like the control call, this is a
 * command. Returns a function that stops.
 */
export function startExpiry(
  { expire, controlToken }: Pick<Settings, 'expire' | 'controlToken'>,
  handle: Handle,
  worlds: Worlds,
  timer: Timer,
  clock: () => number,
): () => void {
  let stop = () => {}
  if (expire === undefined) return stop
  const headers =
    controlToken === undefined ? ['Host', 'localhost'] : ['Authorization', `Bearer ${controlToken}`]
  const call = async (method: string, path: string) =>
    handle(requestWith(method, `${CONTROL_PATH}${path}`, headers))
  const wait = () => {
    stop = timer(Math.min(expire, MINUTE), async () => {
      wait()
      // The first call loads the control API. After it, no request arrives between the look for idle namespaces and their drop.
      await call('GET', '/health')
      // A namespace that cannot be dropped now is tried again later.
      for (const name of worlds.idleSince(clock() - expire))
        void call('DELETE', `/namespaces/${name}`).catch(() => {})
    })
  }
  wait()
  return () => stop()
}
