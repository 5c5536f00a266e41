import type { Settings } from '../config/options.ts'
import { MINUTE } from '../time/instant.ts'
import type { Timer } from '../time/timer.ts'
import type { SandboxFetch } from '../web/fetch.ts'
import type { Worlds } from '../world/worlds.ts'

/**
 * Drops namespaces that were not used for `expire` milliseconds, up to a minute later. Like the control call, this is a
 * command. Returns a function that stops.
 */
export function startExpiry(
  { expire, controlToken }: Pick<Settings, 'expire' | 'controlToken'>,
  fetch: SandboxFetch,
  worlds: Worlds,
  timer: Timer,
  clock: () => number,
): () => void {
  let stop = () => {}
  if (expire === undefined) return stop
  const headers = new Headers(controlToken === undefined ? [] : [['authorization', `Bearer ${controlToken}`]])
  const wait = () => {
    stop = timer(Math.min(expire, MINUTE), () => {
      wait()
      // A namespace that cannot be dropped now is tried again later.
      for (const name of worlds.idleSince(clock() - expire))
        void fetch(`/_sandbox/namespaces/${name}`, { method: 'DELETE', headers }).catch(() => {})
    })
  }
  wait()
  return () => stop()
}
