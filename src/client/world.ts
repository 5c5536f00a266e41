import type { ErrorBody } from '../domain/api-error.ts'
import { BUILT_IN_KEYS, builtInKey, type KeyView } from '../domain/limits/key.ts'
import { PLAN_NAMES, type PlanName } from '../domain/limits/plan.ts'
import type { Fixture, FixtureInput } from '../domain/pets/fixture.ts'
import type { PetStatus } from '../domain/pets/pet.ts'
import type { JournalEntry } from '../domain/traffic/exchange.ts'
import type { FaultInput, FaultRule } from '../domain/traffic/fault.ts'
import type { FindingKind } from '../domain/traffic/findings.ts'
import type { Hold } from '../domain/traffic/hold.ts'
import type { Report } from '../domain/traffic/report.ts'
import type { ResetPart } from '../domain/world/reset.ts'
import { parseJson } from '../openapi/json.ts'
import { type ControlRequest, controlRequest } from './control-request.ts'

export type ControlFetch = (input: string, init?: RequestInit) => Promise<Response>

/** Calls the control API of a sandbox: its JSON comes back; a refusal is thrown as an Error with its message. */
export type ControlCall = (method: string, path: string, request?: ControlRequest) => Promise<unknown>

export type Seed =
  | { readonly fixture: string; readonly mode?: 'replace' | 'append' }
  | (FixtureInput & { readonly mode?: 'replace' | 'append' })
  | {
      readonly count: number
      readonly seed?: number
      readonly status?: Readonly<Partial<Record<PetStatus, number>>>
      readonly mode?: 'replace' | 'append'
    }

export interface ClockView {
  /** ISO 8601, UTC, with milliseconds. */
  readonly now: string
  readonly frozen: boolean
}

export interface WindowView {
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: string
}

export interface LimitsView {
  readonly plan: PlanName
  readonly minute: WindowView
  readonly day: WindowView
  readonly ban: null | { readonly until: string; readonly seconds: number }
}

export interface SnapshotView {
  readonly name: string
  readonly at: string
  readonly pets: number
}

/** A request that a fault rule holds. */
export interface HoldView extends Omit<Hold, 'operationId' | 'since'> {
  readonly operationId: string | null
  readonly since: string
}

export interface RequestFilter {
  readonly operationId?: string
  readonly status?: number
  readonly key?: string
  readonly limit?: number
}

/** Which journal entries are meant: every member given must agree; `body` is a subset of the request's. */
export interface RequestMatch {
  readonly operationId?: string
  readonly method?: string
  readonly path?: string
  readonly status?: number
  readonly key?: string
  /** A kind of finding that it has. */
  readonly finding?: FindingKind
  readonly test?: string
  readonly body?: unknown
}

export interface Times {
  readonly exactly?: number
  readonly atLeast?: number
  readonly atMost?: number
}

/** How long to wait, in real time: `5s`, at most `60s`. */
export interface Waiting {
  readonly within?: string
}

/** One isolated world of a sandbox: what a test does with it. */
export interface World {
  readonly name: string
  /** The built-in key of a plan (or a trigger's name, such as `limited`) that addresses this world. */
  key(plan?: string): string
  seed(seed: Seed): Promise<{ readonly pets: number }>
  /** Back to the start; without parts, everything but the keys. */
  reset(...parts: ResetPart[]): Promise<void>
  export(): Promise<Fixture>
  /** Names the test that sends its requests from now on, in the journal and in the report of `exec`; null: none. */
  label(test: string | null): Promise<void>
  /** The journal, newest last. */
  requests(filter?: RequestFilter): Promise<JournalEntry[]>
  /** Rejects, with the nearest requests in its message, where the count does not hold. */
  verify(match: RequestMatch, times?: Times, waiting?: Waiting): Promise<{ readonly matched: number }>
  /**
   * The first request that matches, as soon as it has been answered: the first of the journal, then the first behind
   * what it found last. Rejects where none is received within 5 s, unless another time is given.
   */
  waitFor(match: RequestMatch, waiting?: Waiting): Promise<JournalEntry>
  report(): Promise<Report>
  /** Both windows and the ban of a key, without using quota. */
  limits(key?: string): Promise<LimitsView>
  readonly clock: {
    now(): Promise<ClockView>
    /** By a duration: `61s`, `1d`, `PT5M`. */
    advance(duration: string): Promise<ClockView>
    set(instant: string | Date): Promise<ClockView>
    freeze(): Promise<ClockView>
    resume(): Promise<ClockView>
    reset(): Promise<ClockView>
  }
  readonly faults: {
    add(rule: FaultInput): Promise<FaultRule>
    list(): Promise<FaultRule[]>
    remove(id: string): Promise<void>
    clear(): Promise<void>
  }
  readonly holds: {
    list(): Promise<HoldView[]>
    /** Lets a held request go on. */
    release(id: string): Promise<HoldView>
  }
  readonly keys: {
    create(key: {
      readonly plan: PlanName
      readonly key?: string
      readonly expiresAt?: string
    }): Promise<KeyView>
    list(): Promise<KeyView[]>
    revoke(key: string): Promise<void>
  }
  readonly snapshots: {
    save(name: string): Promise<SnapshotView>
    restore(name: string): Promise<SnapshotView>
    list(): Promise<SnapshotView[]>
    delete(name: string): Promise<void>
  }
}

