import manifest from '../../package.json' with { type: 'json' }
import { FixtureError } from '../fixtures/fixture-error.ts'
import { readJson } from '../fixtures/json.ts'
import { readFixture } from '../fixtures/parse.ts'
import { Slices, type Turns } from '../time/slices.ts'
import { setTimeout, timer } from '../web/timers.ts'
import { ApiError } from '../world/api-error.ts'
import type { Platform } from './platform.ts'

function realTurns(): Turns {
  // The real clock, even if a test fakes it later. Only read here: at its first use, Node 20 loads all of perf_hooks.
  const { performance } = globalThis
  return { later: (act) => void setTimeout(act), clock: () => performance.now() }
}

/** The built-in fixtures as texts, each loaded when it is first needed. */
const FIXTURES: Readonly<Record<string, () => Promise<{ readonly default: string }>>> = {
  default: () => import('../contract/generated/fixture-default.js'),
  empty: () => import('../contract/generated/fixture-empty.js'),
  'sold-out': () => import('../contract/generated/fixture-sold-out.js'),
  busy: () => import('../contract/generated/fixture-busy.js'),
  'edge-cases': () => import('../contract/generated/fixture-edge-cases.js'),
}

const notHere = (what: string) => (): never => {
  throw new ApiError(
    'not_implemented',
    `${what}, which the core does not have: use createSandbox, or npx petstore-sandbox.`,
  )
}

/**
 * The platform for any runtime with web standards: a page, a worker, a Durable Object. Durable Objects of one runtime
 * share no timers, so that each core has a queue of its own.
 */
export const webPlatform = (slices: Slices = new Slices(realTurns())): Platform => ({
  slices,
  timer,
  turn: () => new Promise((resolve) => void setTimeout(resolve)),
  onFailure: (error) => console.error('petstore-sandbox failed to answer a request:', error),
  fixtureNames: Object.keys(FIXTURES),
  async loadFixture(name, shape) {
    const text = Object.hasOwn(FIXTURES, name) ? (await FIXTURES[name]?.())?.default : undefined
    const read = text && (await readFixture(text, (json) => readJson(json), name, shape))
    if (read) return read.fixture
    throw new FixtureError([
      { path: [], reason: `"${name}" is not a fixture; use ${Object.keys(FIXTURES).join(', ')}` },
    ])
  },
  page: async () => undefined,
  loopDelay: () => undefined,
  summary: async () => manifest.description,
  async generate(shape, options) {
    const { generatePets } = await import('../contract/generate/generate-pets.ts')
    return generatePets(shape, options, () => slices.turn())
  },
  mocks: () => ({
    mock: notHere('An answer made from the contract needs Prism'),
    check: notHere('Validation by the contract alone needs Prism'),
    load: () => undefined,
  }),
  mcp: async () => notHere('Tools for agents need a sandbox'),
})
