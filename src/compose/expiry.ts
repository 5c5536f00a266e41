import { MINUTE } from '../time/instant.ts'
import type { Timer } from '../time/timer.ts'
import type { Worlds } from '../world/worlds.ts'

/** What expiry takes from its sandbox. */
export interface Expiring {
  readonly worlds: Worlds
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly timer: Timer
  /** Drops a namespace, as a control call does: it is a command like others. */
  readonly drop: (name: string) => Promise<unknown>
}

/** Drops namespaces that nobody has used for so many milliseconds, at most a minute later; returns how to stop. */
export function dropIdle(idle: number, { worlds, clock, timer, drop }: Expiring): () => void {
  let stop = () => {}
  const wait = () => {
    stop = timer(Math.min(idle, MINUTE), look)
  }
  const look = () => {
    wait()
    // One that cannot be dropped now is tried again.
    for (const name of worlds.idleSince(clock() - idle)) void drop(name).catch(() => {})
  }
  wait()
  return () => stop()
}
