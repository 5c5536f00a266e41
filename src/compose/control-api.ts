import { describeDecisions } from '../contract/decisions/decisions.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import { operationIds } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import type { ControlDeps } from '../control/context.ts'
import { controlBodyLimit, isControlTarget } from '../control/control-path.ts'
import { createGuard, passes } from '../control/guard.ts'
import { RequestCounts } from '../control/request-counts.ts'
import { completeSteps } from '../fixtures/complete.ts'
import type { Handle, Request } from '../world/traffic/message.ts'
import type { Platform } from './platform.ts'

/** The dependencies of the control API that only its sandbox knows. */
export interface ControlledWorlds
  extends Pick<
    ControlDeps,
    | 'worlds'
    | 'policy'
    | 'commit'
    | 'durable'
    | 'drop'
    | 'subscribers'
    | 'snapshots'
    | 'token'
    | 'origins'
    | 'freshen'
    | 'send'
    | 'loadMocks'
    | 'apply'
    | 'stateAt'
    | 'recording'
    | 'trusted'
    | 'realTime'
    | 'clock'
    | 'onChange'
    | 'shutdown'
  > {
  readonly animalStore: Contract
  readonly effectiveDocument: (removed: boolean) => OpenApiDocument
  readonly origin: () => string
  readonly platform: Platform
}

/** The control API over these worlds, loaded when it is first called. */
export function createControlApi({
  animalStore,
  effectiveDocument,
  origin,
  platform,
  ...worlds
}: ControlledWorlds): Handle {
  const { version, slices, timer, onFailure, page, fixtureNames, loopDelay } = platform
  const counts = new RequestCounts()
  worlds.subscribers.add((exchange) => {
    // What is repeated was counted when it came.
    if (!worlds.trusted()) counts.add(exchange)
  })
  const startedAt = worlds.clock()
  if (worlds.token !== undefined) worlds.worlds.default.keys.secrets.addToken(worlds.token)
  let loaded: Promise<Handle> | undefined
  async function load(): Promise<Handle> {
    const { createControl } = await import('../control/control.ts')
    const { controlContract } = await import('../contract/control.ts')
    const { harEntry, toHar } = await import('../views/har.ts')
    return createControl({
      ...worlds,
      counts,
      loopDelay,
      slices,
      timer,
      writePet: animalStore.petShape.write,
      writePets: animalStore.petShape.writeList,
      contract: controlContract(),
      version,
      startedAt,
      knownOperations: [...animalStore.operations.keys()],
      operations: (removed) => operationIds(effectiveDocument(removed)),
      petStatuses: statusesOf(animalStore),
      decisions: () => describeDecisions(worlds.policy),
      page,
      fixtureNames,
      loadFixture: (name) => platform.loadFixture(name, animalStore.petShape),
      completeSteps: (input, beside) => completeSteps(input, animalStore.petShape, beside),
      generate: (request) => platform.generate(animalStore.petShape, request),
      toHar: (entries) => toHar(entries, { version, origin: origin() }),
      harEntry: (entry) => harEntry(entry, origin()),
      entropy: (length) => crypto.getRandomValues(new Uint8Array(length)),
      onFailure,
      mcp: async (request) => {
        endpoint ??= platform.mcp(handle, { ...worlds, origin })
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

function statusesOf({ petShape }: Contract): readonly string[] | undefined {
  const { status } = petShape.schema.properties as Readonly<Record<string, { enum?: readonly string[] }>>
  return status?.enum
}

export type BodyLimit = (head: Request) => number | undefined

/** One handle for both APIs, and the largest body that is kept of a request; undefined where its head decides. */
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
