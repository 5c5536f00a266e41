import { expect } from 'vitest'
import { ControlError, type RequestMatch, type Times, type World } from './client/world.ts'
import { judgeBackoff } from './domain/backoff.ts'
import type { JournalEntry } from './domain/exchange.ts'

interface SandboxMatchers<R = unknown> {
  /** The world has received such requests, so many times (at least once, unless given). */
  toHaveReceived: (match: RequestMatch, times?: Times) => Promise<R>
  /** Whoever was told to wait (429, or 503 with Retry-After) waited, and with pauses that did not shrink. */
  toHaveBackedOff: () => Promise<R>
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: vitest declares its own interface with this very parameter
  interface Matchers<T = any> extends SandboxMatchers<T> {}
}

interface Verdict {
  readonly pass: boolean
  readonly message: () => string
}

expect.extend({
  async toHaveReceived(world: World, match: RequestMatch, times: Times = { atLeast: 1 }): Promise<Verdict> {
    try {
      const { matched } = await world.verify(match, times)
      const message = () =>
        `expected ${world.name} not to have received ${countOf(times)} of ${say(match)}, but there were ${matched}`
      return { pass: true, message }
    } catch (error) {
      if (!(error instanceof ControlError) || error.status !== 409) throw error
      const { nearest = [] } = error.body as { nearest?: readonly JournalEntry[] }
      const lines = nearest.map(
        (entry) => `  ${entry.id} ${entry.method} ${entry.path} ${entry.status} ${entry.request.body}`,
      )
      const near = lines.length > 0 ? `\nnearest requests:\n${lines.join('\n')}` : '\nthere were no requests'
      return { pass: false, message: () => `${error.message}${near}` }
    }
  },

  async toHaveBackedOff(world: World): Promise<Verdict> {
    const keys = await world.keys.list()
    const journals = await Promise.all(keys.map(({ key }) => world.requests({ key })))
    const judged = journals.map(judgeBackoff)
    const faults = judged.flatMap((backoff) => backoff.faults)
    const refusals = judged.reduce((sum, backoff) => sum + backoff.refusals, 0)
    if (refusals === 0) {
      return {
        pass: false,
        message: () => `nobody in ${world.name} was told to wait, so nobody could back off`,
      }
    }
    return {
      pass: faults.length === 0,
      message: () =>
        faults.length > 0
          ? `the client of ${world.name} did not back off:\n${faults.map((fault) => `  ${fault}`).join('\n')}`
          : `expected the client of ${world.name} not to back off, but it waited each of ${refusals} times`,
    }
  },
})

const say = (match: RequestMatch): string => JSON.stringify(match)

const countOf = (times: Times): string =>
  Object.entries(times)
    .map(([bound, count]) => `${bound} ${count}`)
    .join(', ')
