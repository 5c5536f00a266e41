import { expect, it } from 'vitest'
import { Clock } from '../../src/time/clock.ts'

it('runs at the speed of real time from the instant that was set, unless it is frozen', () => {
  const clock = new Clock()
  expect(clock.at(1000)).toBe(1000)
  clock.set(5000, 1000)
  expect(clock.at(1250)).toBe(5250)
  clock.freeze(1250)
  expect(clock.at(9000)).toBe(5250)
  clock.set(100, 9000)
  expect(clock.at(9999)).toBe(100)
  clock.resume(10_000)
  expect(clock.at(10_001)).toBe(101)
})

it('freezing a frozen clock or resuming a running one does not move it', () => {
  const clock = new Clock()
  clock.freeze(1000)
  clock.freeze(2000)
  expect(clock.at(3000)).toBe(1000)
  clock.resume(3000)
  clock.resume(4000)
  expect(clock.at(4000)).toBe(2000)
})

it('shows real time after a reset, and runs', () => {
  const clock = new Clock()
  clock.set(5000, 0)
  clock.freeze(10)
  clock.reset()
  expect([clock.frozen, clock.at(20)]).toEqual([false, 20])
})
