import { detachedWorlds } from '../api/detached-world.ts'
import { createDocuments } from '../api/documents.ts'
import { createEngine, type EngineDeps } from '../api/engine.ts'
import type { Recorder } from '../api/pipeline.ts'
import { isInside } from '../api/resolve.ts'
import { recordedOptions } from '../config/recorded-options.ts'
import type { SandboxOptions } from '../config/settings.ts'
import { toYaml } from '../contract/openapi/document.ts'
import { browserReply } from '../control/browser-rules.ts'
import { createCommands } from '../past/commands.ts'
import type { Internals } from '../past/internals.ts'
import { stateAt } from '../past/repeat.ts'
import { once } from '../time/eventually.ts'
import { Timeline } from '../time/timeline.ts'
import { driveByClock } from '../web/timers.ts'
import { createCommitter } from '../world/commit.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import type { Store } from '../world/store.ts'
import { BASE_PATH } from '../world/traffic/address.ts'
import type { Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { Worlds } from '../world/worlds.ts'
import { type ControlParts, withControlApi } from './control-api.ts'
import { startOf } from './start.ts'
import { openTracing, type Traced } from './tracing.ts'

/** The export of exchanges as spans. */
export type Spans = Pick<Traced, 'variables' | 'hidesNamespaces' | 'waitUntil'>

/** The parts of a sandbox, wherever it runs. */
export interface KernelParts
  extends Pick<ControlParts, 'settings' | 'contract' | 'platform' | 'origin'>,
    Partial<Pick<ControlParts, 'onChange' | 'closeReusedConnections'>> {
  /** The options as they were given, for recordings. */
  readonly options: SandboxOptions
  /** The content of every new namespace. */
  readonly fixture: CompleteFixture
  readonly store: Store
  /** Real time, in milliseconds since the epoch. */
  readonly clock: () => number
  /** The instant at which the clock stands still before `beforeServing` sets it; undefined if it runs. */
  readonly at: number | undefined
  /** Ends all waits and streams. */
  readonly shutdown: { readonly signal: AbortSignal; abort(): void }
  /** Each receives every exchange after it was recorded. */
  readonly recorders?: readonly Recorder[]
  /** Exports exchanges as spans if `variables` name a collector, except replayed ones. */
  readonly spans: Spans | undefined
  /** Receives warnings, one sentence each. */
  readonly warn: (warning: string) => void
  /** Called before the clock drives the sandbox. Until it resolves, control calls need no token. */
  readonly beforeServing?: ((internals: Internals) => void | Promise<void>) | undefined
}

/** A sandbox without HTTP server and `fetch`. */
export type Kernel = Awaited<ReturnType<typeof openKernel>>

/** Rejects with a UsageError for invalid faults or keys. */
export async function openKernel(parts: KernelParts) {
  const { options, settings, contract, fixture, store, clock, at, platform, origin } = parts
  const { spans, warn, recorders = [] } = parts
  const own = { contract, origin, timer: platform.timer, warn }
  const tracing = spans && (await openTracing({ ...spans, ...own }))
  const start = await startOf(settings, fixture, contract, warn)
  const initial = at === undefined ? clock : () => at
  const timeline = new Timeline(initial(), platform.turn)
  const worlds = new Worlds(start, store.found, timeline.now(), settings.maxState)
  worlds.savedIn = store.snapshots.inMemory
  // A namespace with snapshots exists, even if nothing else was stored in it.
  for (const name of store.snapshots.namespaces()) worlds.forRefused(name, timeline.now()).hasSnapshots = true
  const commands = createCommands(timeline, initial, worlds)
  store.connect(() => worlds.stored())
  /** Their code is loaded when it is first used. */
  const loadRecordings = async () => (await import('../past/record.ts')).recordingsOf(internals)
  let isReplaying = true
  const record: Recorder = (exchange) => isReplaying || tracing?.record(exchange)
  const apis = createApis(
    { ...parts, recorders: tracing ? [...recorders, record] : recorders },
    { worlds, timeline, commands },
    async function* (world) {
      const recordings = await loadRecordings()
      // Otherwise all calls that waited for the code would begin in one turn.
      await internals.pause()
      yield* recordings.of(world)
    },
    () => isReplaying,
  )
  const internals: Internals = {
    worlds,
    timeline,
    commands,
    handle: apis.handle,
    contract,
    fixture,
    snapshots: store.snapshots,
    openDetached: apis.openDetached,
    options: recordedOptions(options, settings.now),
    keepKeys: settings.keepKeys,
    origin,
    pause: () => platform.slices.turn(),
  }
  await parts.beforeServing?.(internals)
  isReplaying = false
  const stopClock = driveByClock(timeline, commands.clock)
  const closeAll = async (grace: Grace, meanwhile?: () => Promise<void>): Promise<void> => {
    for (const world of worlds.all()) world.holds.reset()
    parts.shutdown.abort()
    stopClock()
    await meanwhile?.()
    await Promise.all([store.close(grace.store), tracing?.close(grace.spans)])
    for (const world of worlds.all()) world.onForget()
  }
  let closed: Promise<void> | undefined
  return {
    apis,
    internals,
    loadRecordings,
    /** Waits for `meanwhile`, then for store and spans. A second call waits for the same end. */
    close(grace: Grace, meanwhile?: () => Promise<void>): Promise<void> {
      closed ??= closeAll(grace, meanwhile)
      return closed
    },
  }
}

/** The time limits of the end for the store and for the export of spans, in milliseconds. */
interface Grace {
  readonly store: number
  readonly spans: number
}

export type Apis = ReturnType<typeof createApis>

/** The Animal Store and the control API as one handler. `isReplaying`: then control calls need no token. */
function createApis(
  parts: KernelParts & Required<Pick<KernelParts, 'recorders'>>,
  { worlds, timeline, commands }: Pick<Internals, 'worlds' | 'timeline' | 'commands'>,
  recording: (world: World) => AsyncGenerator<string>,
  isReplaying: () => boolean,
) {
  const { settings, contract, platform, origin, store } = parts
  const { policy, latency } = settings
  const committer = createCommitter(worlds, store)
  /** Loaded at the first request for a document. */
  const loadDocuments = once(async () => {
    const { effectiveDocuments } = await import('../contract/openapi/effective-document.ts')
    return effectiveDocuments(contract.document, policy, () => `${origin()}${BASE_PATH}`)
  })
  const effectiveDocument = async (removed: boolean) => (await loadDocuments())(removed)
  const recorders = new Set(parts.recorders)
  const { mock, check, load: loadMocks } = platform.mocks(() => effectiveDocument(false))
  const instant = { realTime: timeline.now, clock: () => timeline.instantOf(commands.clock()) }
  const engineDeps: EngineDeps = {
    ...instant,
    ...committer,
    contract,
    worlds,
    policy,
    latency,
    sleep: timeline.sleep,
    mock,
    check,
    loadMocks,
    documents: createDocuments({ policy, worlds, effectiveDocument, toYaml, summary: platform.summary }),
    recorders,
    onFailure: platform.onFailure,
  }
  const engine = createEngine(engineDeps)
  const openDetached = detachedWorlds(engineDeps, platform.turn)
  const apply = (request: Request) => {
    const full = worlds.noRoomForDelayed
    return full ? engine.refuse(full, request) : commands.apply(request, engine.handle)
  }
  // If loading fails, the request is answered with 500.
  const command = (request: Request) =>
    engine
      .prepare(request)
      ?.catch(platform.onFailure)
      .then(() => apply(request)) ?? apply(request)
  const handle = (request: Request) =>
    isInside(request.target)
      ? command(request)
      : (browserReply(request) ?? engine.document(request) ?? command(request))
  const withControl = withControlApi(
    {
      onChange: () => {},
      closeReusedConnections: async () => {},
      ...parts,
      ...instant,
      worlds,
      committer,
      documents: loadDocuments,
      shutdown: parts.shutdown.signal,
      subscribers: recorders,
      send: engine.handle,
      loadMocks,
      apply: commands.apply,
      past: { stateAt: (world, point) => stateAt(world, point, openDetached), recording },
      trusted: isReplaying,
    },
    { handle, bodyLimit: engine.bodyLimit },
  )
  return { ...withControl, refuse: engine.refuse, openDetached }
}
