import type {
  BanRequest,
  ClockTurn,
  ClockView,
  FaultInput,
  FaultRule,
  Fixture,
  HoldView,
  JournalEntry,
  KeyView,
  LimitsRequest,
  LimitsView,
  NewKey,
  operations,
  PointView,
  Report,
  RequestMatch,
  ResetPart,
  Rewound,
  Seed,
  Seeded,
  Side,
  SnapshotView,
  Times,
  Verified,
} from '../contract/generated/control.types.d.ts'
import { stringifyJson } from '../contract/openapi/json.ts'
import { InvalidValue } from '../text/advised-error.ts'
import { shorten } from '../text/shorten.ts'
import { orElse } from '../time/eventually.ts'
import { isDate } from '../time/instant.ts'
import { readNamespace } from '../world/keys/bearer-token.ts'
import { builtInKey, TRIGGER_KEYS } from '../world/keys/built-in-keys.ts'
import { PLAN_NAMES } from '../world/plan.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { ControlCall, ControlClient, ControlResponse } from './control.ts'
import { ControlError } from './control-error.ts'

/** Selects entries of the journal. */
export type RequestFilter = Omit<NonNullable<operations['listRequests']['parameters']['query']>, 'namespace'>

/** The time to wait, in real time: `5s`, at most `60s`. */
export interface Waiting {
  readonly within?: string
}

/** A world at an earlier point of its history, for reading only. */
export interface PastWorld extends Pick<WorldHandle, 'export' | 'limits' | 'report'> {
  readonly keys: Pick<WorldHandle['keys'], 'list'>
  readonly clock: Pick<WorldHandle['clock'], 'now'>
  readonly faults: Pick<WorldHandle['faults'], 'list'>
}

/** One isolated world of a sandbox, as tests use it. A call that the sandbox refuses rejects with a ControlError. */
export interface WorldHandle {
  readonly name: string
  /** The built-in key of a plan (by default `pro`), or of a trigger such as `limited`, that addresses this world. */
  key(plan?: string): string
  /** Replaces or adds pets. `fixture`: a built-in one or, except in a core, a file, relative to the working directory. */
  seed(seed: Seed): Promise<Seeded>
  /** Resets the named parts to the start fixture; without names, all parts except the keys. */
  reset(...parts: ResetPart[]): Promise<void>
  /** The pets, the next id and the keys, as a fixture. */
  export(): Promise<Fixture>
  /** Names the test to which the following requests belong, in the journal and in the report of `exec`. Null ends it. */
  label(test: string | null): Promise<void>
  /** The journal, newest last. */
  requests(filter?: RequestFilter): Promise<JournalEntry[]>
  /** Rejects, with the nearest requests, unless the count is as expected (by default at least 1), or becomes so in time. */
  verify(match: RequestMatch, times?: Times, waiting?: Waiting): Promise<Verified>
  /**
   * Resolves to the next matching request after it was answered: the first call to the first one in the journal, later
   * calls to the first one after the previous result. Rejects if there is none within 5 s, or the given time.
   */
  waitFor(match: RequestMatch, waiting?: Waiting): Promise<JournalEntry>
  /** The report of the client since the last reset of the part `requests`: findings and coverage. */
  report(): Promise<Report>
  /** The requests and control calls to which the world can be rewound, oldest first. `*`: also those of every branch. */
  history(branch?: string): Promise<PointView[]>
  /** A recording from the beginning of the journal: the content of a file for `replay`. */
  recording(): Promise<string>
  /** The state after (the default) or before a request or a control call. */
  at(point: string, side?: Side): PastWorld
  /** Rewinds the complete state to before (the default) or after a request or a control call. */
  rewind(point: string, side?: Side): Promise<Rewound>
  /** Swaps the current state with what the last rewind undid, or with the named branch. */
  rewind(undo: { readonly undo: true; readonly branch?: string }): Promise<Rewound>
  /** Copies the current state, or the state after a point, to another namespace, which must be unchanged. */
  fork(name: string, at?: string): Promise<WorldHandle>
  /** Both windows and the ban of a key, by default of `psk_pro`. Uses no quota. */
  limits(key?: string): Promise<LimitsView>
  /** The clock of this world. It moves no other one. */
  readonly clock: {
    now(): Promise<ClockView>
    /** `duration`: `500ms`, `61s`, `5m`, `2h`, `1d`, or ISO 8601 (`PT5M`). */
    advance(duration: string): Promise<ClockView>
    /** `instant`: `2030-12-05T00:00:00Z` or a date. An earlier time resets the windows and bans of all keys. */
    set(instant: string | Date): Promise<ClockView>
    /** Stops the clock; `advance` and `set` still move it. */
    freeze(): Promise<ClockView>
    /** Lets a frozen clock continue from its current time. */
    resume(): Promise<ClockView>
    /** Returns to real time; the clock runs again. */
    reset(): Promise<ClockView>
  }
  /** Fault rules, in order: the first that matches a request acts. */
  readonly faults: {
    /** A rule of `list` is refused: leave out its id, its end and its count. */
    add(rule: FaultInput & { readonly id?: never }): Promise<FaultRule>
    list(): Promise<FaultRule[]>
    remove(id: string): Promise<void>
    clear(): Promise<void>
  }
  /** Requests that a fault rule holds. */
  readonly holds: {
    list(): Promise<HoldView[]>
    /** Releases a held request. */
    release(id: string): Promise<HoldView>
  }
  /** The keys that this world knows, with the built-in ones. `create` issues another one. */
  readonly keys: {
    create(key: NewKey): Promise<KeyView>
    list(): Promise<KeyView[]>
    revoke(key: string): Promise<void>
    /** Sets how many requests a key has left: in this minute exactly, today at least. */
    setLimits(key: string, limits: LimitsRequest): Promise<LimitsView>
    /** Restores the full quota of a key. A ban stays. */
    refill(key: string): Promise<LimitsView>
    /** Bans a key from now on, by default for as long as the decision `ban.seconds` says. */
    ban(key: string, ban?: BanRequest): Promise<LimitsView>
    /** Lifts the ban of a key. Its quota stays as it is. */
    liftBan(key: string): Promise<LimitsView>
  }
  /** Pets, the next id and keys under a name; at most 100 in a namespace. `save` replaces one of the same name. */
  readonly snapshots: {
    save(name: string): Promise<SnapshotView>
    restore(name: string): Promise<SnapshotView>
    list(): Promise<SnapshotView[]>
    delete(name: string): Promise<void>
  }
}

