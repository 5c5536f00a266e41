import { expect, test } from 'vitest'
import { atEndOfTurn, endTurnWith, turn } from '../../src/node/turns.ts'

test('functions for the end of a turn are called after all items of the turn, before the next turn begins', async () => {
  const order: string[] = []
  const add = atEndOfTurn<string>((items) => {
    for (const item of items) {
      order.push(item)
      endTurnWith(() => order.push(`end after ${item}`))
    }
  })
  add('one')
  add('two')
  setImmediate(() => order.push('next'))
  await turn()
  expect(order).toEqual(['one', 'two', 'end after one', 'end after two', 'next'])
})

test('without items, a turn ends by itself', async () => {
  let ended = 0
  endTurnWith(() => ended++)
  expect(ended).toBe(0)
  await turn()
  expect(ended).toBe(1)
})
