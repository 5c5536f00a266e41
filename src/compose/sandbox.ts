import { checkOptions, type SandboxOptions } from '../config/options.ts'
import { stringifyJson } from '../contract/openapi/json.ts'
import type { Middleware } from '../node/http/middleware.ts'
import { createShutdownController } from '../node/http/shutdown.ts'
import { driveByClock } from '../node/live.ts'
import type { World } from '../world/world.ts'
import { createApis } from './apis.ts'
import { closeStore, createClose } from './close.ts'
import { loadInitialState, type ReplayedState } from './initial-state.ts'
import { createRecordingMaker, type Internals, type RecordingMaker } from './internals.ts'
import type { SandboxHandler } from './mounts.ts'
import { Notices, writeToTerminal } from './notices.ts'
import { Origin } from './origin.ts'
import { createSandboxObject, type Sandbox, type SandboxInfo } from './sandbox-object.ts'
import { type Serving, startServing } from './serving.ts'
import type { Recorder } from './shared.ts'
import { openState } from './state.ts'

export type { Middleware, Sandbox, SandboxHandler, SandboxInfo, SandboxOptions }

/** What a command adds to the options. */
export interface SandboxHooks {
  /** The state to start from, in place of fixture, data file and the time of this machine. */
  readonly replayed?: ReplayedState
  /** Called before the sandbox serves; it is driven by the clock from then on. */
  readonly beforeServing?: (internals: Internals) => void | Promise<void>
  /** Where `log` writes. */
  readonly logTo?: 'stdout' | 'stderr'
  /** Receives each exchange once it is recorded. */
  readonly onExchange?: Recorder
  /** Called with each world before it forgets its requests, and with all of them at shutdown. */
  readonly onForget?: (world: World) => void
}

/**
 * Starts a sandbox. Rejects with a UsageError for a wrong option, a FixtureError, a DataFileError, a RecordingError,
 * or Node's error (such as EADDRINUSE) where it cannot listen.
 */
export async function createSandbox({ recording, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  if (recording === undefined) return openSandbox(options)
  const { openReplay } = await import('./replay.ts')
  return (await openReplay(recording, {}, options)).sandbox
}

/** The same with hooks, and without `recording`. */
export async function openSandbox(
  options: SandboxOptions,
  { replayed, beforeServing, logTo = 'stdout', onExchange, onForget = () => {} }: SandboxHooks = {},
): Promise<Sandbox> {
  const settings = checkOptions(options)
  const notices = new Notices()
  const initial = await loadInitialState(settings, notices.warn, replayed)
  const state = await openState(settings, initial, notices, onForget, replayed)
  const { contract, fixture } = initial
  const { worlds, store, timeline, commands, clock } = state
  const origin = new Origin(settings.port, replayed?.origin)
  const shutdown = createShutdownController()
  const recordings = createRecordingMaker(options, () => internals)

  let isReplaying = true
  let serving: Serving | undefined
  const apis = createApis({
    settings,
    contract,
    state,
    origin,
    logTo,
    onExchange,
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
  }
  await beforeServing?.(internals)
  isReplaying = false
  const stopClock = driveByClock(timeline, clock)

  serving = await startServing(settings, apis, state, origin, shutdown.signal).catch(async (error) => {
    await closeStore(state)
    throw error
  })
  const { http } = serving
  const endRecording = await startRecording(settings.record, recordings)
  notices.started()

  const close = createClose({ state, http, shutdown, stopClock, endRecording, onForget })
  return createSandboxObject(settings, worlds, serving, origin.url(), notices.collected, close)
}

async function startRecording(
  file: string | undefined,
  recordings: RecordingMaker,
): Promise<() => Promise<void>> {
  return file === undefined ? async () => {} : recordings.inFile(file, writeToTerminal)
}
