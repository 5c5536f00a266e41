import { connectControl } from '../client/control.ts'
import { createWorld, type World as WorldHandle } from '../client/world.ts'
import { checkOptions, type SandboxOptions, type Settings } from '../config/options.ts'
import { UsageError } from '../config/usage-error.ts'
import { browserReply } from '../control/browser.ts'
import { whenReady } from '../domain/eventually.ts'
import type { Fixture } from '../domain/pets/fixture.ts'
import type { Policy } from '../domain/policy.ts'
import { printableLines } from '../domain/text/printable.ts'
import type { Handle, Request } from '../domain/traffic/message.ts'
import type { Start, World } from '../domain/world/world.ts'
import { DEFAULT_NAMESPACE, Worlds } from '../domain/world/worlds.ts'
import { createDocuments } from '../engine/documents.ts'
import { createEngine } from '../engine/engine.ts'
import { FixtureError } from '../fixtures/fixture-error.ts'
import { checkKeys } from '../fixtures/keys.ts'
import { loadFixture } from '../fixtures/load.ts'
import { Commands } from '../history/commands.ts'
import { driveByClock } from '../history/live.ts'
import type { RecentCommands } from '../history/recent.ts'
import { Timeline } from '../history/timeline.ts'
import { createFetch, type SandboxFetch } from '../http/fetch.ts'
import type { Middleware } from '../http/middleware.ts'
import { type Served, serve } from '../http/serve.ts'
import { createShutdownController } from '../http/shutdown.ts'
import type { Contract } from '../openapi/contract.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { effectiveDocuments } from '../openapi/effective-document.ts'
import { stringifyJson } from '../openapi/json.ts'
import type { RecordShape } from '../openapi/record-shape.ts'
import { fixturesFolder, packageFile, version } from '../package.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import type { Snapshots, Store } from '../store/store.ts'
import { createChangeLog } from '../views/log.ts'
import { Committer } from './committer.ts'
import { loadContract } from './contract.ts'
import { bothLoaded, createMock, createRequestCheck } from './contract-answers.ts'
import { createMounts, type SandboxHandler } from './mounts.ts'
import { keepRecent } from './recent.ts'
import {
  createControlApi,
  dispatchByPath,
  keepIn,
  onFailure,
  type Recorder,
  recordersOf,
  SHUTDOWN_GRACE,
} from './shared.ts'

export type { Middleware, SandboxHandler, SandboxOptions }

/** A running sandbox; it is itself the world `default`. */
export interface Sandbox extends WorldHandle, AsyncDisposable {
  /** Ends in /v1. */
  readonly baseUrl: string
  readonly controlUrl: string
  /** 0 where it does not listen. */
  readonly port: number
  readonly info: SandboxInfo
  /** A world of its own; it begins as the start fixture. */
  namespace(name: string): WorldHandle
  /** The same answers without a socket. */
  readonly fetch: SandboxFetch
  /** The same for a server that speaks in Requests, such as a route handler of Next, or Hono. */
  readonly handler: SandboxHandler
  /** The same for Connect, Express and their like: what is not the sandbox's is passed on. */
  readonly middleware: Middleware
  /** Lets requests at work end, writes what is waiting, and lets go of everything. */
  close(): Promise<void>
}

export interface SandboxInfo {
  readonly version: string
  /** Null in memory. */
  readonly dataFile: string | null
  /** Of the namespace `default`, at the start. */
  readonly pets: number
  /** What deserves to be told at start, one sentence each. */
  readonly notices: readonly string[]
  readonly policy: Policy
}

/** What a sandbox is made for, beside its options. */
export interface SandboxHooks {
  /** Where it begins, instead of its fixture, its data file and this machine's time. */
  readonly beginning?: Beginning
  /** Told of the sandbox before it serves; it is driven by the clock from then on. */
  readonly beforeServing?: (internals: Internals) => void | Promise<void>
  /** Where `log` writes. */
  readonly logTo?: 'stdout' | 'stderr'
  /** Gets each exchange once it is recorded. */
  readonly onExchange?: Recorder
  /** Told of each world before it forgets what happened in it; at the end, all do. */
  readonly onForget?: (world: World) => void
}

export interface Beginning {
  readonly fixture: Fixture
  /** Real time, in milliseconds since the epoch. */
  readonly at: number
  readonly clock: () => number
  /** The address that documents show. */
  readonly origin: string
  /** The text of an overlay. */
  readonly overlay: string | undefined
}

