import type { WorldStub } from '../../src/edge/runtime.ts'
import worker, { World } from '../../src/worker.ts'

/** A world that a test may end at any instant, or empty. */
export class TestWorld extends World {
  /** What is in memory is gone. */
  async evict(): Promise<void> {
    this.ctx.abort('evicted by a test')
  }

  /** As after a week in which nobody used it: objects cannot call each other's `alarm`. */
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

/** The Worker as it is, and three calls of the tests beside it. */
export default {
  async fetch(request: Request, env: TestEnv): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, act, name = ''] = /^\/__(evict|empty|expire)\/(.*)$/.exec(pathname) ?? []
    if (!act) return worker.fetch(request, env)
    const ended = env.WORLD.getByName(name)[act as 'evict' | 'empty' | 'expire']()
    // It ends without an answer.
    await ended.catch(() => {})
    return new Response()
  },
}
