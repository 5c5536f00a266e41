import { beforeEach, describe, expect, it } from 'vitest'
import { MINUTE } from '../../src/time/instant.ts'
import type { Command } from '../../src/world/command.ts'
import { charge } from '../../src/world/limits/meter.ts'
import { MAX_NAMESPACES, Worlds } from '../../src/world/worlds.ts'
import { answered } from '../support/command.ts'
import { exchange } from '../support/exchange.ts'
import { policyWith } from './policy.ts'

const REAL = Date.parse('2026-11-19T12:34:56Z')
const start = { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false }
let worlds: Worlds
beforeEach(() => {
  worlds = new Worlds(start, new Map(), REAL)
})

describe('a clock', () => {
  it('runs from the instant that was set, and stops while it is frozen', () => {
    const world = worlds.get('w', REAL)
    world.turnClock(REAL, (clock) => clock.set(REAL + 1000, REAL))
    expect(world.now(REAL + 5)).toBe(REAL + 1005)
    world.turnClock(REAL + 5, (clock) => clock.freeze(REAL + 5))
    expect(world.now(REAL + 99)).toBe(REAL + 1005)
    world.turnClock(REAL + 99, (clock) => clock.set(REAL + 2000, REAL + 99))
    expect(world.clock.frozen).toBe(true)
    world.turnClock(REAL + 100, (clock) => clock.resume(REAL + 100))
    expect(world.now(REAL + 110)).toBe(REAL + 2010)
  })

  it('that moves back opens every window and lifts every ban; moving forward does not', () => {
    const world = worlds.get('w', REAL)
    const policy = policyWith()
    charge(world.meters.writable('psk_free'), policy.plans.free, REAL, policy)
    world.turnClock(REAL, (clock) => clock.set(REAL + 1000, REAL))
    expect(world.meters.get('psk_free').minute.used).toBe(1)
    world.turnClock(REAL, (clock) => clock.set(REAL, REAL))
    expect(world.meters.get('psk_free').minute.used).toBe(0)
  })

  it('is reset to the start time of the sandbox', () => {
    const other = new Worlds({ ...start, now: 0, frozen: true }, new Map(), REAL)
    const world = other.get('w', REAL)
    world.turnClock(REAL, (clock) => clock.set(REAL, REAL))
    world.resetClock(REAL + 5)
    expect(world.now(REAL + MINUTE)).toBe(0)
  })
})

describe('random numbers', () => {
  it('are the same for a seed and a name, and others for another name', () => {
    const draw = (name: string) => Array.from({ length: 5 }, worlds.get(name, REAL).chance)
    const again = new Worlds(start, new Map(), REAL).get('a', REAL)
    const first = draw('a')
    expect(Array.from({ length: 5 }, again.chance)).toEqual(first)
    expect(draw('b')).not.toEqual(first)
    expect(first.every((value) => value >= 0 && value < 1)).toBe(true)
  })
})

describe('namespaces', () => {
  it('are at most a thousand: unchanged ones are replaced, the least recently used first', () => {
    for (let i = 1; i < MAX_NAMESPACES; i++) worlds.get(`n${i}`, REAL)
    worlds.get('n1', REAL)
    worlds.get('one-more', REAL)
    expect(worlds.all()).toHaveLength(MAX_NAMESPACES)
    expect(worlds.find('n1')).toBeDefined()
    expect(worlds.find('n2')).toBeUndefined()
  })

  it('release the memory of their requests, possible duplicates included, when they are dropped', () => {
    const world = worlds.get('w', REAL)
    answered(world, exchange({ id: world.nextRequestId() }))
    world.duplicates.note('req_000001', REAL, 'psk_pro', new Uint8Array())
    worlds.drop(world)
    expect(worlds.budget.bytes).toBe(0)
  })

  it('refuse another one if all have changes, with the remedy', () => {
    for (let i = 1; i < MAX_NAMESPACES; i++) worlds.get(`n${i}`, REAL).isStored = true
    expect(() => worlds.get('one-more', REAL)).toThrow(/1,000 namespaces.*DELETE/)
    worlds.drop(worlds.get('n5', REAL))
    expect(worlds.get('one-more', REAL).name).toBe('one-more')
  })
})

