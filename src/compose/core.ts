import { connectControl } from '../client/control.ts'
import { createWorld, type WorldHandle } from '../client/world.ts'
import { checkOptions, type SandboxOptions, type Settings } from '../config/options.ts'
import type { RECORDED_OPTIONS } from '../config/recorded-options.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import type { Overlay } from '../contract/openapi/overlay.ts'
import { completeFixture } from '../fixtures/complete.ts'
import type { Internals } from '../past/internals.ts'
import { createFetch, type SandboxFetch } from '../web/fetch.ts'
import { createMemoryStore } from '../world/memory-store.ts'
import type { Fixture, FixtureInput } from '../world/pets/fixture.ts'
import type { Store } from '../world/store.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { BodyLimit } from './control-api.ts'
import { openInside } from './inside.ts'
import { Origin } from './origin.ts'
import type { Platform } from './platform.ts'
import { contractWith } from './start.ts'
import { openTracing, type Traced } from './tracing.ts'
import { webPlatform } from './web-platform.ts'

/** The options of a core: those of a sandbox that need neither files nor sockets. */
export interface CoreOptions
  extends Pick<
    SandboxOptions,
    (typeof RECORDED_OPTIONS)[number] | 'controlToken' | 'controlOrigins' | 'keepKeys'
  > {
  /** The content of every new namespace, or the name of a fixture that ships; `default` unless given. */
  readonly fixture?: FixtureInput | string
  /** OpenAPI Overlay 1.0 documents, applied in their order. */
  readonly overlays?: readonly Overlay[]
  /** Keeps what is durable; in memory unless given. */
  readonly store?: Store
  /** The address that documents show, such as `https://try.example`. */
  readonly origin?: string
  /** Milliseconds since the epoch; `Date.now` unless given. */
  readonly clock?: () => number
  /** Receives what should be known, one sentence each: an overlay that changes nothing. */
  readonly warn?: (warning: string) => void
  /** Parts of the runtime in place of those that every runtime with web standards has. */
  readonly platform?: Partial<Platform>
}

/** A sandbox without files and sockets: the same answers in a page, a worker or a Durable Object. */
export interface Core {
  /** Answers a Request to `/v1`, `/_sandbox`, `/openapi.json`, `/openapi.yaml` or `/llms.txt`. */
  readonly fetch: SandboxFetch
  /** A world of its own. Throws a RangeError for a name that is not valid. */
  namespace(name?: string): WorldHandle
  /** Ends what waits; `fetch` rejects from then on. */
  close(): Promise<void>
}

/** How long a collector of spans may take when a core is closed, in milliseconds. */
const GRACE = { store: 0, spans: 500 }

/** Opens a sandbox without files and sockets. Rejects with a UsageError, a FixtureError or an OverlayError. */
export async function createCore(options: CoreOptions = {}): Promise<Core> {
  const { core } = await openCore(options)
  return core
}

/** What else the host of a core may give. */
export interface CoreHooks {
  /** The state to start from, in place of a fixture and the time of the clock. */
  readonly replayed?: { readonly fixture: Fixture; readonly at: number }
  /** Called before the core is driven by its clock; its control calls need no token meanwhile. */
  readonly beforeServing?: (internals: Internals) => Promise<void>
  /** Where exchanges become spans, if its variables name a collector; none that came before it served does. */
  readonly spans?: Pick<Traced, 'variables' | 'origin' | 'hidesNamespaces' | 'waitUntil'>
}

/** The same with its inside, for a host that keeps its commands. */
export interface OpenedCore {
  readonly core: Core
  readonly settings: Settings
  readonly internals: Internals
  readonly bodyLimit: BodyLimit
  /** Ends streams when it aborts. */
  readonly shutdown: AbortSignal
}

export async function openCore(
  { fixture: given, overlays = [], store = createMemoryStore(), origin, ...others }: CoreOptions,
  { replayed, beforeServing, spans }: CoreHooks = {},
): Promise<OpenedCore> {
  const { clock = Date.now, warn = () => {}, platform: parts, ...options } = others
  const platform = { ...webPlatform(), ...parts }
  const settings = checkOptions(options)
  const contract = await contractWith(overlays, warn)
  const fixture = replayed?.fixture ?? (await fixtureOf(given, contract, platform))
  const shutdown = new AbortController()
  const { version, timer } = platform
  const inside = await openInside({
    options,
    settings,
    contract,
    fixture,
    store,
    clock,
    at: replayed?.at ?? clock(),
    platform,
    origin: new Origin(0, origin),
    shutdown,
    recorders: [],
    tracing: spans && (await openTracing({ ...spans, contract, version, timer, warn })),
    onChange: () => {},
    onForget: () => {},
    freshen: async () => {},
    beforeServing,
  })
  const { apis, internals } = inside
  const fetch = createFetch(apis.handle, apis.bodyLimit, shutdown.signal)
  const namespace = (name = DEFAULT_NAMESPACE) =>
    createWorld(
      connectControl({ url: 'http://localhost', namespace: name, token: settings.controlToken, fetch }),
    )
  const core = { fetch, namespace, close: () => inside.close(GRACE) }
  return { core, settings, internals, bodyLimit: apis.bodyLimit, shutdown: shutdown.signal }
}

const fixtureOf = (
  given: FixtureInput | string = 'default',
  { petShape }: Contract,
  platform: Platform,
): Promise<Fixture> | Fixture =>
  typeof given === 'string' ? platform.loadFixture(given, petShape) : completeFixture(given, petShape)
