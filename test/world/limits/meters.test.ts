import { expect, it } from 'vitest'
import { type Meter, newMeter } from '../../../src/world/limits/meter.ts'
import { Meters } from '../../../src/world/limits/meters.ts'

it('goes back to what was captured, which later changes do not reach', () => {
  const meters = new Meters()
  const drawn = (meter: Meter, count: number) => ({ ...meter, drawn: count })
  meters.change((meter) => drawn(meter, 9))
  meters.set('psk_free', drawn(meters.of('psk_free'), 1))
  meters.set('psk_free', drawn(meters.of('psk_free'), 2))
  const copy = meters.capture()
  meters.change((meter) => drawn(meter, 3))
  expect(meters.of('psk_free').drawn).toBe(3)
  meters.set('psk_pro', newMeter())
  meters.restore(copy)
  expect([meters.of('psk_free').drawn, meters.size]).toEqual([2, 1])
})

it('a key that was not used yet has a new meter, which a trigger key has armed', () => {
  expect(new Meters().of('psk_free')).toEqual(newMeter(undefined))
  expect(new Meters().of('psk_limited')).toEqual(newMeter('minute'))
})