describe('keys', () => {
  it('are inherited, and hidden if they are revoked', () => {
    const { keys } = worlds.get('w', REAL)
    worlds.default.keys.replace(worlds.default.keys.with({ key: 'mine', plan: 'pro', issued: true }))
    expect(keys.planOf('mine', REAL)).toBe('pro')
    keys.replace(keys.without('psk_free'))
    expect(keys.planOf('psk_free', REAL)).toBeUndefined()
    expect(worlds.default.keys.planOf('psk_free', REAL)).toBe('free')
    expect(keys.list().find(({ key }) => key === 'psk_free')).toMatchObject({
      source: 'built-in',
      revoked: true,
    })
    expect(() => keys.with({ key: 'mine', plan: 'free' })).toThrow(/exists/)
    expect(keys.planOf('__proto__', REAL)).toBeUndefined()
    expect(keys.planOf('constructor', REAL)).toBeUndefined()
  })

  it('expire by the clock of the caller', () => {
    const { keys } = worlds.default
    keys.replace([{ key: 'short', plan: 'free', expiresAt: '2026-11-19T12:35:00.000Z' }])
    expect(keys.planOf('short', Date.parse('2026-11-19T12:34:59.999Z'))).toBe('free')
    expect(keys.planOf('short', Date.parse('2026-11-19T12:35:00Z'))).toBeUndefined()
  })
})

it('the report does not count a request from before its reset, even if its change could not be stored', () => {
  const world = worlds.default
  const created = (status: number) => exchange({ operationId: 'createPet', status })
  const [first, second] = [1, 2].map((n) => answered(world, created(201), { n }))
  world.amend(first as Command, created(503))
  expect(world.tally.capture()).toMatchObject({
    requests: 2,
    coverage: [
      [
        'createPet',
        [
          [201, 1],
          [503, 1],
        ],
      ],
    ],
  })
  world.resetRequests()
  world.amend(second as Command, created(503))
  expect(world.tally.capture()).toMatchObject({ requests: 0, coverage: [] })
})

describe('the journal', () => {
  it('keeps the last thousand entries and the number of dropped ones', () => {
    const world = worlds.default
    for (let i = 0; i < 2500; i++) answered(world, exchange({ id: String(i) }), { n: i + 1 })
    expect(world.journal.entries().map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 1000 }, (_, i) => 1500 + i),
    )
    expect([world.journal.entries().length, world.journal.dropped]).toEqual([1000, 1500])
    world.clearJournal()
    expect([world.journal.entries(), world.journal.dropped]).toEqual([[], 0])
    world.forget()
    expect(worlds.budget.bytes).toBe(0)
  })

  it('is empty after a reset, and restored by a rewind to before it; ids are not used again', () => {
    const world = worlds.default
    const ids = () => world.journal.entries().map(({ id }) => id)
    answered(world, exchange({ id: world.nextRequestId() }))
    const before = world.capture()
    world.resetRequests()
    expect([ids(), world.journal.dropped]).toEqual([[], 0])
    answered(world, exchange({ id: world.nextRequestId() }), { n: 2 })
    expect(ids()).toEqual(['req_000002'])
    world.restore({ ...before, requests: 2 })
    expect(ids()).toEqual(['req_000001', 'req_000002'])
  })

  it('shares its budget: the oldest entry of all namespaces is dropped first', () => {
    const body = 'x'.repeat(15_000)
    const sent = { request: { headers: [], body }, response: { headers: [], body } }
    const [one, two] = [worlds.get('one', REAL), worlds.get('two', REAL)]
    for (let i = 0; i < 1000; i++) answered(one, exchange({ id: `req_${i}`, ...sent }), { n: i + 1 })
    for (let i = 0; i < 1000; i++) answered(two, exchange({ id: `req_${i}`, ...sent }), { n: 1001 + i })
    const left = one.journal.entries().length
    expect(left).toBeGreaterThan(50)
    expect(left).toBeLessThan(300)
    expect(one.journal.entries().at(-1)?.id).toBe('req_999')
    expect(one.past.gone).toBe('budget')
    expect(two.journal.entries().length).toBe(1000)
  })
})
