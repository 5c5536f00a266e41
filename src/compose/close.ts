import type { Served } from '../node/http/serve.ts'
import type { World } from '../world/world.ts'
import { SHUTDOWN_GRACE } from './node-platform.ts'
import type { State } from './state.ts'
import type { Tracing } from './tracing.ts'

/** The running parts that closing ends. */
export interface Running {
  readonly state: State
  readonly http: Served | undefined
  readonly shutdown: { abort(): void }
  readonly stopClock: () => void
  readonly endRecording: () => Promise<void>
  readonly tracing: Tracing | undefined
  readonly onForget: (world: World) => void
}

/** Waits for requests in progress, then writes pending changes; a second call waits for the same end. */
export function createClose(running: Running): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => {
    closed ??= closeAll(running)
    return closed
  }
}

async function closeAll({
  state,
  http,
  shutdown,
  stopClock,
  endRecording,
  tracing,
  onForget,
}: Running): Promise<void> {
  for (const world of state.worlds.all()) world.holds.reset()
  shutdown.abort()
  stopClock()
  await http?.close(SHUTDOWN_GRACE.requests)
  await endRecording()
  await Promise.all([closeStore(state), tracing?.close(SHUTDOWN_GRACE.spans)])
  for (const world of state.worlds.all()) onForget(world)
}

export const closeStore = ({ store }: State): Promise<void> => store.close(SHUTDOWN_GRACE.store)
