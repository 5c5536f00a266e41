import { beforeEach, describe, expect, it } from 'vitest'
import { MAX_NAMESPACES, Worlds } from '../../src/world/worlds.ts'

const REAL = Date.parse('2026-11-19T12:34:56Z')
const pets = [{ id: 1, name: 'Rex', categoryId: 1 }]
const start = { pets: { pets, nextId: 2 }, keys: [], seed: 7, now: undefined, frozen: false }
let worlds: Worlds
beforeEach(() => {
  worlds = new Worlds(start, new Map(), REAL)
})

describe('namespaces', () => {
  it('are created when they are used, and only then', () => {
    expect(worlds.peek('w1', REAL).collections.pets.size).toBe(1)
    expect(worlds.nowOf('w1', REAL)).toBe(REAL)
    expect(worlds.keysOf('w1')).toBeDefined()
    expect(worlds.find('w1')).toBeUndefined()
    expect(worlds.get('w1', REAL)).toBe(worlds.find('w1'))
    expect(worlds.get('default', REAL)).toBe(worlds.default)
  })

  it('have one time: that of the start for one that does not exist yet', () => {
    const frozen = new Worlds({ ...start, now: 5, frozen: true }, new Map(), REAL)
    expect(frozen.nowOf('w1', REAL)).toBe(5)
    expect(frozen.get('w1', REAL).now(REAL + 9)).toBe(5)
  })

  it('are stored after a change, and again as before where that failed', () => {
    const world = worlds.get('w1', REAL)
    worlds.markStored(world)
    expect([...worlds.stored().keys()]).toEqual(['w1'])
    worlds.markStored(world, false)
    expect(worlds.isStored(world)).toBe(false)
    const other = new Worlds(start, new Map(), REAL).get('w1', REAL)
    worlds.markStored(other)
    expect(worlds.isStored(world)).toBe(false)
  })

  it('come back as they were after a drop that could not be stored', () => {
    const world = worlds.get('w1', REAL)
    const putBack = worlds.drop('w1')
    expect(worlds.find('w1')).toBeUndefined()
    putBack()
    expect(worlds.find('w1')).toBe(world)
    worlds.drop('nobody')()
    expect(worlds.all()).toHaveLength(2)
  })
})

describe('when all namespaces are in use', () => {
  const fill = (use: (name: string) => void) => {
    for (let i = 1; i < MAX_NAMESPACES; i++) use(`w${i}`)
  }

  it('a new one replaces the one that was used longest ago', () => {
    fill((name) => worlds.get(name, REAL))
    worlds.get('w1', REAL)
    worlds.get('new', REAL)
    expect(worlds.find('w2')).toBeUndefined()
    expect(worlds.find('w1')).toBeDefined()
    expect(worlds.all()).toHaveLength(MAX_NAMESPACES)
  })

  it('stored ones are never replaced: there is no room', () => {
    fill((name) => worlds.markStored(worlds.get(name, REAL)))
    expect(() => worlds.get('new', REAL)).toThrow('DELETE /_sandbox/namespaces/{name}')
    expect(worlds.ofRefused('new', REAL)).toBe(worlds.default)
  })

  it('a request without a valid key replaces none that admitted one', () => {
    fill((name) => {
      worlds.get(name, REAL).admitted = true
    })
    expect(worlds.ofRefused('new', REAL)).toBe(worlds.default)
    const idle = worlds.find('w5')
    if (idle) idle.admitted = false
    expect(worlds.ofRefused('new', REAL).name).toBe('new')
    expect(worlds.find('w5')).toBeUndefined()
    expect(worlds.ofRefused('new', REAL)).toBe(worlds.find('new'))
  })
})
