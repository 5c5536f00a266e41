import { expect, it } from 'vitest'
import { grouped } from '../../src/text/grouped.ts'

it('groups items by a key, in the order of the first item of each key', () => {
  expect([...grouped(['b1', 'a1', 'b2'], (text) => text[0])]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1']],
  ])
  expect([...grouped([], String)]).toEqual([])
})
