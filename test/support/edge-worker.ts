import type { WorldStub } from '../../src/edge/runtime.ts'
import worker, { World } from '../../src/worker.ts'

/** A world that a test can end at any instant, or remove from memory. */
export class TestWorld extends World {
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

interface TestEnv {
  readonly WORLD: {
    getByName(
      name: string,
    ): WorldStub & Pick<TestWorld, 'damage' | 'evict' | 'empty' | 'expire' | 'stored' | 'tables'>
  }
}

/** The Worker, and six calls for tests. */
export default {
  async fetch(request: Request, env: TestEnv): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, what, of = ''] = /^\/__(stored|tables)\/(.*)$/.exec(pathname) ?? []
    if (what) return Response.json(await env.WORLD.getByName(of)[what as 'stored' | 'tables']())
    const [, act, name = ''] = /^\/__(damage|evict|empty|expire)\/(.*)$/.exec(pathname) ?? []
    if (!act) return worker.fetch(request, env)
    const ended = env.WORLD.getByName(name)[act as 'damage' | 'evict' | 'empty' | 'expire']()
    // The call ends without an answer.
    await ended.catch(() => {})
    return new Response()
  },
}
