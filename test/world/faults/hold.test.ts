import { expect, it } from 'vitest'
import { Holds, MAX_HOLDS } from '../../../src/world/faults/hold.ts'

const held = {
  request: 'req_1',
  operationId: 'listPets',
  rule: 'fault_1',
  when: 'before',
  until: 'released',
  since: 0,
  timeout: '10s',
} as const

it('a released request continues once, and no other does', () => {
  const holds = new Holds()
  const released: string[] = []
  const first = holds.add(held, () => released.push('first'))
  holds.add(held, () => released.push('second'))
  expect(holds.release(first.id)).toMatchObject({ request: 'req_1' })
  expect(released).toEqual(['first'])
  expect(holds.release(first.id)).toBeUndefined()
})

it('a hold after its timeout is no longer listed, and its callback is not called', () => {
  const holds = new Holds()
  const hold = holds.add(held, () => expect.unreachable())
  holds.expire(hold)
  holds.reset()
  expect(holds.list).toEqual([])
})

it('a reset releases all, and ids begin again', () => {
  const holds = new Holds()
  const released: number[] = []
  const ids = [1, 2].map((i) => holds.add(held, () => released.push(i)).id)
  holds.reset()
  expect([released, holds.list]).toEqual([[1, 2], []])
  expect(holds.add(held, () => {}).id).toBe(ids[0])
})

it('has a bound, with an error above it', () => {
  const holds = new Holds()
  for (let i = 0; i < MAX_HOLDS; i++) holds.add(held, () => {})
  expect(() => holds.check()).toThrow('1,000 held requests here')
  holds.release(holds.list[0]?.id as string)
  expect(() => holds.check()).not.toThrow()
})
