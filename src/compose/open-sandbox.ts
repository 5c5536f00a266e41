import type { Recorder } from '../api/pipeline.ts'
import { connectControl } from '../client/control.ts'
import { type CompleteSeed, createWorld, type WorldHandle } from '../client/world.ts'
import { checkOptions, type SandboxOptions, type Settings } from '../config/options.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import { VERSION } from '../contract/version.ts'
import type { Certificate } from '../node/files/certificate.ts'
import { createMounts, type Middleware, type SandboxHandler } from '../node/http/middleware.ts'
import { createShutdownController, serve } from '../node/http/serve.ts'
import { createLog } from '../node/log.ts'
import { slices } from '../node/turns.ts'
import { urlOf } from '../text/url.ts'
import { createFetch, type SandboxFetch } from '../web/fetch.ts'
import { timer } from '../web/timers.ts'
import { createMemoryStore } from '../world/memory-store.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import { PLAN_NAMES, type PlanName } from '../world/plan.ts'
import type { Policy } from '../world/policy.ts'
import type { Store } from '../world/store.ts'
import { BASE_PATH, CONTROL_PATH, DEFAULT_PORT } from '../world/traffic/address.ts'
import { portWarning } from '../world/traffic/connection-error.ts'
import { DEFAULT_NAMESPACE, type Worlds } from '../world/worlds.ts'
import { startExpiry } from './expiry.ts'
import { type Apis, type Kernel, type KernelParts, openKernel } from './kernel.ts'
import { nodePlatform, onFailure, SHUTDOWN_GRACE, writeToTerminal } from './node-platform.ts'
import { certificateOf, loadContract, loadStartFixture } from './start-files.ts'

/** A running sandbox. It is also the world `default`. */
export interface Sandbox extends WorldHandle, AsyncDisposable {
  /** Ends in /v1. Without a port nothing listens there; `fetch` takes URLs of every origin. */
  readonly baseUrl: string
  /** Ends in /_sandbox. */
  readonly controlUrl: string
  /** 0 if it does not listen. */
  readonly port: number
  readonly info: SandboxInfo
  /** A namespace, which begins with the start fixture. Throws a RangeError for an invalid name. */
  namespace(name: string): WorldHandle
  /** Answers like the server, without a socket. */
  readonly fetch: SandboxFetch
  /** Answers in a server that works with Request and Response, such as Hono or a route handler of Next. */
  readonly handler: SandboxHandler
  /** Answers in Connect, Express and similar servers. Requests for other paths are passed on. */
  readonly middleware: Middleware
  /** Waits for requests in progress, writes pending changes, and ends. Afterwards `fetch` rejects. */
  close(): Promise<void>
}

/** A notice for users, in a sentence. */
export interface Notice {
  /** `unused-fixture`: not shown to programs that start again and again with the same options. */
  readonly kind: 'unused-fixture' | 'warning'
  readonly text: string
}

export interface SandboxInfo {
  readonly version: string
  /** Null for a sandbox in memory. */
  readonly dataFile: string | null
  /** The number of pets in the namespace `default` at the start. */
  readonly pets: number
  /** The notices of the start, such as that a log was repaired. The command `start` prints them on standard error. */
  readonly notices: readonly Notice[]
  readonly policy: Policy
  /** The built-in keys of the plans, each with its plan: the options or the fixture may give it another one. */
  readonly keys: Readonly<Record<string, PlanName>>
}

/** Loaded at the first seed. */
const seedFile: CompleteSeed = async (seed, client) => (await import('./seed-file.ts')).withFile(seed, client)

/** Hooks that a command adds to the options. */
export interface SandboxHooks extends Pick<KernelParts, 'beforeServing'> {
  /** The initial state of a replay, in place of a fixture, the data file and the current time. */
  readonly replayed?: {
    readonly fixture: CompleteFixture
    /** Real time, in milliseconds since the epoch. */
    readonly at: number
    /** The address that documents show. */
    readonly origin: string
    /** The text of an overlay. */
    readonly overlay: string | undefined
  }
  /** The stream that `log` writes to. */
  readonly logTo?: 'stdout' | 'stderr' | undefined
  /** Receives each exchange after it was recorded. */
  readonly onExchange?: Recorder
}

