import type { Settings } from '../config/options.ts'
import { describeDecisions } from '../contract/decisions/decisions.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import { operationIds } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import type { ControlDeps } from '../control/context.ts'
import { controlBodyLimit, isControlTarget } from '../control/control-path.ts'
import { createGuard, passes } from '../control/guard.ts'
import { RequestCounts } from '../control/request-counts.ts'
import { completeSteps } from '../fixtures/complete.ts'
import type { Committer } from '../world/committer.ts'
import type { Store } from '../world/store.ts'
import type { Handle, Request } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'
import type { Platform } from './platform.ts'

/** The worlds of a control API, and its connections to the rest of the process. */
export interface ControlParts extends Pick<ControlDeps, 'subscribers' | 'shutdown' | 'onChange' | 'freshen'> {
  readonly settings: Settings
  readonly contract: Contract
  readonly state: { readonly worlds: Worlds; readonly committer: Committer; readonly store: Store }
  /** Returns the effective contract, as `effectiveDocuments` does. */
  readonly documents: () => Promise<(removed: boolean) => OpenApiDocument>
  readonly origin: () => string
  readonly platform: Platform
}

/** Applies commands, and reads the past. */
export type Applying = Pick<
  ControlDeps,
  'send' | 'loadMocks' | 'apply' | 'past' | 'trusted' | 'realTime' | 'clock'
>

/** The control API of a sandbox or a proxy, loaded when it is first called. */
export function createControlApi(
  {
    settings: { policy, controlToken: token, controlOrigins: origins },
    contract: { petShape, operations },
    state: { worlds, committer, store },
    documents,
    origin,
    platform,
    ...others
  }: ControlParts,
  applying: Applying,
): Handle {
  const { version } = platform
  const counts = new RequestCounts()
  others.subscribers.add((exchange) => {
    // A replayed exchange was counted when it was recorded.
    if (!applying.trusted()) counts.add(exchange)
  })
  const startedAt = applying.clock()
  if (token !== undefined) worlds.default.keys.secrets.addToken(token)
  let loaded: Promise<Handle> | undefined
  async function load(): Promise<Handle> {
    const { createControl } = await import('../control/control.ts')
    const { controlContract } = await import('../contract/control.ts')
    const { harEntry, toHar } = await import('../views/har.ts')
    const effectiveDocument = await documents()
    return createControl({
      ...others,
      ...platform,
      ...applying,
      worlds,
      policy,
      token,
      origins,
      commit: committer.commit,
      durable: committer.durable,
      drop: committer.drop,
      snapshots: store.snapshots,
      counts,
      petShape,
      contract: controlContract(),
      startedAt,
      knownOperations: [...operations.keys()],
      operations: (removed) => operationIds(effectiveDocument(removed)),
      decisions: () => describeDecisions(policy),
      loadFixture: (name) => platform.loadFixture(name, petShape),
      completeSteps: (input, beside) => completeSteps(input, petShape, beside),
      generate: (options) => platform.generate(petShape, options),
      toHar: (entries) => toHar(entries, { version, origin: origin() }),
      harEntry: (entry) => harEntry(entry, origin()),
      entropy: (length) => crypto.getRandomValues(new Uint8Array(length)),
      mcp: async (request) => {
        endpoint ??= platform.mcp(handle, { token, shutdown: others.shutdown, origin })
        return (await endpoint)(request)
      },
    })
  }
  let endpoint: ReturnType<Platform['mcp']> | undefined
  const handle: Handle = async (request) => {
    loaded ??= load()
    return (await loaded)(request)
  }
  return handle
}

export type BodyLimit = (head: Request) => number | undefined

/** One handler for both APIs, and the largest body that is read for a request; undefined if its head decides. */
export function dispatchByPath(
  control: Handle,
  token: string | undefined,
  handle: Handle,
  bodyLimit: BodyLimit,
): { readonly handle: Handle; readonly bodyLimit: BodyLimit } {
  const guard = createGuard(token)
  return {
    handle: (request) => (isControlTarget(request.target) ? control(request) : handle(request)),
    bodyLimit: (head) => {
      if (!isControlTarget(head.target)) return bodyLimit(head)
      return passes(guard, head) ? controlBodyLimit(head.target) : undefined
    },
  }
}
