import { connectControl } from '../client/control.ts'
import { createWorld, type WorldHandle } from '../client/world.ts'
import { checkOptions, type SandboxOptions } from '../config/options.ts'
import { hasMembers, readOrigin } from '../config/readers.ts'
import { RECORDED_OPTIONS } from '../config/recorded-options.ts'
import { refuseUnknown } from '../config/table.ts'
import { at, UsageError } from '../config/usage-error.ts'
import type { Overlay } from '../contract/openapi/overlay.ts'
import { completeFixture } from '../fixtures/complete.ts'
import { createFetch, type SandboxFetch } from '../web/fetch.ts'
import { guardedStore } from '../world/guarded-store.ts'
import { createMemoryStore } from '../world/memory-store.ts'
import type { CompleteFixture, FixtureInput } from '../world/pets/fixture.ts'
import type { Store } from '../world/store.ts'
import { DEFAULT_ORIGIN } from '../world/traffic/address.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { type KernelParts, openKernel } from './kernel.ts'
import type { Platform } from './platform.ts'
import { contractWith } from './start.ts'
import { webPlatform } from './web-platform.ts'

/** The options of a sandbox that need neither files nor sockets. */
const SHARED_OPTIONS = [...RECORDED_OPTIONS, 'controlToken', 'controlOrigins', 'keepKeys'] as const

/** The options that only a core has. */
const CORE_OPTIONS = ['fixture', 'overlays', 'store', 'origin', 'clock', 'warn', 'platform']

/** The options of a core: those of a sandbox that need neither files nor sockets. */
export interface CoreOptions extends Pick<SandboxOptions, (typeof SHARED_OPTIONS)[number]> {
  /** The content of every new namespace, or the name of a built-in fixture; by default `default`. */
  readonly fixture?: FixtureInput | string
  /** OpenAPI Overlay documents (1.0 to 1.2), as texts with names, applied in their order. */
  readonly overlays?: readonly Overlay[]
  /** Stores durable state; by default in memory. */
  readonly store?: Store
  /** The address that documents show, such as `https://try.example`. */
  readonly origin?: string
  /** Milliseconds since the epoch; by default `Date.now`. */
  readonly clock?: () => number
  /** Receives warnings, one sentence each, such as an overlay that changes nothing. */
  readonly warn?: (warning: string) => void
  /** Replaces parts of the default platform, which needs web standards only. */
  readonly platform?: Partial<Platform>
}

/** A sandbox without files and sockets. It answers the same in a page, a worker or a Durable Object. */
export interface Core {
  /** Answers a Request to `/v1`, `/_sandbox`, `/openapi.json`, `/openapi.yaml` or `/llms.txt`. */
  readonly fetch: SandboxFetch
  /** A namespace. Throws a RangeError for an invalid name. */
  namespace(name?: string): WorldHandle
  /** Ends all waits; afterwards `fetch` rejects. */
  close(): Promise<void>
}

/** The time limits of `close`, in milliseconds: only the export of spans may take time. */
const GRACE = { store: 0, spans: 500 }

/** Opens a sandbox without files and sockets. Rejects with a UsageError, a FixtureError or an OverlayError. */
export async function createCore(options: CoreOptions = {}): Promise<Core> {
  refuseUnknown(options, [...SHARED_OPTIONS, ...CORE_OPTIONS], 'createCore')
  return (await openCore(options)).core
}

/** Hooks for the host of a core. */
export interface CoreHooks extends Partial<Pick<KernelParts, 'beforeServing' | 'spans'>> {
  /** The initial state, in place of a fixture and the current time. */
  readonly replayed?: { readonly fixture: CompleteFixture; readonly at: number }
}

/** A core with its internals, for a host that stores its commands. */
export type OpenedCore = Awaited<ReturnType<typeof openCore>>

export async function openCore(
  { fixture: given = 'default', overlays = [], store: own, origin: shown, ...others }: CoreOptions,
  { replayed, beforeServing, spans }: CoreHooks = {},
) {
  const { clock = Date.now, warn = () => {}, platform: parts, ...options } = others
  if (parts !== undefined && !hasMembers(parts))
    throw new UsageError('Option platform: this is not an object', 'give an object with the parts to replace')
  const platform = { ...webPlatform(), ...parts }
  const settings = checkOptions(options)
  if (!Array.isArray(overlays) || overlays.some((each) => typeof Object(each).text !== 'string'))
    throw new UsageError('Option overlays: this is not a list of overlays', 'give each as { name, text }')
  for (const [name, value] of Object.entries({ clock, warn }))
    if (typeof value !== 'function')
      throw new UsageError(`Option ${name}: this is not a function`, 'give a function')
  if (own !== undefined && !isStore(own))
    throw new UsageError(
      'Option store: this is not a store',
      'give an object with found, connect, append, durable, snapshots and close',
    )
  const store = own ? guardedStore(own) : createMemoryStore()
  const contract = await contractWith(overlays, warn)
  const fixture =
    replayed?.fixture ??
    (typeof given === 'string'
      ? await platform.loadFixture(given, contract.petShape)
      : completeFixture(given, contract.petShape))
  let origin = shown === undefined ? DEFAULT_ORIGIN : at('Option origin', () => readOrigin(shown))
  const shutdown = new AbortController()
  const kernel = await openKernel({
    options,
    settings,
    contract,
    fixture,
    store,
    clock,
    at: replayed?.at,
    platform,
    origin: () => origin,
    shutdown,
    spans,
    warn,
    beforeServing,
  })
  const { handle, bodyLimit, refuse } = kernel.apis
  const fetch = createFetch(handle, bodyLimit, shutdown.signal)
  const { controlToken: token } = settings
  const namespace = (name = DEFAULT_NAMESPACE) =>
    createWorld(connectControl({ url: 'http://localhost', namespace: name, token, fetch }))
  const core: Core = { fetch, namespace, close: () => kernel.close(GRACE) }
  /** Called with the address of the host server, as a request names it. */
  const onOrigin = (url: string) => {
    origin = url
  }
  const { internals } = kernel
  return { core, settings, internals, onOrigin, bodyLimit, refuse, shutdown: shutdown.signal }
}

function isStore(given: unknown): boolean {
  const { found, connect, append, durable, snapshots, close }: Partial<Store> = Object(given)
  const functions = [found?.get, connect, append, durable, snapshots?.namespaces, close]
  return functions.every((each) => typeof each === 'function')
}
