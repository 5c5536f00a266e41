import { createDocuments } from '../api/documents.ts'
import { createEngine, type Engine, type EngineDeps } from '../api/engine.ts'
import { isInside } from '../api/resolve.ts'
import type { Settings } from '../config/options.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { effectiveDocuments } from '../contract/openapi/effective-document.ts'
import { browserReply } from '../control/browser.ts'
import type { ControlDeps } from '../control/context.ts'
import { type OpenStage, stateAt } from '../past/repeat.ts'
import type { Mocks } from '../prism/mocks.ts'
import type { Handle, Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { type BodyLimit, createControlApi, dispatchByPath } from './control-api.ts'
import type { Origin } from './origin.ts'
import type { Platform } from './platform.ts'
import { type Recorder, recordInWorlds } from './recorders.ts'
import { stages } from './stage.ts'
import type { State } from './state.ts'

/** The Animal Store and the control API as one handle. */
export interface Apis {
  readonly handle: Handle
  readonly refuse: Engine['refuse']
  readonly bodyLimit: BodyLimit
  readonly openStage: OpenStage
}

/** The dependencies of both APIs beside the state. */
export interface ApiDeps {
  readonly settings: Settings
  readonly contract: Contract
  readonly state: State
  readonly origin: Origin
  readonly platform: Platform
  /** Each receives every exchange once it is recorded. */
  readonly recorders: readonly Recorder[]
  /** Receives each control call that changed a world. */
  readonly onChange: ControlDeps['onChange']
  readonly recording: (world: World) => AsyncGenerator<string>
  /** While a recording is replayed, its control calls need no token. */
  readonly isReplaying: () => boolean
  /** Closes the connections on which a browser would hide a wire fault. */
  readonly freshen: () => Promise<void>
  readonly shutdown: AbortSignal
}

export function createApis(deps: ApiDeps): Apis {
  const { settings, contract, origin, state } = deps
  const effectiveDocument = effectiveDocuments(contract.document, settings.policy, () => `${origin.url()}/v1`)
  const subscribers = new Set<Recorder>()
  const mocks = deps.platform.mocks(() => effectiveDocument(false))
  const engineDeps = engineDepsOf(deps, effectiveDocument, mocks, subscribers)
  const engine = createEngine(engineDeps)
  const openStage = stages(engineDeps, deps.platform.turn)
  const control = controlOf(deps, effectiveDocument, mocks, subscribers, engine, openStage)
  const apply = (request: Request) => state.commands.apply(request, engine.handle)
  const command = (request: Request) => engine.prepare(request)?.then(() => apply(request)) ?? apply(request)
  const { handle, bodyLimit } = dispatchByPath(
    control,
    settings.controlToken,
    (request) =>
      isInside(request.target)
        ? command(request)
        : (browserReply(request) ?? engine.document(request) ?? command(request)),
    engine.bodyLimit,
  )
  return { handle, refuse: engine.refuse, bodyLimit, openStage }
}

type EffectiveDocument = ReturnType<typeof effectiveDocuments>
const engineDepsOf = (
  { settings, contract, state, platform, recorders }: ApiDeps,
  effectiveDocument: EffectiveDocument,
  { mock, check, load }: Mocks,
  subscribers: ReadonlySet<Recorder>,
): EngineDeps => ({
  contract,
  petShape: contract.petShape,
  worlds: state.worlds,
  commit: state.committer.commit,
  durable: state.committer.durable,
  policy: settings.policy,
  latency: settings.latency,
  realTime: state.timeline.now,
  clock: () => state.timeline.instantOf(state.clock()),
  sleep: state.timeline.sleep,
  mock,
  check,
  loadMocks: load,
  documents: createDocuments({
    policy: settings.policy,
    worlds: state.worlds,
    effectiveDocument,
    toYaml,
    summary: platform.summary,
  }),
  keep: recordInWorlds(state.worlds),
  recorders: [
    ...recorders,
    (exchange) => {
      for (const notify of subscribers) notify(exchange)
    },
  ],
  onFailure: platform.onFailure,
})

const controlOf = (
  {
    settings,
    contract,
    state,
    origin,
    platform,
    onChange,
    recording,
    isReplaying,
    freshen,
    shutdown,
  }: ApiDeps,
  effectiveDocument: EffectiveDocument,
  { load }: Mocks,
  subscribers: Set<Recorder>,
  engine: Engine,
  openStage: OpenStage,
): Handle =>
  createControlApi({
    animalStore: contract,
    worlds: state.worlds,
    policy: settings.policy,
    commit: state.committer.commit,
    durable: state.committer.durable,
    drop: state.committer.drop,
    subscribers,
    shutdown,
    onChange,
    platform,
    snapshots: state.store.snapshots,
    token: settings.controlToken,
    origins: settings.controlOrigins,
    send: engine.handle,
    loadMocks: load,
    apply: state.commands.apply,
    stateAt: (world, point) => stateAt(world, point, openStage),
    recording,
    trusted: isReplaying,
    realTime: state.timeline.now,
    clock: () => state.timeline.instantOf(state.clock()),
    effectiveDocument,
    origin: origin.url,
    freshen,
  })

const toYaml = async (document: OpenApiDocument): Promise<string> => {
  const { stringify } = await import('yaml')
  return stringify(document, { aliasDuplicateObjects: false })
}
