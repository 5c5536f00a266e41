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

  async empty(): Promise<void> {
    await this.ctx.storage.deleteAll()
    this.ctx.abort('emptied by a test')
  }
}

interface TestEnv {
  readonly WORLD: { getByName(name: string): WorldStub & Pick<TestWorld, 'evict' | 'empty' | 'expire'> }
}

/** The Worker, and three calls for tests. */
export default {
  async fetch(request: Request, env: TestEnv): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, act, name = ''] = /^\/__(evict|empty|expire)\/(.*)$/.exec(pathname) ?? []
    if (!act) return worker.fetch(request, env)
    const ended = env.WORLD.getByName(name)[act as 'evict' | 'empty' | 'expire']()
    // The call ends without an answer.
    await ended.catch(() => {})
    return new Response()
  },
}
