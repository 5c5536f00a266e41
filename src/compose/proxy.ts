import { createRelay } from '../api/relay.ts'
import { observing } from '../api/resolve.ts'
import { checkOptions, type SandboxOptions } from '../config/options.ts'
import type { Report } from '../contract/generated/control.types.d.ts'
import { operationIds } from '../contract/openapi/contract.ts'
import { effectiveDocuments } from '../contract/openapi/effective-document.ts'
import type { RecordShape } from '../contract/openapi/record-shape.ts'
import { completeFixture } from '../fixtures/complete.ts'
import { createShutdownController, type Served, serve } from '../node/http/serve.ts'
import { sleep } from '../node/http/sleep.ts'
import { createChangeLog, createLog } from '../node/log.ts'
import { createContractValidator } from '../prism/validator.ts'
import { createForward, FORWARD_LIMIT, FORWARD_TIMEOUT } from '../tools/proxy/forward.ts'
import { inspect } from '../tools/proxy/inspect.ts'
import { createObservedPets } from '../tools/proxy/observed-pets.ts'
import { type ViolationCount, Violations } from '../views/report/violations.ts'
import { Committer } from '../world/committer.ts'
import { createMemoryStore } from '../world/memory-store.ts'
import type { Fixture } from '../world/pets/fixture.ts'
import type { Request } from '../world/traffic/message.ts'
import { Worlds } from '../world/worlds.ts'
import { loadContract } from './contract.ts'
import { createControlApi, dispatchByPath } from './control-api.ts'
import { nodePlatform, onFailure, SHUTDOWN_GRACE } from './node-platform.ts'
import { type Recorder, recordInWorlds } from './recorders.ts'
import { certificateOf } from './serving.ts'

/** The options of a proxy that a sandbox has as well. */
export type ProxyOptions = Pick<
  SandboxOptions,
  | 'port'
  | 'host'
  | 'cert'
  | 'key'
  | 'latency'
  | 'seed'
  | 'log'
  | 'overlay'
  | 'controlToken'
  | 'controlOrigins'
>

export interface ProxyHooks {
  /** How long the service may take for one answer, in milliseconds. */
  readonly timeout?: number
  /** Receives each exchange that violates the contract. */
  readonly onViolation?: Recorder
  /** Whether the pets in responses are kept. */
  readonly gathersPets?: boolean
}

/** A proxy between a client and a service. */
export interface RunningProxy {
  /** Ends in /v1; requests to it go to the base address of the service. */
  readonly baseUrl: string
  readonly controlUrl: string
  readonly port: number
  /** The number of violations of the contract. */
  readonly violationCount: number
  violations(): readonly ViolationCount[]
  report(): Report
  /** The shape of a pet. */
  readonly petShape: RecordShape
  /** The pets in the responses of the service; undefined where no response can contain any, or they are not kept. */
  petsSeen(): Fixture | undefined
  /** Waits for requests in progress, and releases everything. */
  close(): Promise<void>
}

/**
 * Starts a proxy for the service at `baseUrl`: what passes is validated and journaled. Rejects with a UsageError for a
 * wrong option, or with Node's error where it cannot listen.
 */
export async function createProxy(
  baseUrl: string,
  options: ProxyOptions = {},
  { onViolation = () => {}, gathersPets = false, timeout = FORWARD_TIMEOUT }: ProxyHooks = {},
): Promise<RunningProxy> {
  const settings = checkOptions(options)
  const { policy } = settings
  const certificate = await certificateOf(settings)
  const contract = await loadContract(settings.overlay)
  const validator = await createContractValidator(contract.document)
  const store = createMemoryStore()
  const start = {
    pets: { pets: [], nextId: 1 },
    keys: [],
    seed: settings.seed,
    now: undefined,
    frozen: false,
  }
  const worlds = new Worlds(start, store.found, Date.now())
  const committer = new Committer(worlds, store)
  const violations = new Violations()
  const seen = createObservedPets(contract.petShape, (input) => completeFixture(input, contract.petShape))
  const shutdown = createShutdownController()
  const subscribers = new Set<Recorder>()
  let origin = `http://localhost:${settings.port}`
  let http: Served | undefined

  const relay = createRelay({
    contract,
    policy,
    worlds,
    realTime: Date.now,
    sleep: (milliseconds, ...signals) => sleep(milliseconds, shutdown.signal, ...signals),
    latency: settings.latency,
    forward: createForward(baseUrl, shutdown.signal, timeout),
    inspect: async (call, reply) => {
      const inspection = await inspect(validator, call, reply)
      if (gathersPets) seen.see(call.operation?.id, reply.status, inspection.body)
      return inspection
    },
    keep: recordInWorlds(worlds),
    recorders: [
      createLog(settings.log, 'stdout'),
      (exchange) => {
        for (const notify of subscribers) notify(exchange)
      },
      (exchange) => violations.record(exchange),
      (exchange) => {
        if (exchange.violations?.length) onViolation(exchange)
      },
    ],
    onFailure,
  })
  const effectiveDocument = effectiveDocuments(contract.document, policy, () => `${origin}/v1`)
  const control = createControlApi({
    animalStore: contract,
    worlds,
    policy,
    commit: committer.commit,
    durable: committer.durable,
    drop: committer.drop,
    subscribers,
    shutdown: shutdown.signal,
    onChange: createChangeLog(settings.log, 'stdout'),
    snapshots: store.snapshots,
    token: settings.controlToken,
    origins: settings.controlOrigins,
    send: relay.handle,
    stateAt: undefined,
    loadMocks: () => undefined,
    apply: (request, act) => act(observing(request, Date.now())),
    recording: undefined,
    trusted: () => false,
    realTime: Date.now,
    clock: Date.now,
    effectiveDocument,
    origin: () => origin,
    platform: nodePlatform,
    freshen: async () => http?.freshen(),
  })
  const handle = (request: Request) => relay.handle(observing(request, Date.now()))
  const both = dispatchByPath(control, settings.controlToken, handle, () => FORWARD_LIMIT)
  const breaks = () => worlds.breakConnections
  http = await serve(
    { ...both, refuse: relay.refuse, breaks, onFailure },
    settings.host,
    settings.port,
    certificate,
  )
  const { origin: ownOrigin, port, close } = http
  origin = ownOrigin
  return {
    baseUrl: `${origin}/v1`,
    controlUrl: `${origin}/_sandbox`,
    port,
    get violationCount() {
      return violations.total
    },
    violations: () => violations.list(),
    report: () =>
      worlds.default.tally.view(operationIds(effectiveDocument(false)), worlds.default.keys.secrets.mask),
    petShape: contract.petShape,
    petsSeen: () => seen.fixture(),
    async close() {
      worlds.default.holds.reset()
      await close(SHUTDOWN_GRACE.requests)
      shutdown.abort()
    },
  }
}
