import { expect, it } from 'vitest'
import { StateSize } from '../../../src/world/pets/state-size.ts'

it('refuses a state beyond the limit with 503, and names the limit', () => {
  const size = new StateSize(2.5 * 1024 * 1024, () => 100)
  size.add(2 * 1024 * 1024)
  expect(() => size.check(512 * 1024)).not.toThrow()
  expect(() => size.check(512 * 1024 + 1)).toThrow('more than 2.5 MiB')
  expect(() => size.check(2 ** 40)).toThrow(expect.objectContaining({ code: 'service_unavailable' }))
  size.recount()
  expect(() => size.check(2.5 * 1024 * 1024 - 100)).not.toThrow()
  expect(() => size.check(2.5 * 1024 * 1024 - 99)).toThrow('more than 2.5 MiB')
})
