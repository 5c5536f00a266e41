import { DurableObject } from 'cloudflare:workers'
import { isAdmitted } from '../api/identify.ts'
import { browserRules } from '../control/browser-rules.ts'
import { changedAlready, isFresh } from '../control/history.ts'
import { noSuch, refusalReply } from '../control/reply.ts'
import { RecordingError } from '../past/recording.ts'
import { DAY, HOUR } from '../time/instant.ts'
import { bodies } from '../web/bodies.ts'
import { brokenOff, orAborted, readBody, receivedHead, responseOf } from '../web/fetch.ts'
import { ApiError } from '../world/api-error.ts'
import type { StoredKey } from '../world/store.ts'
import { CONTROL_PATH, isControlTarget } from '../world/traffic/address.ts'
import { fieldsWhere, type Request as PlainRequest, type Reply } from '../world/traffic/message.ts'
import { mountedRequest } from '../world/traffic/peer.ts'
import { DEFAULT_NAMESPACE, NEW_NAMESPACE } from '../world/worlds.ts'
import { combined } from './combined.ts'
import { type CommandLog, clearCommandLog, openCommandLog } from './command-log.ts'
import { type DurableCore, type Host, MAX_STATE, openDurable } from './durable-core.ts'
import { platformOf } from './platform.ts'
import { DEFAULT_EXPIRY, isPublic, keyOf, MAX_BODY, publicRefusal, TOO_LARGE } from './public.ts'
import { droppedBy, isFork, isResend, namespaceIn, notHere, refusalOf } from './route.ts'
import type { Env, Sql, WorldAnswer, WorldStub } from './runtime.ts'
import { settingsOf, type WorldOptions } from './settings.ts'

/** A key that `default` lost is refused after at most this time, in milliseconds; a new one is known at once. */
const MAX_KEY_AGE = 5000

/** No alarm can be set for an instant after the year 2262. */
const MAX_LIFE = 36_500 * DAY

/** Two of the longest bodies: an isolate of Cloudflare has 128 MB, and each takes twice its length while it is read. */
bodies.limit = 32 * 1024 * 1024

const LISTED = 'SELECT name FROM world ORDER BY rowid'

/** A namespace as a Durable Object with its name. The object of `default` also has the list of all names. */
export class WorldObject extends DurableObject<Env> implements WorldStub {
  readonly #name = this.ctx.id.name ?? DEFAULT_NAMESPACE
  #opened: Promise<Opened> | undefined
  /** When the keys of `default` were read. */
  #keysAt = 0
  #isListed = false
  readonly #isPublic = isPublic(this.env)
  /** When it expires, in milliseconds since the epoch; undefined unless `makeWorld` created it. */
  #expires: number | undefined
  /** The namespaces of the forks in progress. */
  readonly #copies: (string | undefined)[] = []

