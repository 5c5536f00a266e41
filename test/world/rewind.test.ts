import { expect, it } from 'vitest'
import { KEPT_BYTES } from '../../src/world/budget.ts'
import { forkInto, rewindTo, viewOf } from '../../src/world/rewind.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { answered, command } from '../support/command.ts'
import { exchange } from '../support/exchange.ts'

const REAL = Date.parse('2026-11-19T12:34:56Z')
const start = { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false }
const newWorlds = () => new Worlds(start, new Map(), REAL)
const pet = { id: 1, name: 'Rex', categoryId: 1 }

it('the clock is at that instant again, and runs from there', () => {
  const world = newWorlds().default
  answered(world, exchange({ id: 'req_1', ms: 5 }), { at: REAL })
  const state = world.capture()
  const undo = rewindTo(world, world.past.find('req_1', 'before'), state, command({ n: 2, at: REAL + 9000 }))
  expect([world.now(REAL + 9000), world.now(REAL + 9001)]).toEqual([REAL, REAL + 1])
  undo()
  expect(world.journal.entries().map(({ id }) => id)).toEqual(['req_1'])
})

it('can be undone although the memory for the history is full, without the history', () => {
  const worlds = newWorlds()
  const world = worlds.default
  answered(world, exchange({ id: 'req_1' }), { at: REAL })
  const state = world.capture()
  world.clock.freeze(REAL + 1000)
  worlds.budget.reserve(KEPT_BYTES - worlds.budget.bytes)
  const undo = rewindTo(world, world.past.find('req_1', 'before'), state, command({ n: 2, at: REAL + 9000 }))
  expect(world.clock.frozen).toBe(false)
  undo()
  expect([world.clock.frozen, world.now(REAL + 9000)]).toEqual([true, REAL + 1000])
  expect(() => world.past.branch()).toThrow('There is no rewind to undo')
})

it('a copy has everything but the past, and can be undone', () => {
  const worlds = newWorlds()
  const [source, target] = [worlds.default, worlds.get('copy', REAL)]
  answered(source, exchange({ id: source.nextRequestId() }))
  source.collections.pets.put(pet)
  source.label.value = 'a test'
  const undo = forkInto(target, source.capture(), { namespace: 'default' })
  expect([target.collections.pets.size, target.label.value, target.nextRequestId()]).toEqual([
    1,
    'a test',
    'req_000002',
  ])
  expect(target.origin).toEqual({ namespace: 'default' })
  expect([target.journal.entries(), [...target.past.view()]]).toEqual([[], []])
  expect([source.tally.capture().requests, target.tally.capture().requests]).toEqual([1, 0])
  undo()
  expect([target.collections.pets.size, target.label.value, target.origin]).toEqual([0, undefined, undefined])
})

it('a detached world has that state, and shares no later changes', () => {
  const world = newWorlds().default
  const view = viewOf(world, world.capture(), REAL, undefined)
  world.collections.pets.put(pet)
  view.keys.replace([{ key: 'a', plan: 'pro' }])
  expect([view.collections.pets.size, world.keys.stored]).toEqual([0, []])
})
