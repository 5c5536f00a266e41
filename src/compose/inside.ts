import { recordedOptions } from '../config/recorded-options.ts'
import type { SandboxOptions } from '../config/settings.ts'
import { stringifyJson } from '../contract/openapi/json.ts'
import { Commands } from '../past/commands.ts'
import type { Internals } from '../past/internals.ts'
import type { Recordings } from '../past/record.ts'
import { Timeline } from '../time/timeline.ts'
import { driveByClock } from '../web/drive-by-clock.ts'
import { Committer } from '../world/committer.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import type { Store } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { Worlds } from '../world/worlds.ts'
import { type ApiDeps, type Apis, createApis } from './apis.ts'
import { startOf } from './start.ts'
import { openTracing, type Traced } from './tracing.ts'

/** The export of exchanges as spans. */
export type Spans = Pick<Traced, 'variables' | 'origin' | 'hidesNamespaces' | 'waitUntil'>

/** The parts of a sandbox, wherever it runs. */
export interface InsideParts extends Omit<ApiDeps, 'state' | 'recording' | 'isReplaying' | 'shutdown'> {
  /** The options as they were given, for recordings. */
  readonly options: SandboxOptions
  /** The content of every new namespace. */
  readonly fixture: CompleteFixture
  readonly store: Store
  /** Real time, in milliseconds since the epoch. */
  readonly clock: () => number
  /** The instant of the start, in milliseconds since the epoch; by default now. */
  readonly at: number | undefined
  /** Ends all waits and streams. */
  readonly shutdown: { readonly signal: AbortSignal; abort(): void }
  /** Exports exchanges as spans if `variables` name a collector, except replayed ones. */
  readonly spans: Spans | undefined
  /** Receives warnings, one sentence each. */
  readonly warn: (warning: string) => void
  /** Called with each world before its requests are dropped, and with all worlds at the end. */
  readonly onForget: (world: World) => void
  /** Called before the clock drives the sandbox. Until then, control calls need no token. */
  readonly beforeServing?: ((internals: Internals) => void | Promise<void>) | undefined
}

/** A sandbox without HTTP server and `fetch`. */
export interface Inside {
  readonly apis: Apis
  readonly internals: Internals
  /** Their code is loaded when it is first used. */
  readonly loadRecordings: () => Promise<Recordings>
  /**
   * Waits for `meanwhile`, then for the store and the export of spans, with these time limits in milliseconds. A second
   * call waits for the same end.
   */
  close(
    grace: { readonly store: number; readonly spans: number },
    meanwhile?: () => Promise<void>,
  ): Promise<void>
}

/** Rejects with a UsageError for invalid faults or keys. */
export async function openInside(parts: InsideParts): Promise<Inside> {
  const { options, settings, contract, fixture, store, clock, at, platform, origin, onForget } = parts
  const { version, timer } = platform
  const shutdown = parts.shutdown.signal
  const tracing =
    parts.spans && (await openTracing({ ...parts.spans, contract, version, timer, warn: parts.warn }))
  const start = await startOf(settings, fixture, contract)
  const timeline = new Timeline(at ?? clock(), platform.turn)
  const worlds = new Worlds(start, store.found, timeline.now(), onForget, settings.maxState)
  // A namespace in which nothing else was stored is there as long as it has snapshots.
  for (const name of store.snapshots.namespaces()) worlds.ofRefused(name, timeline.now())
  const commands = new Commands(timeline, clock, worlds)
  store.connect(() => worlds.stored())
  const state = { worlds, store, committer: new Committer(worlds, store), clock, timeline, commands }
  const loadRecordings = async () => new (await import('../past/record.ts')).Recordings(internals)
  let isReplaying = true
  const apis = createApis({
    ...parts,
    recorders: tracing
      ? [...parts.recorders, (exchange) => isReplaying || tracing.record(exchange)]
      : parts.recorders,
    shutdown,
    state,
    async *recording(world) {
      const recordings = await loadRecordings()
      // Otherwise all calls that waited for the code would begin in one turn.
      await internals.turn()
      yield* recordings.of(world)
    },
    isReplaying: () => isReplaying,
  })
  const internals: Internals = {
    worlds,
    timeline,
    commands,
    handle: apis.handle,
    contractText: () => stringifyJson(contract.document),
    overlay: contract.overlay,
    fixture,
    snapshots: store.snapshots,
    openDetached: apis.openDetached,
    options: recordedOptions(options, settings.now),
    keepKeys: settings.keepKeys,
    origin: origin.url,
    version,
    turn: () => platform.slices.turn(),
  }
  await parts.beforeServing?.(internals)
  isReplaying = false
  const stopClock = driveByClock(timeline, clock)
  const closeAll: Inside['close'] = async (grace, meanwhile) => {
    for (const world of worlds.all()) world.holds.reset()
    parts.shutdown.abort()
    stopClock()
    await meanwhile?.()
    await Promise.all([store.close(grace.store), tracing?.close(grace.spans)])
    for (const world of worlds.all()) onForget(world)
  }
  let closed: Promise<void> | undefined
  return {
    apis,
    internals,
    loadRecordings,
    close(grace, meanwhile) {
      closed ??= closeAll(grace, meanwhile)
      return closed
    },
  }
}