  /** Answers a request as a sandbox in Node would. */
  async fetch(request: Request): Promise<Response> {
    const mount = { control: false, trustForwarded: false }
    const head = mountedRequest(receivedHead(request, addressOf(request)), mount)
    // In workerd an empty body is not null.
    const sent = request.headers.get('content-length') === '0' ? null : request.body
    const isDrop = droppedBy(head) === this.#name
    const { internals, bodyLimit, onOrigin } = await this.#open(isDrop)
    onOrigin(new URL(request.url).origin)
    const isKnown = !isControlTarget(head.target) && isAdmitted(head.headers, internals.worlds, Date.now())
    await this.#refreshKeys(isKnown)
    const limit = bodyLimit(head)
    const most = limit !== undefined && this.#isPublic ? Math.min(limit, MAX_BODY) : limit
    const body = sent ? await readBody(sent, most) : {}
    // The world may have been dropped meanwhile, or replaced by a fork: the next core has no keys of `default` yet.
    await this.#open(isDrop)
    await this.#refreshKeys(this.#keysAt > 0)
    const opened = await this.#open(isDrop)
    const answered = this.#answer(opened, { ...head, ...body })
    // Later requests wait for the core that answers them: the next one, or this one if the drop is refused.
    if (isDrop)
      this.#opened = answered.then(
        ({ status }) => (status === 204 ? this.#drop(opened) : opened),
        () => opened,
      )
    const reply = await orAborted(answered, request.signal)
    if (isDrop) await this.#open()
    else if (opened.internals.worlds.find(this.#name) || this.#isPublic)
      await Promise.all([this.#list(), this.#extendLife(opened)])
    const isBroken = reply.wire && reply.wire !== 'hang'
    if (isBroken && reply.body) return brokenOff(reply)
    // Without a body, as to HEAD, nothing can break off.
    const answer = isBroken
      ? { ...reply, status: 503, headers: [...reply.headers, 'Retry-After', '1'], wire: undefined }
      : reply
    return responseOf(answer, request.signal, opened.shutdown)
  }

  async keys(): Promise<readonly StoredKey[]> {
    const { internals } = await this.#open()
    return internals.worlds.default.keys.stored
  }

  async list(name: string, isThere: boolean): Promise<void> {
    this.#sql(isThere ? 'INSERT OR IGNORE INTO world VALUES (?)' : 'DELETE FROM world WHERE name = ?', name)
  }

  async ask(target: string, accept?: string): Promise<WorldAnswer> {
    try {
      await this.#refreshKeys(false)
      const { internals } = await this.#open()
      if (internals.worlds.find(this.#name)) return await this.#askOwn(target, accept)
      throw noSuch('namespace', this.#name)
    } catch (error) {
      const refusal = error instanceof UnreadableState ? new ApiError('internal_error', error.message) : error
      if (!(refusal instanceof ApiError)) throw error
      return { status: refusal.status, body: String(refusalReply(refusal).body), dropped: 0 }
    }
  }

  async #askOwn(target: string, accept = '*/*'): Promise<WorldAnswer> {
    const { core, settings } = await this.#open()
    const headers = { accept, authorization: `Bearer ${settings.controlToken}` }
    const response = await core.fetch(target, { headers })
    const dropped = Number(response.headers.get('x-sandbox-dropped'))
    return { status: response.status, body: await response.text(), dropped }
  }

  async adopt(state: string): Promise<boolean> {
    const { core, internals, writer } = await this.#open()
    if (!this.#opened || !isFresh(this.#name, internals)) return false // another fork replaces this core
    writer.close()
    const log = openCommandLog(this.ctx.storage.sql)
    log.checkpoint(log.end(), 0, state, true)
    this.#opened = undefined
    await core.close()
    const opened = await this.#open()
    await Promise.all([this.#list(), this.#extendLife(opened)])
    return true
  }

  async make(): Promise<number> {
    const expire = lifeOf((await this.#open()).settings) ?? 0
    this.#expires = Date.now() + expire
    await this.ctx.storage.setAlarm(this.#expires)
    return this.#expires
  }

  /** Called when the world was not used for long. The options may have changed since it was set. */
  async alarm(): Promise<void> {
    const opened = await this.#open(true)
    const { expire } = opened.settings
    this.#expires = undefined
    if (expire === undefined) return
    if (opened.internals.worlds.find(this.#name)?.past.isBusy) await this.make()
    else this.#opened = this.#drop(opened)
    await this.#opened
  }

  /** Extends the life of a world in use: once an hour, or in a tenth of its life if that is shorter. */
  async #extendLife({ settings }: DurableCore): Promise<void> {
    const expire = lifeOf(settings)
    if (expire === undefined || this.#name === DEFAULT_NAMESPACE) return
    // In a public sandbox, only `makeWorld` creates worlds.
    const expires = this.#expires ?? (this.#isPublic ? Infinity : 0)
    if (expires < Date.now() + expire - Math.min(HOUR, expire / 10)) await this.make()
  }

  /** `toDrop`: also if the stored state cannot be read. */
  async #open(toDrop = false): Promise<Opened> {
    this.#opened ??= this.#openCore().catch((error) => {
      this.#opened = undefined
      throw error
    })
    const opened = await this.#opened
    if (opened.unreadable && !toDrop) throw opened.unreadable
    return opened
  }

  async #openCore(): Promise<Opened> {
    this.#keysAt = 0
    this.#expires = (await this.ctx.storage.getAlarm()) ?? undefined
    const host: Host = {
      ...platformOf(this.ctx.storage.sql, this.env.ASSETS),
      warn: console.warn,
      spans: {
        variables: { ...this.env },
        // In a public sandbox, names are secrets.
        hidesNamespaces: this.#isPublic,
        waitUntil: (sending) => this.ctx.waitUntil(sending),
      },
    }
    const openWith = (log: CommandLog): Promise<Opened> => openDurable(this.#settings(), host, log)
    const opened = await openWith(openCommandLog(this.ctx.storage.sql)).catch(async (error) => {
      if (!(error instanceof RecordingError)) throw error
      const empty = await openWith(openCommandLog(NOTHING_STORED))
      empty.internals.worlds.get(this.#name, Date.now())
      return { ...empty, unreadable: new UnreadableState(this.#name, error.problem) }
    })
    opened.internals.worlds.onNew = (name) => {
      if (name !== this.#name && !this.#copies.includes(name))
        throw notHere(`does not make the namespace ${name}`)
    }
    return opened
  }

  #settings(): WorldOptions {
    const settings = { maxState: MAX_STATE, ...settingsOf(this.env) }
    if (!this.#isPublic) return settings
    const { controlToken = crypto.randomUUID() } = settings
    const own = this.#name === DEFAULT_NAMESPACE ? controlToken : keyOf(this.#name)
    return { expire: DEFAULT_EXPIRY, ...settings, controlToken: own }
  }

  async #answer(opened: DurableCore, request: PlainRequest): Promise<Reply> {
    const { settings, internals } = opened
    const refusal =
      (this.#isPublic && publicRefusal(this.#name, this.#expires !== undefined, request)) ||
      refusalOf(request)
    const decorated = (reply: Reply) => browserRules(settings.controlOrigins).decorate(request, reply)
    const refused = (error: ApiError) =>
      isControlTarget(request.target) ? decorated(refusalReply(error)) : opened.refuse(error, request)
    if (refusal) return refused(refusal)
    if (isFork(request)) return this.#fork(opened, request, refused)
    if (isResend(request) && (namespaceIn(request.body) ?? this.#name) !== this.#name)
      return refused(notHere('does not send a request again in another namespace'))
    const own = await internals.handle(request)
    if (this.#isPublic && own.status === 413 && isControlTarget(request.target)) return refused(TOO_LARGE)
    // In a public sandbox, worlds exist before their first request, and nobody sees those of others.
    if (this.#isPublic) return { ...own, headers: fieldsWhere(own.headers, (it) => it !== NEW_NAMESPACE[0]) }
    const act = own.status !== 200 && own.status !== 404 ? undefined : combined(request)
    if (!act) return own
    return act({
      own: this.#name,
      isNew: !internals.worlds.find(this.#name),
      names: () => [DEFAULT_NAMESPACE, ...this.#sql(LISTED).map(({ name }) => name)],
      askOwn: (target) => this.#askOwn(target),
      ask: (name, ...call) => (name === this.#name ? this : this.env.WORLD.getByName(name)).ask(...call),
    })
      .catch((error) => {
        if (error instanceof ApiError) return refusalReply(error)
        throw error
      })
      .then((reply) => decorated(request.method === 'HEAD' ? { ...reply, body: undefined } : reply))
  }

  /** Makes the copy here, and sends it to the object of its name. */
  async #fork(opened: DurableCore, request: PlainRequest, refused: (error: ApiError) => Reply) {
    const { worlds, handle } = opened.internals
    const into = namespaceIn(request.body)
    if (into === DEFAULT_NAMESPACE && this.#name !== into)
      return refused(notHere('is not copied into the namespace default'))
    this.#copies.push(into)
    const reply = await handle(request)
    this.#copies.splice(this.#copies.indexOf(into), 1)
    const copy = into === undefined || reply.status !== 201 ? undefined : worlds.find(into)
    if (!copy) return reply
    const state = await opened.writer.stateOf(copy)
    worlds.drop(copy)
    const isAdopted = await this.env.WORLD.getByName(copy.name).adopt(state)
    return isAdopted ? reply : refused(changedAlready(copy.name))
  }

  #sql(statement: string, ...values: string[]): { readonly name: string }[] {
    const { sql } = this.ctx.storage
    sql.exec('CREATE TABLE IF NOT EXISTS world (name TEXT PRIMARY KEY)')
    return sql.exec<{ name: string }>(statement, ...values).toArray()
  }

  async #refreshKeys(isKnown: boolean): Promise<void> {
    const now = Date.now()
    if (this.#name === DEFAULT_NAMESPACE || (isKnown && now - this.#keysAt < MAX_KEY_AGE)) return
    const keys = await this.env.WORLD.getByName(DEFAULT_NAMESPACE).keys()
    this.#keysAt = now
    const { internals, writer } = await this.#open(true)
    if (JSON.stringify(keys) !== JSON.stringify(internals.worlds.default.keys.stored))
      writer.replaceKeys(keys)
  }

  async #list(): Promise<void> {
    // In a public sandbox, names are secrets.
    if (this.#isListed || this.#isPublic || this.#name === DEFAULT_NAMESPACE) return
    await this.env.WORLD.getByName(DEFAULT_NAMESPACE).list(this.#name, true)
    this.#isListed = true
  }

  /** Deletes what is stored, and opens the next core. `default`, which the call has reset, stays open. */
  async #drop(opened: Opened): Promise<Opened> {
    const isDefault = this.#name === DEFAULT_NAMESPACE
    if (isDefault && !opened.unreadable) return opened
    opened.writer.close()
    return this.ctx.blockConcurrencyWhile(async () => {
      await opened.core.close()
      if (isDefault) clearCommandLog(this.ctx.storage.sql)
      else {
        await this.ctx.storage.deleteAlarm()
        await this.ctx.storage.deleteAll()
        this.#isListed = false
        await this.env.WORLD.getByName(DEFAULT_NAMESPACE).list(this.#name, false)
      }
      return this.#openCore()
    })
  }
}

/** Ignores all statements, so that nothing is stored. */
const NOTHING_STORED: Sql = { exec: () => ({ toArray: () => [] }) }

/** A core. `unreadable`: it is empty and stores nothing, and only answers whether a drop is accepted. */
type Opened = DurableCore & { readonly unreadable?: UnreadableState }

/** The stored state of a namespace cannot be read. It stays as it is until the namespace is dropped or expires. */
class UnreadableState extends Error {
  override readonly name = 'UnreadableState'
  constructor(namespace: string, problem: string) {
    super(
      `The stored state of the namespace ${namespace} cannot be read: ${problem}. It stays as it is. Deploy the version of petstore-sandbox that stored it, or drop the namespace and everything in it with DELETE ${CONTROL_PATH}/namespaces/${namespace}.`,
    )
  }
}

/** The time after which a world without requests expires, in milliseconds; undefined for never. */
const lifeOf = ({ expire }: DurableCore['settings']): number | undefined =>
  expire === undefined ? undefined : Math.min(expire, MAX_LIFE)

/** The address of the client; undefined if the runtime does not know it. */
function addressOf({ cf }: Request & { readonly cf?: { readonly clientIp?: string } }): string | undefined {
  return cf?.clientIp?.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}
