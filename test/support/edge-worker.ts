import type { WorldStub } from '../../src/edge/runtime.ts'
import worker, { World } from '../../src/worker.ts'

/** Whether the storage of the next object that is made fails once. All objects share it. */
let failsToOpen = false

/** A world that a test can end at any instant, or remove from memory. */
export class TestWorld extends World {
  #failsToList = false

  /** Makes the storage fail once while the object opens, after it was removed from memory. */
  async failToOpen(): Promise<void> {
    failsToOpen = true
    return this.evict()
  }

  override async fetch(request: Request): Promise<Response> {
    const { storage } = this.ctx
    if (failsToOpen)
      storage.getAlarm = () => {
        Reflect.deleteProperty(storage, 'getAlarm')
        return Promise.reject(new Error('failed for a test'))
      }
    failsToOpen = false
    return super.fetch(request)
  }

  /** Makes the next call of `list` fail, as if this machine had ended. */
  async failToList(): Promise<void> {
    this.#failsToList = true
  }

  override list(name: string, isThere: boolean): Promise<void> {
    if (!this.#failsToList) return super.list(name, isThere)
    this.#failsToList = false
    return Promise.reject(new Error('failed for a test'))
  }

  /** Each fork comes twice at once: only one of them may be adopted. */
  override async adopt(state: string): Promise<boolean> {
    const [one, other] = await Promise.all([super.adopt(state), super.adopt(state)])
    if (one && other) throw new Error('two forks were adopted')
    return one
  }

  /** Removes the object from memory. */
  async evict(): Promise<void> {
    this.ctx.abort('evicted by a test')
  }

  /** Simulates a week without requests: a test cannot call `alarm` of an object. */
  expire(): Promise<void> {
    return this.alarm()
  }

  /** The number of stored tables. */
  async tables(): Promise<number> {
    return this.ctx.storage.sql
      .exec("SELECT 1 FROM sqlite_master WHERE name IN ('log', 'checkpoint')")
      .toArray().length
  }

  /** The number of stored characters of commands. */
  async stored(): Promise<number> {
    const rows = this.ctx.storage.sql.exec<{ length: number }>('SELECT length(lines) AS length FROM log')
    return rows.toArray().reduce((sum, { length }) => sum + length, 0)
  }

  /** Damages the stored state, which is read after the next eviction. */
  async damage(): Promise<void> {
    this.ctx.storage.sql.exec("UPDATE checkpoint SET text = '{}'")
  }

  async empty(): Promise<void> {
    await this.ctx.storage.deleteAll()
    this.ctx.abort('emptied by a test')
  }
}

type Act = 'damage' | 'evict' | 'empty' | 'expire' | 'failToList' | 'failToOpen'

interface TestEnv {
  readonly WORLD: {
    getByName(name: string): WorldStub & Pick<TestWorld, Act | 'stored' | 'tables'>
  }
}

/** The Worker, and eight calls for tests. */
export default {
  async fetch(request: Request, env: TestEnv): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, what, of = ''] = /^\/__(stored|tables)\/(.*)$/.exec(pathname) ?? []
    if (what) return Response.json(await env.WORLD.getByName(of)[what as 'stored' | 'tables']())
    const [, act, name = ''] =
      /^\/__(damage|evict|empty|expire|failToList|failToOpen)\/(.*)$/.exec(pathname) ?? []
    if (!act) return worker.fetch(request, env)
    const ended = env.WORLD.getByName(name)[act as Act]()
    // The call ends without an answer.
    await ended.catch(() => {})
    return new Response()
  },
}