/** Replaces the file of a seed by its pets, since the control API accepts no file. */
export type CompleteSeed = (seed: Seed, client: ControlClient) => Promise<Seed>

/** A namespace over the control API. Throws a RangeError for an invalid name. */
export function createWorld(
  client: ControlClient,
  complete: CompleteSeed = async (seed) => seed,
): WorldHandle {
  const { namespace, call } = client
  // `*` reads reports and requests of all namespaces.
  if (namespace !== '*') readNamespace(namespace)
  const suffix = namespace === DEFAULT_NAMESPACE ? '' : `.${namespace}`
  const turnClock = (body: ClockTurn) => resultOf(call('POST', '/clock', { body }))
  return withNames({
    name: namespace,
    key(plan = 'pro') {
      if (namespace !== '*') return `${builtInName(plan)}${suffix}`
      throw new InvalidValue('"*" has no keys', 'name one namespace')
    },
    seed: async (seed) => resultOf(call('POST', '/seed', { body: await complete(seed, client) })),
    reset: (...only) => done(call('POST', '/reset', { body: only.length > 0 ? { only } : {} })),
    export: () => resultOf(call('GET', '/export')),
    label: (label) => done(call('PUT', '/label', { body: { label } })),
    requests: async (filter = {}) => {
      refuseBare('filter', filter, "{ operationId: 'createPet' }")
      return listOf(call('GET', '/requests', { query: filter }))
    },
    verify: async (match, times = { atLeast: 1 }, waiting = {}) => {
      refuseBare('waiting', waiting, "{ within: '5s' }")
      return resultOf(call('POST', '/requests/verify', { body: { match, times, ...waiting } }))
    },
    waitFor: nextRequest(call),
    history: (branch) => listOf(call('GET', '/history', { query: { branch } })),
    recording: () => client.document('/recording'),
    at(point, side) {
      // Without a point, a call shows the present.
      if (typeof point !== 'string')
        throw new InvalidValue(`"${point}" is not a point`, 'use the id of a request or of a control call')
      const past = createWorld(client.at({ at: point, side }))
      // Only functions that read: others would change the present.
      return {
        export: past.export,
        limits: past.limits,
        report: past.report,
        keys: { list: past.keys.list },
        clock: { now: past.clock.now },
        faults: { list: past.faults.list },
      }
    },
    rewind: (to, side?: Side) =>
      resultOf(call('POST', '/rewind', { body: typeof to === 'string' ? { to, side } : to })),
    fork: async (into, at) => {
      await call('POST', '/fork', { body: { into, at } })
      return createWorld(client.in(into), complete)
    },
    report: () => resultOf(call('GET', '/report')),
    limits: (key = 'psk_pro') => resultOf(call('GET', '/keys/{key}/limits', { path: { key } })),
    clock: {
      now: () => resultOf(call('GET', '/clock')),
      advance: (duration) => turnClock({ advance: duration }),
      set: async (instant) => turnClock({ set: `${(isDate(instant) && instant.toJSON()) || instant}` }),
      freeze: () => turnClock({ frozen: true }),
      resume: () => turnClock({ frozen: false }),
      reset: () => resultOf(call('DELETE', '/clock')),
    },
    faults: {
      add: (body) => resultOf(call('POST', '/faults', { body })),
      list: () => listOf(call('GET', '/faults')),
      remove: (id) => done(call('DELETE', '/faults/{id}', { path: { id } })),
      clear: () => done(call('DELETE', '/faults')),
    },
    holds: {
      list: () => listOf(call('GET', '/holds')),
      release: (id) => resultOf(call('POST', '/holds/{id}/release', { path: { id } })),
    },
    keys: {
      create: (body) => resultOf(call('POST', '/keys', { body })),
      list: () => listOf(call('GET', '/keys')),
      revoke: (key) => done(call('DELETE', '/keys/{key}', { path: { key } })),
      setLimits: (key, body) => resultOf(call('PUT', '/keys/{key}/limits', { path: { key }, body })),
      refill: (key) => resultOf(call('DELETE', '/keys/{key}/limits', { path: { key } })),
      ban: (key, body) => resultOf(call('PUT', '/keys/{key}/ban', { path: { key }, body })),
      liftBan: (key) => resultOf(call('DELETE', '/keys/{key}/ban', { path: { key } })),
    },
    snapshots: {
      save: (name) => resultOf(call('PUT', '/snapshots/{name}', { path: { name } })),
      restore: (name) => resultOf(call('POST', '/snapshots/{name}/restore', { path: { name } })),
      list: () => listOf(call('GET', '/snapshots')),
      delete: (name) => done(call('DELETE', '/snapshots/{name}', { path: { name } })),
    },
  })
}

