import type { Settings } from '../config/options.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { controlBodyLimit } from '../control/body-limit.ts'
import type { ControlDeps } from '../control/context.ts'
import { createGuard } from '../control/guard.ts'
import { RequestCounts } from '../control/request-counts.ts'
import { completeSteps } from '../fixtures/complete.ts'
import { once } from '../time/eventually.ts'
import { countingBodies } from '../web/bodies.ts'
import type { Committer } from '../world/commit.ts'
import type { Store } from '../world/store.ts'
import { isControlTarget } from '../world/traffic/address.ts'
import type { Handle, Request } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'
import type { Platform } from './platform.ts'

/** The worlds of a control API, and its connections to the rest of the process. */
export interface ControlParts
  extends Pick<
    ControlDeps,
    | ('subscribers' | 'shutdown' | 'onChange' | 'closeReusedConnections' | 'send' | 'loadMocks')
    | ('apply' | 'past' | 'trusted' | 'realTime' | 'clock' | 'service')
  > {
  readonly settings: Settings
  readonly contract: Contract
  readonly worlds: Worlds
  readonly committer: Committer
  readonly store: Store
  /** Returns the effective contract, as `effectiveDocuments` does. */
  readonly documents: () => Promise<(removed: boolean) => OpenApiDocument>
  /** The address at which the sandbox is reached, as documents, recordings and HAR files show it. */
  readonly origin: () => string
  readonly platform: Platform
}

export interface Handler {
  readonly handle: Handle
  /** The largest body in bytes that is read for a request; undefined if its head decides. */
  readonly bodyLimit: (head: Request) => number | undefined
}

/** Adds the control API of a sandbox or a proxy to its other API. It is loaded when it is first called. */
export function withControlApi(
  {
    settings: { policy, controlToken: token, controlOrigins: origins },
    contract,
    worlds,
    committer,
    store,
    documents,
    origin,
    platform,
    ...others
  }: ControlParts,
  { handle, bodyLimit }: Handler,
): Handler {
  const { petShape, operations } = contract
  const counts = new RequestCounts()
  others.subscribers.add((exchange) => {
    // A replayed exchange was counted when it was recorded.
    if (!others.trusted()) counts.add(exchange)
  })
  const startedAt = others.clock()
  if (token !== undefined) worlds.default.keys.secrets.addToken(token)
  const guard = createGuard(token)
  const loaded = once(async (): Promise<Handle> => {
    const { createControl } = await import('../control/control.ts')
    const { controlContract } = await import('../contract/control.ts')
    const { harParts } = await import('../views/har.ts')
    const own = controlContract(contract)
    const options = { token, shutdown: others.shutdown, origin, document: own.document }
    const endpoint = once(() => platform.mcp(control, options))
    return createControl({
      ...others,
      ...platform,
      ...committer,
      worlds,
      policy,
      token,
      origins,
      snapshots: store.snapshots,
      counts,
      petShape,
      contract: own,
      startedAt,
      knownOperations: [...operations.keys()],
      document: await documents(),
      loadFixture: (name) => platform.loadFixture(name, petShape),
      completeSteps: (input, existing) => completeSteps(input, petShape, existing),
      generate: (options) => platform.generate(petShape, options),
      har: (exchanges) => harParts(exchanges, origin()),
      entropy: (length) => crypto.getRandomValues(new Uint8Array(length)),
      mcp: async (request) => (await endpoint())(request),
    })
  })
  const control: Handle = async (request) => (await loaded())(request)
  return {
    handle: countingBodies((request) =>
      isControlTarget(request.target) ? control(request) : handle(request),
    ),
    bodyLimit: (head) => {
      if (!isControlTarget(head.target)) return bodyLimit(head)
      return guard(head) ? undefined : controlBodyLimit(head.target)
    },
  }
}
