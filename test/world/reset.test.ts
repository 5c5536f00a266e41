import { describe, expect, it } from 'vitest'
import { charge } from '../../src/world/limits/meter.ts'
import { partsToReset, RESET_PARTS, resetUnstored } from '../../src/world/reset.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { exchange } from '../support/exchange.ts'
import { policyWith } from './policy.ts'

const REAL = Date.parse('2026-11-19T12:34:56Z')

describe('the parts of a reset', () => {
  it('are all but the keys, or the given ones, each once and in one order', () => {
    expect(partsToReset()).toEqual(RESET_PARTS.filter((part) => part !== 'keys'))
    expect(partsToReset([])).toEqual(partsToReset())
    expect(partsToReset(['keys', 'pets', 'keys'])).toEqual(['pets', 'keys'])
  })
})

it.each([
  ['limits', ['limits']],
  ['bans', ['bans']],
  // Moving the clock back opens every window and lifts every ban.
  ['clock', ['limits', 'bans', 'clock']],
  ['faults', ['faults']],
  ['requests', ['requests']],
] as const)('resetting %s resets %j and nothing else', (part, reset) => {
  const start = { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false }
  const world = new Worlds(start, new Map(), REAL).default
  const policy = policyWith()
  const observed = () => ({
    limits: world.meters.get('psk_free').minute.used > 0,
    bans: world.meters.get('psk_free').ban.until > REAL,
    clock: world.now(REAL) !== REAL,
    faults: world.faults.list().length > 0,
    requests: world.tally.view([], String).requests > 0,
  })
  const meter = world.meters.writable('psk_free')
  charge(meter, policy.plans.free, REAL, policy)
  meter.ban = { ...meter.ban, from: REAL, until: REAL + 9000, length: 9000 }
  // Moving the clock forward opens no window and lifts no ban.
  world.turnClock(REAL, (clock) => clock.set(REAL + 1, REAL))
  world.faults.add({ effect: { status: 503 } }, REAL)
  world.tally.count(exchange())
  const before = observed()
  expect(before).toEqual({ limits: true, bans: true, clock: true, faults: true, requests: true })
  resetUnstored(world, [part], REAL)
  const changed = Object.entries(observed()).filter(([, isThere]) => !isThere)
  expect(changed.map(([name]) => name)).toEqual(reset)
})
