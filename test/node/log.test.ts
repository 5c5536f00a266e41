import { expect, it, vi } from 'vitest'
import { changeLine, createLog } from '../../src/node/log.ts'
import { Worlds } from '../../src/world/worlds.ts'
import { exchange } from '../support/exchange.ts'

const REAL = Date.parse('2026-11-19T12:34:56.789Z')

it('a control call is one line with the time of its namespace and the new state', () => {
  const start = { pets: { pets: [], nextId: 1 }, keys: [], seed: 7, now: undefined, frozen: false }
  const worlds = new Worlds(start, new Map(), REAL)
  expect(changeLine(worlds.default, ['pets', 'limits'], REAL)).toBe('12:34:56.789 control pets 0, limits')
  const world = worlds.get('w1', REAL)
  world.turnClock(REAL, (clock) => clock.set(0, REAL))
  world.faults.add({ effect: { status: 503 } }, 0)
  expect(changeLine(world, ['clock', 'faults'], REAL)).toBe(
    '00:00:00.000 control clock 1970-01-01T00:00:00.000Z, faults 1 [w1]',
  )
  world.turnClock(REAL, (clock) => clock.freeze(REAL))
  expect(changeLine(world, ['clock'], REAL + 5000)).toBe(
    '00:00:00.000 control clock 1970-01-01T00:00:00.000Z frozen [w1]',
  )
})

it.each([0, undefined])('a request is one line in a terminal that reports %s columns', (columns) => {
  const original = Object.getOwnPropertyDescriptor(process.stderr, 'columns')
  Object.defineProperty(process.stderr, 'columns', { value: columns, configurable: true })
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    createLog('pretty', 'stderr').exchange(exchange({}))
    expect(write.mock.calls.flat()).toEqual([expect.stringMatching(/^[^\n]* GET {5}[^\n]* {10}[^\n]*\n$/)])
  } finally {
    write.mockRestore()
    if (original) Object.defineProperty(process.stderr, 'columns', original)
    else Reflect.deleteProperty(process.stderr, 'columns')
  }
})
