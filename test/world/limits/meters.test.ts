import { expect, it } from 'vitest'
import { charge, newMeter } from '../../../src/world/limits/meter.ts'
import { Meters } from '../../../src/world/limits/meters.ts'
import { policyWith } from '../policy.ts'

const PLAN = { perMinute: 10, perDay: 100 }

it('are restored to a captured state, which later changes do not affect', () => {
  const meters = new Meters(() => true)
  charge(meters.writable('psk_free'), PLAN, 0, policyWith())
  const one = meters.capture()
  charge(meters.writable('psk_free'), PLAN, 0, policyWith())
  const two = meters.capture()
  const charged = charge(meters.writable('psk_free'), PLAN, 0, policyWith())
  meters.change((meter) => {
    meter.drawn = 3
  })
  meters.writable('psk_pro').drawn = 1
  const used = () => [meters.get('psk_free').minute.used, meters.get('psk_free').drawn, meters.capture().size]
  expect(used()).toEqual([3, 3, 2])
  meters.restore(one)
  expect(used()).toEqual([1, 0, 1])
  charge(meters.writable('psk_free'), PLAN, 0, policyWith())
  meters.restore(two)
  expect(used()).toEqual([2, 0, 1])
  meters.restore(one)
  expect(used()).toEqual([1, 0, 1])
  expect(charged.minute.remaining).toBe(7)
})

it('an unused key has a new meter, which is armed for a trigger key', () => {
  expect(new Meters(() => true).get('psk_free')).toEqual(newMeter(undefined))
  expect(new Meters(() => true).get('psk_limited')).toEqual(newMeter('minute'))
})

it('meters of removed keys are dropped before they are too many', () => {
  const known = new Set(['psk_a', 'psk_b'])
  const meters = new Meters((key) => known.has(key))
  meters.writable('psk_a').drawn = 1
  for (let i = 0; i < 10_000; i++) meters.writable(`psk_gone_${i}`).drawn = 1
  meters.writable('psk_b').drawn = 1
  expect(meters.capture().size).toBeLessThanOrEqual(4000)
  expect([meters.get('psk_a').drawn, meters.get('psk_b').drawn]).toEqual([1, 1])
  expect(meters.writable('psk_gone_0').drawn).toBe(0)
})

it('while those of all namespaces take all their memory, a new one replaces the eighth used the longest ago', () => {
  const meters = new Meters(() => true)
  let dropped = 0
  meters.onDrop = () => dropped++
  const use = (many: number, name: string) => {
    for (let i = 0; i < many; i++) meters.writable(`psk_${name}_${i}`).drawn = 1
  }
  use(1000, 'a')
  meters.answered('psk_a_3', 0, undefined)
  let others = 0
  meters.isFull = () => meters.size + others >= 1000
  use(10, 'b')
  // A checkpoint with all meters that are left follows.
  expect([meters.size, dropped]).toEqual([885, 1])
  const drawn = ['psk_a_3', 'psk_a_125', 'psk_a_126', 'psk_b_0', 'psk_b_9'].map(
    (key) => meters.get(key).drawn,
  )
  expect(drawn).toEqual([1, 0, 1, 1, 1])
  others = 1000
  meters.restore(new Map())
  use(256, 'c')
  expect([meters.size, dropped]).toEqual([256, 1])
  use(3200, 'd')
  expect([meters.size, dropped]).toEqual([256, 101])
})
