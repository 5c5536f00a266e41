import { expect, it } from 'vitest'
import { Value } from '../../../src/world/part.ts'
import { StateSize } from '../../../src/world/pets/state-size.ts'

it('refuses a state beyond the limit with 503, and names the limit', () => {
  const counted = new Value(2 * 1024 * 1024)
  const size = new StateSize(2.5 * 1024 * 1024, { count: () => counted.value })
  size.add(2 * 1024 * 1024)
  expect(() => size.check(() => 512 * 1024)).not.toThrow()
  expect(() => size.check(() => 512 * 1024 + 1)).toThrow('more than 2.5 MiB')
  expect(() => size.check(() => 2 ** 40)).toThrow(expect.objectContaining({ code: 'service_unavailable' }))
  counted.restore(100)
  size.recount()
  expect(() => size.check(() => 2.5 * 1024 * 1024 - 100)).not.toThrow()
  expect(() => size.check(() => 2.5 * 1024 * 1024 - 99)).toThrow('more than 2.5 MiB')
})

it('drops state that only undo needs if that makes room, and only then', () => {
  const [undone, kept] = [new Value(800), new Value(100)]
  const count = (withUndone: boolean) => kept.value + (withUndone ? undone.value : 0)
  const size = new StateSize(1000, { count, makeRoom: () => undone.restore(0) })
  size.recount()
  expect(() => size.check(() => 100)).not.toThrow()
  expect(() => size.check(() => 901)).toThrow('more than 1,000 bytes')
  expect([undone.value, size.bytes]).toEqual([800, 900])
  kept.restore(90)
  expect(() => size.check(() => 110)).not.toThrow()
  expect([undone.value, size.bytes]).toEqual([800, 890])
  expect(() => size.check(() => 111)).not.toThrow()
  expect([undone.value, size.bytes]).toEqual([0, 90])
})