/** The control API through any `fetch`; `origin` is where the sandbox is, empty for one in this process. */
export function callControl(fetch: ControlFetch, origin: string, token?: string): ControlCall {
  return async (method, path, request = {}) => {
    const response = await fetch(...controlRequest(origin, token, method, path, request))
    const text = await response.text()
    const answer = text === '' ? undefined : parseJson(text)
    if (response.ok) return answer
    throw new ControlError(answer as ErrorBody)
  }
}

/** A refusal of the control API. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly code: string
  readonly status: number
  /** The whole body: some refusals carry more than a message. */
  readonly body: ErrorBody
  constructor(body: ErrorBody) {
    super(body.message)
    this.code = body.code
    this.status = body.status
    this.body = body
  }
}

/** A world by its name, over the control API. */
export function createWorld(namespace: string, control: ControlCall): World {
  const call = <T>(method: string, path: string, body?: unknown, query: object = {}): Promise<T> =>
    control(method, path, {
      query: { namespace, ...query },
      ...(body !== undefined && { body }),
    }) as Promise<T>
  const done = async (called: Promise<unknown>): Promise<void> => void (await called)
  const suffix = namespace === 'default' ? '' : `.${namespace}`
  const turn = (body: object) => call<ClockView>('POST', '/clock', body)
  return {
    name: namespace,
    key: (plan = 'pro') => `${builtInName(plan)}${suffix}`,
    seed: (seed) => call('POST', '/seed', seed),
    reset: (...parts) => done(call('POST', '/reset', parts.length > 0 ? { only: parts } : {})),
    export: () => call('GET', '/export'),
    label: (test) => done(call('PUT', '/label', { label: test })),
    requests: (filter = {}) => call('GET', '/requests', undefined, filter),
    verify: (match, times = { atLeast: 1 }, { within } = {}) =>
      call('POST', '/requests/verify', { match, times, ...(within !== undefined && { within }) }),
    waitFor: nextRequest(call),
    report: () => call('GET', '/report'),
    limits: (key = 'psk_pro') => call('GET', `/keys/${bare(key)}/limits`),
    clock: {
      now: () => call('GET', '/clock'),
      advance: (duration) => turn({ advance: duration }),
      set: (instant) => turn({ set: instant instanceof Date ? instant.toISOString() : instant }),
      freeze: () => turn({ frozen: true }),
      resume: () => turn({ frozen: false }),
      reset: () => call('DELETE', '/clock'),
    },
    faults: {
      add: (rule) => call('POST', '/faults', rule),
      list: () => call('GET', '/faults'),
      remove: (id) => done(call('DELETE', `/faults/${encodeURIComponent(id)}`)),
      clear: () => done(call('DELETE', '/faults')),
    },
    holds: {
      list: () => call('GET', '/holds'),
      release: (id) => call('POST', `/holds/${encodeURIComponent(id)}/release`),
    },
    keys: {
      create: (key) => call('POST', '/keys', key),
      list: () => call('GET', '/keys'),
      revoke: (key) => done(call('DELETE', `/keys/${bare(key)}`)),
    },
    snapshots: {
      save: (name) => call('PUT', `/snapshots/${encodeURIComponent(name)}`),
      restore: (name) => call('POST', `/snapshots/${encodeURIComponent(name)}/restore`),
      list: () => call('GET', '/snapshots'),
      delete: (name) => done(call('DELETE', `/snapshots/${encodeURIComponent(name)}`)),
    },
  }
}

type CallIn = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** Waits go on behind the last result, so that nothing is missed between two of them. */
function nextRequest(call: CallIn): World['waitFor'] {
  let after: string | undefined
  const wait = (body: object) =>
    call<JournalEntry>('POST', '/requests/wait', { ...body, ...(after !== undefined && { after }) })
  return async (match, { within } = {}) => {
    const body = { match, ...(within !== undefined && { within }) }
    const found = await wait(body).catch((error: unknown) => {
      // The journal was cleared since, so all that it holds is new.
      if (after === undefined || !(error instanceof ControlError && error.code === 'not_found')) throw error
      after = undefined
      return wait(body)
    })
    after = found.id
    return found
  }
}

/** The built-in key of a plan or a trigger. Throws a RangeError. */
function builtInName(plan: string): string {
  const key = `psk_${plan}`
  if (builtInKey(key)) return key
  const names = Object.keys(BUILT_IN_KEYS).map((name) => name.slice('psk_'.length))
  throw new RangeError(
    `"${plan}" is not a plan; use ${PLAN_NAMES.join(', ')}, or a trigger: ${names.filter((name) => !(PLAN_NAMES as readonly string[]).includes(name)).join(', ')}`,
  )
}

/** A key without the suffix that names its namespace, for a path. */
const bare = (key: string): string => encodeURIComponent(key.split('.')[0] ?? key)