/** Adds the name and the arguments of the called function to the message of an error about an argument. */
function withNames<Members extends object>(members: Members, path = ''): Members {
  const entries = Object.entries(members).map(([name, member]): [string, unknown] => {
    if (typeof member === 'object') return [name, withNames(member, `${path}${name}.`)]
    if (typeof member !== 'function') return [name, member]
    const call = (...given: unknown[]) =>
      orElse(
        () => member(...given),
        (error) => {
          if (error instanceof InvalidValue || (error instanceof ControlError && error.status === 400)) {
            const sent = given.map((each) => shorten(stringifyJson(each ?? null), 60)).join(', ')
            const { message, stack } = error // the text of a stack is made when it is first read
            error.message = `${path}${name}(${sent}): ${message}`
            error.stack = stack?.replace(message, () => error.message)
          }
          throw error
        },
      )
    return [name, call]
  })
  return Object.fromEntries(entries) as Members
}

const resultOf = async <V>(answer: Promise<ControlResponse<V>>): Promise<V> => (await answer).value
const listOf = async <V>(answer: Promise<ControlResponse<readonly V[]>>) => [...(await resultOf(answer))]
const done = async (answer: Promise<unknown>): Promise<void> => void (await answer)

/** Each wait continues after the last result, so that no request is missed between two waits. */
function nextRequest(call: ControlCall): WorldHandle['waitFor'] {
  let last: JournalEntry | undefined
  return async (match, waiting = {}) => {
    refuseBare('waiting', waiting, "{ within: '5s' }")
    const since = last && { after: last.id, received: last.receivedAt }
    last = await resultOf(call('POST', '/requests/wait', { body: { match, ...waiting, ...since } }))
    return last
  }
}

/** Refuses a value that is not an object, such as '5s': spread into a body, it would add its letters, or nothing. */
function refuseBare(name: string, value: unknown, use: string): void {
  if (typeof value !== 'object' || Array.isArray(value))
    throw new InvalidValue(`${name}: "${String(value)}" is not an object`, `use one such as ${use}`)
}

/** The built-in key of a plan or a trigger. Throws a RangeError. */
function builtInName(plan: string): string {
  const key = `psk_${plan}`
  if (builtInKey(key)) return key
  const triggers = TRIGGER_KEYS.map((name) => name.slice('psk_'.length)).join(', ')
  throw new InvalidValue(`"${plan}" is not a plan`, `use ${PLAN_NAMES.join(', ')}, or a trigger: ${triggers}`)
}
