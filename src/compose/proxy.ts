import { setTimeout } from 'node:timers/promises'
import type { Recorder } from '../api/pipeline.ts'
import { createRelay } from '../api/relay.ts'
import { unrecordedCommand } from '../api/resolve.ts'
import { checkOptions, type SandboxOptions } from '../config/options.ts'
import { operationIds } from '../contract/openapi/contract.ts'
import { effectiveDocuments } from '../contract/openapi/effective-document.ts'
import { completeFixture } from '../fixtures/complete.ts'
import { createShutdownController, type Served, serve } from '../node/http/serve.ts'
import { createLog } from '../node/log.ts'
import { createContractValidator } from '../prism/validator.ts'
import { errorMembers } from '../tools/error-members.ts'
import { createForward, FORWARD_LIMIT, FORWARD_TIMEOUT, withoutLoops } from '../tools/proxy/forward.ts'
import { inspect } from '../tools/proxy/inspect.ts'
import { createObservedPets } from '../tools/proxy/observed-pets.ts'
import { Violations } from '../views/proxy-summary.ts'
import { createCommitter } from '../world/commit.ts'
import { createMemoryStore } from '../world/memory-store.ts'
import { NO_PETS } from '../world/pets/collection.ts'
import { BASE_PATH, CONTROL_PATH, DEFAULT_ORIGIN } from '../world/traffic/address.ts'
import type { Request } from '../world/traffic/message.ts'
import { Tally } from '../world/traffic/tally.ts'
import { Worlds } from '../world/worlds.ts'
import { withControlApi } from './control-api.ts'
import { nodePlatform, onFailure, SHUTDOWN_GRACE } from './node-platform.ts'
import { certificateOf, loadContract } from './start-files.ts'

/** The options that proxy and sandbox share. */
export const PROXY_OPTIONS = [
  ...(['port', 'host', 'cert', 'key', 'latency', 'seed', 'log', 'overlay'] as const),
  ...(['controlToken', 'controlOrigins'] as const),
]
type ProxyOptions = Pick<SandboxOptions, (typeof PROXY_OPTIONS)[number]>

export interface ProxyHooks {
  /** The time limit for an answer of the service, in milliseconds. */
  readonly timeout?: number
  /** Receives each exchange that violates the contract. */
  readonly onViolation?: Recorder
  /** Whether to collect the pets in responses. */
  readonly gathersPets?: boolean
}

/** A proxy between a client and a service. */
export type RunningProxy = Awaited<ReturnType<typeof createProxy>>

/**
 * Starts a proxy for the service at `baseUrl`, which validates and records all traffic. Rejects with a UsageError for
 * an invalid option, or with Node's error if it cannot listen.
 */
export async function createProxy(
  baseUrl: string,
  options: ProxyOptions = {},
  { onViolation = () => {}, gathersPets = false, timeout = FORWARD_TIMEOUT }: ProxyHooks = {},
) {
  const settings = checkOptions(options)
  const { host, port, policy, latency, seed } = settings
  const certificate = await certificateOf(settings)
  const contract = await loadContract(settings.overlay)
  const { petShape } = contract
  let origin = DEFAULT_ORIGIN
  const effectiveDocument = effectiveDocuments(contract.document, policy, () => `${origin}${BASE_PATH}`)
  const validator = await createContractValidator(effectiveDocument(false))
  const errorNames = errorMembers(contract.document)
  const violations = new Violations()
  // The tally of the world begins again with each reset, such as before each test.
  const tally = new Tally({ hasNamespaces: true })
  const seen = createObservedPets(petShape, (input) => completeFixture(input, petShape))
  const shutdown = createShutdownController()
  const log = createLog(settings.log)
  const store = createMemoryStore()
  const start = { pets: NO_PETS, keys: [], seed, now: undefined, frozen: false }
  const worlds = new Worlds(start, store.found, Date.now())
  const record: Recorder = (exchange) => {
    tally.count(exchange)
    violations.record(exchange)
    if (exchange.findings.some(({ kind }) => kind === 'violation')) onViolation(exchange)
  }
  const recorders = new Set([log.exchange, record])
  const relay = createRelay({
    contract,
    policy,
    worlds,
    forward: withoutLoops(createForward(baseUrl, shutdown.signal, timeout), baseUrl, crypto.randomUUID()),
    async inspect(call, reply) {
      const inspection = await inspect(validator, errorNames, call, reply)
      if (gathersPets) seen.see(call.operation, reply.status, inspection.body)
      return inspection
    },
    realTime: Date.now,
    sleep: (milliseconds, ...signals) => sleep(milliseconds, [shutdown.signal, ...signals]),
    latency,
    durable: () => undefined,
    recorders,
    onFailure,
  })
  const observed = (request: Request) => unrecordedCommand(request, Date.now())
  const relayed = (request: Request) => {
    const full = worlds.noRoomForDelayed
    return full ? relay.refuse(full) : relay.handle(observed(request))
  }
  let http: Served | undefined
  const { handle, bodyLimit } = withControlApi(
    {
      service: baseUrl,
      settings,
      contract,
      worlds,
      committer: createCommitter(worlds, store),
      store,
      documents: async () => effectiveDocument,
      origin: () => origin,
      platform: nodePlatform,
      shutdown: shutdown.signal,
      subscribers: recorders,
      onChange: log.change,
      closeReusedConnections: async () => http?.closeReusedConnections(),
      send: relay.handle,
      loadMocks: () => undefined,
      apply: (request, act) => act(observed(request)),
      past: undefined,
      trusted: () => false,
      realTime: Date.now,
      clock: Date.now,
    },
    { handle: relayed, bodyLimit: () => FORWARD_LIMIT },
  )
  const breaks = () => worlds.breaksConnections
  const served = { handle, bodyLimit, refuse: relay.refuse, breaks, onFailure }
  http = await serve(served, host, port, certificate)
  const { close } = http
  origin = http.origin
  const { holds, keys } = worlds.default
  return {
    /** Requests to it are sent to the base URL of the service. */
    baseUrl: `${origin}${BASE_PATH}`,
    controlUrl: `${origin}${CONTROL_PATH}`,
    port: http.port,
    violations,
    report: () => tally.view(operationIds(effectiveDocument(false)), keys.secrets.mask),
    petShape,
    /** The pets in the responses of the service; undefined if they are not collected, or no response can contain any. */
    petsSeen: () => seen.fixture(),
    /** Waits for requests in progress, then ends. */
    async close() {
      holds.reset()
      await close(SHUTDOWN_GRACE.requests)
      shutdown.abort()
    },
  }
}

/** Waits that many milliseconds, or until one of the signals aborts. */
async function sleep(milliseconds: number, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return
  // Not AbortSignal.any: in some versions of Node, a signal that lives long keeps a little of each one made from it.
  const over = new AbortController()
  const { signal } = over
  for (const each of signals) each.addEventListener('abort', () => over.abort(), { signal })
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {})
  over.abort()
}
