import { MINUTE } from '../time/instant.ts'
import type { Timer } from '../time/timer.ts'
import type { Worlds } from '../world/worlds.ts'

/** The parts of a sandbox that expiry needs. */
export interface Expiring {
  readonly worlds: Worlds
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly timer: Timer
  /** Drops a namespace by a command, like the control call. */
  readonly drop: (name: string) => Promise<unknown>
}

/** Drops namespaces that were not used for `idle` milliseconds, up to a minute later. Returns a function that stops. */
export function dropIdle(idle: number, { worlds, clock, timer, drop }: Expiring): () => void {
  let stop = () => {}
  const wait = () => {
    stop = timer(Math.min(idle, MINUTE), look)
  }
  const look = () => {
    wait()
    // A namespace that cannot be dropped now is tried again later.
    for (const name of worlds.idleSince(clock() - idle)) void drop(name).catch(() => {})
  }
  wait()
  return () => stop()
}
