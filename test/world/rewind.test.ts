import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Pet } from '../../src/world/pets/pet.ts'
import { forkInto, rewindTo, stateAt, viewAt } from '../../src/world/rewind.ts'
import type { WorldState } from '../../src/world/state.ts'
import { KEPT_BYTES } from '../../src/world/traffic/budget.ts'
import type { World } from '../../src/world/world.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { exchange } from '../support/exchange.ts'

const REAL = Date.parse('2026-11-19T12:34:56Z')
const pets: Pet[] = [1, 2, 3].map((id) => ({ id, name: `pet ${id}`, categoryId: 1 }))
const start = { pets: { pets, nextId: 4 }, keys: [], seed: 7, now: undefined, frozen: false }

const newWorlds = () => new Worlds(start, new Map(), REAL)

/** What a state says, as values that can be compared. */
const plain = ({ collections, tally, duplicates, ...rest }: WorldState) => ({
  ...rest,
  duplicates: Array.from(duplicates, ([mark, { id, at, order }]) => [mark, id, at, order]),
  tally: tally.state,
  pets: [...collections.pets.values()],
  empty: [...collections.empty.values()],
  nextId: collections.pets.nextId,
})

/** Each change of a world that a request or a control call may make. */
const CHANGES: readonly ((world: World, step: number) => void)[] = [
  ({ collections }, step) =>
    collections.pets.put({ id: 1 + (step % 5), name: `changed ${step}`, categoryId: 2 }),
  ({ collections: { pets } }) => pets.put({ id: pets.nextId, name: 'new', categoryId: 1, status: 'sold' }),
  ({ collections }, step) => collections.pets.delete(1 + (step % 5)),
  ({ collections: { empty } }) => empty.put({ id: empty.nextId, name: 'other', categoryId: 1 }),
  (world) => world.setPets('pets', { pets: pets.slice(1), nextId: 9 }),
  (world, step) => world.keys.replace([{ key: `key_${step}`, plan: 'pro' }]),
  (world) => world.failsNow('psk_flaky', 3),
  (world) => world.resetLimits(),
  ({ faults }) => faults.add({ effect: { status: 503 } }, REAL),
  (world) => world.resetFaults(REAL),
  (world) => void world.chance(),
  (world, step) => world.turnClock(REAL, (clock) => clock.set(REAL + (step % 3) * 1000, REAL)),
  (world) => {
    const before = world.positionAt(REAL)
    world.record(exchange({ id: world.nextRequestId() }), before)
  },
  (world, step) => world.duplicates.note(`req_${step}`, REAL, 'psk_free', 'body', undefined),
  (world) => world.resetRequests(),
  (world, step) => {
    world.label = `test ${step}`
  },
]

const steps = fc.array(fc.nat(CHANGES.length - 1), { maxLength: 25 })
const change = (world: World, chosen: readonly number[]) => {
  for (const [step, index] of chosen.entries()) CHANGES[index]?.(world, step)
}

describe('a state of the past', () => {
  it('is that which was captured then, whatever happened since; looking changes nothing', () => {
    fc.assert(
      fc.property(steps, steps, (earlier, later) => {
        const world = newWorlds().default
        change(world, earlier)
        const [position, then] = [world.positionAt(REAL), plain(world.capture())]
        change(world, later)
        const now = plain(world.capture())
        expect(plain(stateAt(world, position))).toEqual(then)
        expect(plain(viewAt(world, position).capture())).toEqual(then)
        expect(plain(world.capture())).toEqual(now)
      }),
    )
  })

  it('is gone back to, and that is undone', () => {
    fc.assert(
      fc.property(steps, steps, (earlier, later) => {
        const world = newWorlds().default
        change(world, earlier)
        const [position, then] = [world.positionAt(REAL), plain(world.capture())]
        change(world, later)
        const [now, points] = [plain(world.capture()), world.history.view()]
        const undo = rewindTo(world, { ...position, points: 0 }, REAL)
        expect(plain(world.capture())).toEqual(then)
        expect(world.history.view()).toEqual([])
        undo()
        expect(plain(world.capture())).toEqual(now)
        expect(world.history.view()).toEqual(points)
        expect(plain(stateAt(world, position))).toEqual(then)
      }),
    )
  })

  it('releases what only the removed part of the history kept, such as the journal before a reset', () => {
    const worlds = newWorlds()
    const world = worlds.default
    const { budget } = worlds
    const record = () => {
      const before = world.positionAt(REAL)
      world.record(exchange({ id: world.nextRequestId() }), before)
    }
    for (let i = 0; i < 10; i++) record()
    const bytes = budget.bytes
    for (let i = 0; i < 3; i++) {
      world.beginCall('reset', [], REAL)
      world.resetRequests()
      world.endCall()
      rewindTo(world, world.history.find('req_000010', 'after'), REAL)
    }
    expect(world.journal.length).toBe(10)
    expect(budget.bytes).toBeLessThanOrEqual(bytes)
    // What the budget removes then is gone from the journal and from the history alike.
    budget.hold(KEPT_BYTES - budget.bytes)
    record()
    expect(world.journal.entries().map(({ id }) => id)).toEqual(world.history.points.map(({ id }) => id))
  })

  it('of another world is taken over, and that is undone', () => {
    const worlds = newWorlds()
    const target = worlds.get('copy', REAL)
    change(worlds.default, [...CHANGES.keys()])
    const [before, taken] = [plain(target.capture()), worlds.default.capture()]
    const undo = forkInto(target, taken)
    expect(plain(target.capture())).toEqual(plain(taken))
    undo()
    expect(plain(target.capture())).toEqual(before)
  })
})
