import { describe, expect, it } from 'vitest'
import { recordedState, worldStateOf } from '../../src/past/world-state.ts'
import { charge } from '../../src/world/limits/meter.ts'
import { marksOf } from '../../src/world/rewind.ts'
import { AS_IT_IS, type Rewriter, Secrets } from '../../src/world/traffic/secrets.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { exchange } from '../support/exchange.ts'
import { policyWith } from '../world/policy.ts'

const REAL = Date.parse('2026-11-19T12:34:56Z')
const KEY = 'psk_pro_secret0123456'

/** A world in which everything has happened that a state has a place for. */
function usedWorld() {
  const start = { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false }
  const world = new Worlds(start, new Map(), REAL).default
  const policy = policyWith()
  for (const key of [KEY, 'psk_limited']) {
    world.setMeter(key, charge(world.meter(key), policy.plans.free, REAL, policy).meter)
  }
  world.failsNow('psk_flaky', 3)
  world.faults.add({ effect: { status: 503 }, match: { key: KEY } }, REAL)
  world.duplicates.note('req_000001', REAL, KEY, 'body', undefined)
  world.chance()
  world.label = 'a test'
  const headers = ['Authorization', `Bearer ${KEY}`]
  const own = exchange({
    key: KEY,
    path: `/v1/${KEY}`,
    request: { headers, body: KEY },
    reason: { code: 'route_not_found', message: `There is no /v1/${KEY} here.` },
  })
  world.record(own, world.positionAt(REAL))
  return world
}

function written(rewriter: Rewriter) {
  const world = usedWorld()
  const { collections, keys, ...state } = world.capture()
  const text = JSON.stringify(recordedState(state, marksOf(world), rewriter))
  const read = worldStateOf(JSON.parse(text), collections, keys, new Secrets())
  return { world, state, text, read }
}

describe('a state as JSON', () => {
  it('comes back as it was: what JSON has no number for, and what it leaves out', () => {
    const { state, read } = written(AS_IT_IS)
    expect([...read.meters]).toStrictEqual([...state.meters])
    expect(
      [...read.meters.values()].some(({ day }) => day.used === Infinity || day.opened === -Infinity),
    ).toBe(true)
    expect(read).toMatchObject({
      clock: state.clock,
      faults: state.faults,
      holds: state.holds,
      chance: state.chance,
      requests: state.requests,
      label: 'a test',
    })
    expect(read.tally.state).toEqual(state.tally.state)
    expect([...read.duplicates.keys()]).toEqual([...state.duplicates.keys()])
  })

  it('has no key where those are replaced, and the same one everywhere', () => {
    const { pseudonyms } = new Secrets()
    const { text, read } = written(pseudonyms)
    const pseudonym = pseudonyms.key(KEY)
    expect(text).not.toContain(KEY)
    expect(read.meters.has(pseudonym)).toBe(true)
    expect(read.journal[0]).toMatchObject({
      key: pseudonym,
      path: `/v1/${pseudonym}`,
      request: { headers: ['Authorization', `Bearer ${pseudonym}`], body: pseudonym },
    })
    expect(read.faults.rules[0]?.match?.key).toBe(pseudonym)
    expect([...read.duplicates.keys()][0]).toContain(pseudonym)
  })
})
