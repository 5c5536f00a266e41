import { detachedWorlds } from '../api/detached-world.ts'
import { createDocuments } from '../api/documents.ts'
import { createEngine, type Engine, type EngineDeps } from '../api/engine.ts'
import { isInside } from '../api/resolve.ts'
import { toYaml } from '../contract/openapi/document.ts'
import { browserReply } from '../control/browsers.ts'
import type { Commands } from '../past/commands.ts'
import { type OpenDetached, stateAt } from '../past/repeat.ts'
import type { Timeline } from '../time/timeline.ts'
import { BASE_PATH } from '../world/traffic/address.ts'
import type { Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { type ControlParts, type Handler, withControlApi } from './control-api.ts'
import type { Origin } from './origin.ts'
import { notifying, type Recorder, recordInWorlds } from './recorders.ts'

/** The Animal Store and the control API as one handler. */
export interface Apis extends Handler {
  readonly refuse: Engine['refuse']
  readonly openDetached: OpenDetached
}

/** The dependencies of both APIs. */
export interface ApiDeps
  extends Pick<
    ControlParts,
    'settings' | 'contract' | 'platform' | 'onChange' | 'closeReusedConnections' | 'shutdown'
  > {
  readonly state: ControlParts['state'] & {
    /** Real time, in milliseconds since the epoch. */
    readonly clock: () => number
    readonly timeline: Timeline
    readonly commands: Commands
  }
  readonly origin: Origin
  /** Each receives every exchange after it was recorded. */
  readonly recorders: readonly Recorder[]
  readonly recording: (world: World) => AsyncGenerator<string>
  /** Control calls of a recording that is being replayed need no token. */
  readonly isReplaying: () => boolean
}

export function createApis(deps: ApiDeps): Apis {
  const { contract, platform, origin } = deps
  const { policy, latency } = deps.settings
  const { worlds, committer, clock, timeline, commands } = deps.state
  let documents: ReturnType<ControlParts['documents']> | undefined
  /** Loaded at the first request for a document. */
  const loadDocuments = async () => {
    documents ??= import('../contract/openapi/effective-document.ts').then(({ effectiveDocuments }) =>
      effectiveDocuments(contract.document, policy, () => `${origin.url()}${BASE_PATH}`),
    )
    return documents
  }
  const effectiveDocument = async (removed: boolean) => (await loadDocuments())(removed)
  const subscribers = new Set<Recorder>()
  const { mock, check, load: loadMocks } = platform.mocks(() => effectiveDocument(false))
  const instant = { realTime: timeline.now, clock: () => timeline.instantOf(clock()) }
  const engineDeps: EngineDeps = {
    ...instant,
    contract,
    petShape: contract.petShape,
    worlds,
    commit: committer.commit,
    durable: committer.durable,
    policy,
    latency,
    sleep: timeline.sleep,
    mock,
    check,
    loadMocks,
    documents: createDocuments({ policy, worlds, effectiveDocument, toYaml, summary: platform.summary }),
    keep: recordInWorlds(worlds),
    recorders: [...deps.recorders, notifying(subscribers)],
    onFailure: platform.onFailure,
  }
  const engine = createEngine(engineDeps)
  const openDetached = detachedWorlds(engineDeps, platform.turn)
  const apply = (request: Request) => commands.apply(request, engine.handle)
  // Without what could not be loaded, the request is answered with 500.
  const command = (request: Request) =>
    engine
      .prepare(request)
      ?.catch(platform.onFailure)
      .then(() => apply(request)) ?? apply(request)
  const handle = (request: Request) =>
    isInside(request.target)
      ? command(request)
      : (browserReply(request) ?? engine.document(request) ?? command(request))
  const both = withControlApi(
    {
      ...deps,
      ...instant,
      documents: loadDocuments,
      origin: origin.url,
      subscribers,
      send: engine.handle,
      loadMocks,
      apply: commands.apply,
      past: { stateAt: (world, point) => stateAt(world, point, openDetached), recording: deps.recording },
      trusted: deps.isReplaying,
    },
    { handle, bodyLimit: engine.bodyLimit },
  )
  return { ...both, refuse: engine.refuse, openDetached }
}
