import { beforeEach, describe, expect, it } from 'vitest'
import { KEPT_BYTES } from '../../src/world/budget.ts'
import { MAX_NAMESPACES, Worlds } from '../../src/world/worlds.ts'
import { command } from '../support/command.ts'

const REAL = Date.parse('2026-11-19T12:34:56Z')
const pets = [{ id: 1, name: 'Rex', categoryId: 1 }]
const start = { pets: { pets, nextId: 2 }, keys: [], seed: 7, now: undefined, frozen: false }
let worlds: Worlds
beforeEach(() => {
  worlds = new Worlds(start, new Map(), REAL)
})

describe('namespaces', () => {
  it('are created by their first use only', () => {
    expect(worlds.peek('w1', REAL).collections.pets.size).toBe(1)
    expect(worlds.nowOf('w1', REAL)).toBe(REAL)
    expect(worlds.keysOf('w1')).toBeDefined()
    expect(worlds.find('w1')).toBeUndefined()
    expect(worlds.get('w1', REAL)).toBe(worlds.find('w1'))
    expect(worlds.get('default', REAL)).toBe(worlds.default)
  })

  it('have a time, which is the start time for one that does not exist yet', () => {
    const frozen = new Worlds({ ...start, now: 5, frozen: true }, new Map(), REAL)
    expect(frozen.nowOf('w1', REAL)).toBe(5)
    expect(frozen.get('w1', REAL).now(REAL + 9)).toBe(5)
  })

  it('are marked as stored after a change, and unmarked if storing failed', () => {
    const world = worlds.get('w1', REAL)
    world.isStored = true
    expect([...worlds.stored().keys()]).toEqual(['w1'])
    world.isStored = false
    expect(worlds.stored().size).toBe(0)
    const other = new Worlds(start, new Map(), REAL).get('w1', REAL)
    other.isStored = true
    expect(worlds.stored().size).toBe(0)
  })

  it('are restored if a drop could not be stored', () => {
    const world = worlds.get('w1', REAL)
    const putBack = worlds.drop(world)
    expect(worlds.find('w1')).toBeUndefined()
    putBack()
    expect(worlds.find('w1')).toBe(world)
    expect(worlds.all()).toHaveLength(2)
  })

  it('replace one that was created meanwhile if a drop could not be stored', () => {
    const world = worlds.get('w1', REAL)
    const putBack = worlds.drop(world)
    const other = worlds.get('w1', REAL)
    other.watch.begin(command({ at: REAL }), true)
    putBack()
    expect(worlds.find('w1')).toBe(world)
    expect(worlds.idleSince(REAL)).toEqual(['w1'])
    expect([other.epoch, worlds.budget.bytes]).toEqual([1, 0])
  })
})

it('count texts that were sent as keys in the budget, also if keys are given', () => {
  const givenKeys = [{ key: 'my-own-key-1', plan: 'pro' }] as const
  const { budget, default: world } = new Worlds({ ...start, givenKeys }, new Map(), REAL)
  const before = budget.bytes
  world.keys.secrets.addSent('key-of-another-7')
  expect(budget.bytes).toBeGreaterThan(before)
  budget.reserve(KEPT_BYTES)
  expect(world.keys.secrets.mask('key-of-another-7')).toBe('key-of-another-7')
})

describe('if all namespaces are in use', () => {
  const fill = (use: (name: string) => void) => {
    for (let i = 1; i < MAX_NAMESPACES; i++) use(`w${i}`)
  }

  it('a new one replaces the least recently used one', () => {
    fill((name) => worlds.get(name, REAL))
    worlds.get('w1', REAL)
    worlds.get('new', REAL)
    expect(worlds.find('w2')).toBeUndefined()
    expect(worlds.find('w1')).toBeDefined()
    expect(worlds.all()).toHaveLength(MAX_NAMESPACES)
  })

  it('stored ones are never replaced, and a new one is refused', () => {
    fill((name) => {
      worlds.get(name, REAL).isStored = true
    })
    expect(() => worlds.get('new', REAL)).toThrow('DELETE /_sandbox/namespaces/{name}')
    expect(worlds.forRefused('new', REAL)).toBe(worlds.default)
  })

  it('a request without a valid key replaces no namespace that has admitted a key', () => {
    fill((name) => {
      worlds.get(name, REAL).admitted = true
    })
    expect(worlds.forRefused('new', REAL)).toBe(worlds.default)
    const idle = worlds.find('w5')
    if (idle) idle.admitted = false
    expect(worlds.forRefused('new', REAL).name).toBe('new')
    expect(worlds.find('w5')).toBeUndefined()
    expect(worlds.forRefused('new', REAL)).toBe(worlds.find('new'))
  })
})

it('the meters of all namespaces have a common bound', () => {
  const use = (name: string) => {
    const { meters } = worlds.get(name, REAL)
    for (let i = 0; i < 4000; i++) meters.writable(`psk_${i}`)
    return meters.size
  }
  expect(Array.from({ length: 50 }, (_, i) => use(`w${i}`))).toEqual(Array(50).fill(4000))
  expect(use('more')).toBe(256)
  worlds.drop(worlds.get('w0', REAL))
  const later = use('later')
  // At the bound, an eighth is forgotten at once.
  expect(later).toBeLessThanOrEqual(3744)
  expect(later).toBeGreaterThan(3744 - 3744 / 8)
})
