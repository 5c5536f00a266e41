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

it('a request that is released goes on once, and no other does', () => {
  const holds = new Holds()
  const went: string[] = []
  const first = holds.add(held, () => went.push('first'))
  holds.add(held, () => went.push('second'))
  expect(holds.release(first.id)).toMatchObject({ request: 'req_1' })
  expect(went).toEqual(['first'])
  expect(holds.release(first.id)).toBeUndefined()
})

it('one whose time is over is no longer there, and is not told to go on', () => {
  const holds = new Holds()
  const hold = holds.add(held, () => expect.unreachable())
  holds.expire(hold)
  holds.reset()
  expect(holds.list).toEqual([])
})

it('a reset lets all go on and counts from the start', () => {
  const holds = new Holds()
  const went: number[] = []
  const ids = [1, 2].map((i) => holds.add(held, () => went.push(i)).id)
  holds.reset()
  expect([went, holds.list]).toEqual([[1, 2], []])
  expect(holds.add(held, () => {}).id).toBe(ids[0])
})

it('has a bound, and says what to do there', () => {
  const holds = new Holds()
  for (let i = 0; i < MAX_HOLDS; i++) holds.add(held, () => {})
  expect(() => holds.add(held, () => {})).toThrow('1,000 held requests here')
  holds.release(holds.list[0]?.id as string)
  expect(() => holds.add(held, () => {})).not.toThrow()
})