/** Starts a sandbox. Rejects like `createSandbox`, without a RecordingError. */
export async function openSandbox(options: SandboxOptions, hooks: SandboxHooks = {}): Promise<Sandbox> {
  const { replayed, beforeServing, logTo, onExchange } = hooks
  const settings = checkOptions(options)
  const certificate = await certificateOf(settings)
  const notices: Notice[] = []
  let notify = (notice: Notice): void => void notices.push(notice)
  const warn = (text: string) => notify({ kind: 'warning', text })
  const log = createLog(settings.log, logTo)
  const contract = await loadContract(settings.overlay, warn, replayed?.overlay)
  const fixture = replayed?.fixture ?? (await loadStartFixture(settings, contract, warn))
  // The snapshots of the recorded sandbox may have been in files, where they do not count as state.
  const store = replayed ? createMemoryStore(() => {}) : await openStore(settings, contract, notify, warn)
  let origin = replayed?.origin ?? `http://localhost:${settings.port || DEFAULT_PORT}`
  const shutdown = createShutdownController()
  let serving: Awaited<ReturnType<typeof startServing>> | undefined
  let close: () => Promise<void> = () => store.close(SHUTDOWN_GRACE.store)
  try {
    const kernel = await openKernel({
      options,
      settings,
      contract,
      fixture,
      store,
      clock: Date.now,
      at: replayed?.at,
      platform: nodePlatform,
      origin: () => origin,
      shutdown,
      recorders: [log.exchange, ...(onExchange ? [onExchange] : [])],
      onChange: log.change,
      spans: { variables: process.env },
      closeReusedConnections: async () => serving?.closeReusedConnections(),
      warn,
      beforeServing,
    })
    let endRecording = async () => {}
    let stopExpiry = () => {}
    close = () =>
      kernel.close(SHUTDOWN_GRACE, async () => {
        stopExpiry()
        await serving?.http?.close(SHUTDOWN_GRACE.requests)
        await endRecording()
      })
    const { apis, internals, loadRecordings } = kernel
    const { worlds } = internals
    // The address at which the sandbox listens has precedence over that of a host server.
    // A valid Host field may be no part of a URL, such as localhost:99999.
    const onOrigin = (url: string) => {
      if (!settings.listen && urlOf(url)) origin = url
    }
    serving = await startServing(settings, apis, worlds, onOrigin, shutdown.signal, certificate)
    origin = serving.http?.origin ?? origin
    const unreachable = serving.http && portWarning(serving.http.port)
    if (unreachable) warn(unreachable)
    stopExpiry = startExpiry(settings, apis.handle, internals, timer, internals.commands.clock)
    endRecording = await startRecording(settings.record, loadRecordings)
    notify = ({ text }) => writeToTerminal(text)
    const { http, fetch, mounts } = serving
    const { controlToken: token, db = null, policy } = settings
    const namespace = (name: string) =>
      createWorld(connectControl({ url: 'http://localhost', namespace: name, token, fetch }), seedFile)
    return {
      ...namespace(DEFAULT_NAMESPACE),
      baseUrl: `${origin}${BASE_PATH}`,
      controlUrl: `${origin}${CONTROL_PATH}`,
      port: http?.port ?? 0,
      info: {
        version: VERSION,
        dataFile: db,
        pets: worlds.default.collections.pets.size,
        notices,
        policy,
        keys: Object.fromEntries(
          PLAN_NAMES.map((plan) => [`psk_${plan}`, worlds.default.keys.lookUp(`psk_${plan}`) ?? plan]),
        ),
      },
      namespace,
      fetch,
      handler: mounts.handler,
      middleware: mounts.middleware,
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens the ways to reach a sandbox: its own server, `fetch` without a socket, and mounts in host servers. */
async function startServing(
  settings: Settings,
  { handle, refuse, bodyLimit }: Apis,
  worlds: Worlds,
  onOrigin: (url: string) => void,
  shutdown: AbortSignal,
  certificate: Certificate | undefined,
) {
  const deps = { handle, refuse, bodyLimit, breaks: () => worlds.breaksConnections, onFailure }
  const { listen, host, port, control, trustForwarded } = settings
  const mounts = createMounts({ ...deps, shutdown, control, trustForwarded }, onOrigin)
  const http = listen ? await serve(deps, host, port, certificate) : undefined
  return {
    /** Undefined if the sandbox does not listen. */
    http,
    fetch: createFetch(handle, bodyLimit, shutdown),
    mounts,
    closeReusedConnections: async () =>
      void (await Promise.all([http?.closeReusedConnections(), mounts.closeReusedConnections()])),
  }
}

async function startRecording(file: string | undefined, loadRecordings: Kernel['loadRecordings']) {
  if (file === undefined) return async () => {}
  const { recordingWriter } = await import('../node/files/recording-writer.ts')
  return (await loadRecordings()).record((fail) => recordingWriter(file, fail, writeToTerminal))
}

async function openStore(
  { db, fixture, fresh, acceptDataFile }: Settings,
  { petShape }: Contract,
  notify: (notice: Notice) => void,
  warn: (text: string) => void,
): Promise<Store> {
  if (db === undefined) return createMemoryStore()
  const { openFileStore } = await import('../node/store/file-store.ts')
  const store = await openFileStore(db, { fresh, acceptDataFile, petShape, warn, slices })
  if (fixture !== undefined && store.found.has(DEFAULT_NAMESPACE))
    notify({
      kind: 'unused-fixture',
      text: `The fixture ${fixture} was not used: the data file already has pets. --fresh replaces them with the fixture.`,
    })
  return store
}
