import { expect, it } from 'vitest'
import { Value } from '../../../src/world/part.ts'
import { StateSize } from '../../../src/world/pets/state-size.ts'

it('refuses a state beyond the limit with 503, and names the limit', () => {
  const counted = new Value(2 * 1024 * 1024)
  const size = new StateSize(2.5 * 1024 * 1024, { count: () => counted.value })
  size.add(2 * 1024 * 1024)
  expect(() => size.check(512 * 1024)).not.toThrow()
  expect(() => size.check(512 * 1024 + 1)).toThrow('more than 2.5 MiB')
  expect(() => size.check(2 ** 40)).toThrow(expect.objectContaining({ code: 'service_unavailable' }))
  counted.restore(100)
  size.recount()
  expect(() => size.check(2.5 * 1024 * 1024 - 100)).not.toThrow()
  expect(() => size.check(2.5 * 1024 * 1024 - 99)).toThrow('more than 2.5 MiB')
})

it('before it refuses, it drops state that only undo needs', () => {
  const undone = new Value(800)
  const makeRoom = () => undone.restore(0)
  const size = new StateSize(1000, { count: () => 100 + undone.value, makeRoom })
  size.recount()
  expect(() => size.check(100)).not.toThrow()
  expect([undone.value, size.bytes]).toEqual([800, 900])
  expect(() => size.check(101)).not.toThrow()
  expect([undone.value, size.bytes]).toEqual([0, 100])
  expect(() => size.check(901)).toThrow('more than 1,000 bytes')
})