/** What histories are made of. */
export interface Internals {
  readonly worlds: Worlds
  readonly timeline: Timeline
  readonly commands: Commands
  readonly handle: Handle
  /** The JSON text of its contract. */
  readonly contractText: () => string
  readonly fixture: Fixture
  readonly snapshots: Snapshots
  readonly recent: RecentCommands
  readonly settings: Settings
  readonly origin: () => string
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

/** The same for a command that is its surroundings. */
export async function openSandbox(
  options: SandboxOptions,
  {
    logTo = 'stdout',
    onExchange,
    onForget = () => {},
    beginning,
    beforeServing = () => {},
  }: SandboxHooks = {},
): Promise<Sandbox> {
  const settings = checkOptions(options)
  const { policy } = settings
  const notices: string[] = []
  let started = false
  const contract = await loadContract(settings.overlay, (notice) => notices.push(notice), beginning?.overlay)
  const fixture =
    beginning?.fixture ?? (await loadStart(settings, contract.petShape, (notice) => notices.push(notice)))
  const begun = await beginOf(settings, contract)
  const store = beginning
    ? createMemoryStore()
    : await openStore(settings, contract.petShape, (warning) => {
        if (started) tellAtTerminal(warning)
        else notices.push(warning)
      })
  const clock = beginning?.clock ?? Date.now
  const timeline = new Timeline(beginning?.at ?? clock())
  const commands = new Commands(timeline, clock)
  const worlds = new Worlds(
    { ...startOf(settings, fixture), ...begun },
    store.found,
    timeline.now(),
    onForget,
    settings.maxState,
  )
  const recent = keepRecent(commands, worlds)
  store.connect(() => worlds.stored())
  if (settings.fixture !== undefined && store.found.has(DEFAULT_NAMESPACE))
    notices.push(unused(settings.fixture))

  const shutdown = createShutdownController()
  const followers = new Set<Recorder>()
  const committer = new Committer(worlds, store)
  let origin = beginning?.origin ?? `http://localhost:${settings.port || 4010}`
  let http: Served | undefined
  let isRepeating = true
  const effectiveDocument = effectiveDocuments(contract.document, policy, () => `${origin}/v1`)
  const mock = createMock(() => effectiveDocument(false))
  const check = createRequestCheck(() => effectiveDocument(false))
  const engine = createEngine({
    contract,
    petShape: contract.petShape,
    worlds,
    commit: committer.commit,
    durable: committer.durable,
    ready: committer.ready,
    policy,
    latency: settings.latency,
    realTime: timeline.now,
    sleep: timeline.sleep,
    mock,
    check,
    loadMocks: () => bothLoaded(mock, check),
    documents: createDocuments({ policy, worlds, effectiveDocument, toYaml, summary }),
    keep: keepIn(worlds),
    recorders: recordersOf(settings.log, logTo, followers, onExchange),
    onFailure,
  })
  const recordings = async () => {
    const { Recordings } = await import('./record.ts')
    return new Recordings(options, internals)
  }
  async function* recording(world: World): AsyncGenerator<string> {
    yield* (await recordings()).of(world)
  }
  const control = createControlApi({
    animalStore: contract,
    worlds,
    policy,
    commit: committer.commit,
    durable: committer.durable,
    drop: committer.drop,
    prepare: committer.prepare,
    isDurable: settings.db !== undefined,
    followers,
    shutdown: shutdown.signal,
    onChange: createChangeLog(settings.log, logTo),
    snapshots: store.snapshots,
    token: settings.controlToken,
    origins: settings.controlOrigins,
    send: engine.handle,
    prepareSend: () => bothLoaded(mock, check),
    apply: commands.apply,
    recording,
    trusted: () => isRepeating,
    realTime: timeline.now,
    clock: () => timeline.instantOf(clock()),
    effectiveDocument,
    origin: () => origin,
    freshen: async () =>
      void (await Promise.all([http?.freshen(), isRepeating ? undefined : mounts.freshen()])),
  })
  const command = (request: Request) => {
    const apply = () => commands.apply(request, () => engine.handle(request))
    return whenReady(engine.prepare(request), apply)
  }
  const { handle, bodyLimit } = dispatchByPath(
    control,
    settings.controlToken,
    (request) => browserReply(request) ?? command(request),
    engine.bodyLimit,
  )

  const internals: Internals = {
    worlds,
    timeline,
    commands,
    handle,
    contractText: () => stringifyJson(contract.document),
    fixture,
    snapshots: store.snapshots,
    recent,
    settings,
    origin: () => origin,
  }
  await beforeServing(internals)
  isRepeating = false
  const stopClock = driveByClock(timeline, clock)
  const { record: file } = settings

  const breaks = () => worlds.breakConnections
  const mounts = createMounts(
    {
      handle,
      refuse: engine.refuse,
      bodyLimit,
      breaks,
      onFailure,
      shutdown: shutdown.signal,
      control: settings.control,
      trustForwarded: settings.trustForwarded,
    },
    (mountedAt) => {
      if (!settings.listen) origin = mountedAt
    },
  )
  http = settings.listen
    ? await serve(
        { handle, refuse: engine.refuse, bodyLimit, breaks, onFailure },
        settings.host,
        settings.port,
      ).catch(async (error: unknown) => {
        await store.close(SHUTDOWN_GRACE.store)
        throw error
      })
    : undefined
  origin = http?.origin ?? origin
  const endRecording =
    file === undefined ? undefined : await (await recordings()).inFile(file, tellAtTerminal)
  started = true
  const fetch = createFetch(handle, bodyLimit, shutdown.signal)
  const world = (namespace: string) =>
    createWorld(connectControl({ url: 'http://localhost', namespace, token: settings.controlToken, fetch }))
  const end = async () => {
    for (const world of worlds.all()) world.holds.reset()
    shutdown.abort()
    stopClock()
    await http?.close(SHUTDOWN_GRACE.requests)
    await endRecording?.()
    await store.close(SHUTDOWN_GRACE.store)
    for (const world of worlds.all()) onForget(world)
  }
  let ended: Promise<void> | undefined
  const close = () => {
    ended ??= end()
    return ended
  }
  return {
    ...world(DEFAULT_NAMESPACE),
    baseUrl: `${origin}/v1`,
    controlUrl: `${origin}/_sandbox`,
    port: http?.port ?? 0,
    info: {
      version,
      dataFile: settings.db ?? null,
      pets: worlds.default.collections.pets.size,
      notices,
      policy,
    },
    namespace: world,
    fetch,
    handler: mounts.handler,
    middleware: mounts.middleware,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Where no fixture was named, an overlay may ask for more than the pets that ship have. */
async function loadStart(
  { fixture, overlay }: Settings,
  petShape: RecordShape,
  notify: (notice: string) => void,
): Promise<Fixture> {
  try {
    return await loadFixture(fixture ?? 'default', fixturesFolder(), petShape)
  } catch (error) {
    if (!(error instanceof FixtureError) || fixture !== undefined || overlay === undefined) throw error
    const [problem] = error.problems
    notify(
      `It starts without pets: those that ship do not fit the overlay (${problem?.path} ${problem?.reason}). Give some with --fixture, or seed them.`,
    )
    return { pets: [], nextId: 1, keys: [] }
  }
}

const startOf = ({ seed, now, freeze }: Settings, fixture: Fixture): Start => ({
  pets: { pets: fixture.pets, nextId: fixture.nextId },
  keys: fixture.keys,
  seed,
  now,
  frozen: freeze,
})

/** The faults and keys that options have; what validates faults is loaded only where there are some. Throws a UsageError. */
async function beginOf({ faults, keys }: Settings, contract: Contract): Promise<Partial<Start>> {
  if (faults.length === 0 && keys.length === 0) return {}
  const [{ checkFaults }, { controlContract }] = await Promise.all([
    import('../control/check-faults.ts'),
    import('../contract/control.ts'),
  ])
  const known = [...contract.operations.keys()]
  try {
    return { faults: checkFaults(faults, controlContract(), known), givenKeys: checkKeys(keys) }
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message)
    throw error
  }
}

async function openStore(
  { db, fresh, acceptDataFile }: Settings,
  petShape: RecordShape,
  warn: (warning: string) => void,
): Promise<Store> {
  if (db === undefined) return createMemoryStore()
  const { openFileStore } = await import('../store/file-store.ts')
  return openFileStore(db, { fresh, acceptDataFile, petShape, warn })
}

const unused = (fixture: string): string =>
  `The fixture ${fixture} was not used: the data file holds pets already. --fresh starts from the fixture even so.`

const tellAtTerminal = (warning: string): void => {
  process.stderr.write(`${printableLines(warning)}\n`)
}

const summary = async (): Promise<string> => {
  const { readFile } = await import('node:fs/promises')
  return readFile(packageFile('llms.txt'), 'utf8')
}

const toYaml = async (document: OpenApiDocument): Promise<string> => {
  const { stringify } = await import('yaml')
  return stringify(document, { aliasDuplicateObjects: false })
}
