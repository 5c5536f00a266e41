/** What the sandbox and the proxy share. */

import type { Keep } from '../api/call.ts'
import { anyCall } from '../client/any-call.ts'
import { connectControl } from '../client/control.ts'
import { describeDecisions } from '../contract/decisions/decisions.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import { operationIds } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import type { ControlDeps, GenerateRequest } from '../control/context.ts'
import { controlBodyLimit, isControlTarget } from '../control/control-path.ts'
import { createGuard, passes } from '../control/guard.ts'
import { completeSteps } from '../fixtures/complete.ts'
import { FIXTURE_NAMES, loadFixture } from '../node/files/load.ts'
import { fixturesFolder, version } from '../node/files/package.ts'
import { pageFile } from '../node/files/page.ts'
import { createLog, type LogStyle } from '../node/log.ts'
import { printableLines } from '../text/printable.ts'
import { createFetch } from '../web/fetch.ts'
import type { Fixture } from '../world/pets/fixture.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { Handle, Request } from '../world/traffic/message.ts'
import type { Worlds } from '../world/worlds.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { slices, timer } from './slices.ts'

/** How long requests in progress, and then the store, may take at shutdown, in milliseconds. */
export const SHUTDOWN_GRACE = { requests: 200, store: 250 }

export type Recorder = (exchange: Exchange) => void

/** Keeps each exchange in the report, the journal and the history of its namespace. */
export const recordInWorlds =
  (worlds: Worlds): Keep =>
  ({ world, command }, exchange, isAmended) => {
    if (worlds.find(world.name) !== world) command.release()
    else if (isAmended) world.amend(command, exchange)
    else world.record(command, exchange)
  }

/** The recipients of each exchange: the log and the subscribers. */
export const recordersOf = (
  log: LogStyle,
  logTo: 'stdout' | 'stderr',
  subscribers: ReadonlySet<Recorder>,
  onExchange: Recorder = () => {},
): readonly Recorder[] => [
  createLog(log, logTo),
  onExchange,
  (exchange) => {
    for (const notify of subscribers) notify(exchange)
  },
]

/** What the control API needs that only its sandbox knows. */
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
}

/** The control API over these worlds, loaded when it is first called. */
export function createControlApi({
  animalStore,
  effectiveDocument,
  origin,
  ...worlds
}: ControlledWorlds): Handle {
  const startedAt = worlds.clock()
  if (worlds.token !== undefined) worlds.worlds.default.keys.secrets.addToken(worlds.token)
  let loaded: Promise<Handle> | undefined
  async function load(): Promise<Handle> {
    const { createControl } = await import('../control/control.ts')
    const { controlContract } = await import('../contract/control.ts')
    const { harEntry, toHar } = await import('../views/har.ts')
    return createControl({
      ...worlds,
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
      page: pageFile,
      fixtureNames: FIXTURE_NAMES,
      loadFixture: (name) => loadFixture(name, fixturesFolder(), animalStore.petShape),
      completeSteps: (input, beside) => completeSteps(input, animalStore.petShape, beside),
      generate: (shape) => generate(animalStore, shape),
      toHar: (entries) => toHar(entries, { version, origin: origin() }),
      harEntry: (entry) => harEntry(entry, origin()),
      entropy: (length) => crypto.getRandomValues(new Uint8Array(length)),
      onFailure,
      mcp: async (request) => {
        endpoint ??= loadMcp(handle, worlds, origin)
        return (await endpoint)(request)
      },
    })
  }
  let endpoint: ReturnType<typeof loadMcp> | undefined
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

/** The tools for agents, loaded at the first call; they call this control API. */
async function loadMcp(
  control: Handle,
  { token, shutdown }: Pick<ControlledWorlds, 'token' | 'shutdown'>,
  origin: () => string,
) {
  const { createMcpEndpoint } = await import('../mcp/http.ts')
  const { controlContract } = await import('../contract/control.ts')
  const fetch = createFetch(control, ({ target }) => controlBodyLimit(target), shutdown)
  return createMcpEndpoint(
    {
      origin,
      call: anyCall(connectControl({ url: 'http://localhost', namespace: DEFAULT_NAMESPACE, token, fetch })),
    },
    { version, document: controlContract().document },
  )
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

/** Reports an unexpected failure at the terminal, never to a client. */
export const onFailure = (error: unknown): void => {
  process.stderr.write(
    `petstore-sandbox failed to answer a request: ${printableLines(String(error instanceof Error ? error.stack : error))}\n`,
  )
}

async function generate(contract: Contract, { count, seed = 1, status }: GenerateRequest): Promise<Fixture> {
  const { generatePets } = await import('../contract/generate/generate-pets.ts')
  const options = { count, seed, ...(status && { status }) }
  return generatePets(contract.petShape, options, () => slices.turn())
}
