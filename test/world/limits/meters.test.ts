import { expect, it } from 'vitest'
import { type Meter, newMeter } from '../../../src/world/limits/meter.ts'
import { Meters } from '../../../src/world/limits/meters.ts'

it('reports what was there before each change, and nothing where a copy is restored', () => {
  const meters = new Meters()
  const before: unknown[] = []
  meters.changed = (key, meter) => before.push([key, meter?.drawn])
  meters.replaced = (all) => before.push(Array.from(all, ([key, { drawn }]) => [key, drawn]))
  const drawn = (meter: Meter, count: number) => ({ ...meter, drawn: count })
  meters.change((meter) => drawn(meter, 9))
  meters.set('psk_free', drawn(meters.of('psk_free'), 1))
  meters.set('psk_free', drawn(meters.of('psk_free'), 2))
  const copy = meters.copy()
  meters.change((meter) => drawn(meter, 3))
  expect(meters.of('psk_free').drawn).toBe(3)
  meters.restore(copy)
  expect(meters.of('psk_free').drawn).toBe(2)
  expect(before).toEqual([['psk_free', undefined], ['psk_free', 1], [['psk_free', 2]]])
})

it('a key that was not used yet has a new meter, which a trigger key has armed', () => {
  expect(new Meters().of('psk_free')).toEqual(newMeter(undefined))
  expect(new Meters().of('psk_limited')).toEqual(newMeter('minute'))
})
