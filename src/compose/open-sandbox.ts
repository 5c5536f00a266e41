import { checkOptions, type SandboxOptions, type Settings } from '../config/options.ts'
import { stringifyJson } from '../contract/openapi/json.ts'
import { version } from '../node/files/package.ts'
import { createShutdownController } from '../node/http/serve.ts'
import { createChangeLog, createLog } from '../node/log.ts'
import { slices, timer } from '../node/turns.ts'
import type { SandboxFetch } from '../web/fetch.ts'
import { driveByClock } from '../web/live.ts'
import { createMemoryStore } from '../world/memory-store.ts'
import type { Store } from '../world/store.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { createApis } from './apis.ts'
import { closeStore, createClose } from './close.ts'
import { dropIdle } from './expiry.ts'
import { type InitialState, loadInitialState, type ReplayedState } from './initial-state.ts'
import type { Internals } from './internals.ts'
import { nodePlatform } from './node-platform.ts'
import { Notices, writeToTerminal } from './notices.ts'
import { Origin } from './origin.ts'
import type { Recorder } from './recorders.ts'
import { createRecordingMaker, type RecordingMaker } from './recording-maker.ts'
import { createSandboxObject, type Sandbox } from './sandbox-object.ts'
import { certificateOf, type Serving, startServing } from './serving.ts'
import { openState } from './state.ts'
import { openTracing } from './tracing.ts'

/** Hooks that a command adds to the options. */
export interface SandboxHooks {
  /** The state to start from, in place of fixture, data file and the time of this machine. */
  readonly replayed?: ReplayedState
  /** Called before the sandbox serves; it is driven by the clock from then on. */
  readonly beforeServing?: (internals: Internals) => void | Promise<void>
  /** The stream that `log` writes to. */
  readonly logTo?: 'stdout' | 'stderr'
  /** Receives each exchange once it is recorded. */
  readonly onExchange?: Recorder
  /** Called with each world before it forgets its requests, and with all of them at shutdown. */
  readonly onForget?: (world: World) => void
}

/**
 * Starts a sandbox. Rejects with a UsageError for a wrong option, a FixtureError, a DataFileError, or Node's error (such as
 * EADDRINUSE) where it cannot listen.
 */
export async function openSandbox(
  options: SandboxOptions,
  {
    replayed,
    beforeServing,
    logTo = 'stdout',
    onExchange = () => {},
    onForget = () => {},
  }: SandboxHooks = {},
): Promise<Sandbox> {
  const settings = checkOptions(options)
  const certificate = await certificateOf(settings)
  const notices = new Notices()
  const initial = await loadInitialState(settings, notices.warn, replayed)
  const store = replayed ? createMemoryStore() : await openStore(settings, initial, notices)
  const clock = replayed?.clock ?? Date.now
  const { start } = initial
  const at = replayed?.at ?? clock()
  const state = openState({ settings, start, store, clock, at, turn: nodePlatform.turn, onForget })
  const { contract, fixture } = initial
  const { worlds, timeline, commands } = state
  const origin = new Origin(settings.port, replayed?.origin)
  const shutdown = createShutdownController()
  const recordings = createRecordingMaker(options, () => internals)
  const tracing = await openTracing({
    variables: process.env,
    contract,
    version,
    origin: origin.url,
    timer,
    warn: notices.warn,
  })

  let isReplaying = true
  let serving: Serving | undefined
  const apis = createApis({
    settings,
    contract,
    state,
    origin,
    platform: nodePlatform,
    recorders: [
      createLog(settings.log, logTo),
      onExchange,
      ...(tracing ? [(exchange: Exchange) => isReplaying || tracing.record(exchange)] : []),
    ],
    onChange: createChangeLog(settings.log, logTo),
    recording: recordings.of,
    isReplaying: () => isReplaying,
    freshen: async () => serving?.freshen(),
    shutdown: shutdown.signal,
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
    openStage: apis.openStage,
    settings,
    origin: origin.url,
    version,
    turn: () => slices.turn(),
  }
  await beforeServing?.(internals)
  isReplaying = false
  const stopClock = driveByClock(timeline, clock)

  serving = await startServing(settings, apis, state, origin, shutdown.signal, certificate).catch(
    async (error) => {
      await closeStore(state)
      throw error
    },
  )
  const { http } = serving
  const { expire, controlToken } = settings
  const stopExpiry =
    expire === undefined
      ? () => {}
      : dropIdle(expire, { worlds, clock, timer, drop: dropBy(serving.fetch, controlToken) })
  const endRecording = await startRecording(settings.record, recordings)
  notices.started()

  const close = createClose({
    state,
    http,
    shutdown,
    stopClock: () => {
      stopClock()
      stopExpiry()
    },
    endRecording,
    tracing,
    onForget,
  })
  return createSandboxObject(settings, worlds, serving, origin.url(), notices.collected, close)
}

const dropBy = (fetch: SandboxFetch, token: string | undefined) => (name: string) => {
  const headers = new Headers(token === undefined ? [] : [['authorization', `Bearer ${token}`]])
  return fetch(`/_sandbox/namespaces/${name}`, { method: 'DELETE', headers })
}

async function startRecording(
  file: string | undefined,
  recordings: RecordingMaker,
): Promise<() => Promise<void>> {
  if (file === undefined) return async () => {}
  const { inFile } = await import('../node/files/recording-file.ts')
  return recordings.record(inFile(file, writeToTerminal))
}

async function openStore(
  { db, fixture, fresh, acceptDataFile }: Settings,
  { contract: { petShape } }: InitialState,
  notices: Notices,
): Promise<Store> {
  if (db === undefined) return createMemoryStore()
  const { openFileStore } = await import('../node/store/file-store.ts')
  const store = await openFileStore(db, { fresh, acceptDataFile, petShape, warn: notices.warn, slices })
  if (fixture !== undefined && store.found.has(DEFAULT_NAMESPACE)) {
    notices.add({
      kind: 'unused-fixture',
      text: `The fixture ${fixture} was not used: the data file holds pets already. --fresh starts from the fixture even so.`,
    })
  }
  return store
}
