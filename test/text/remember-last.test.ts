import { expect, it } from 'vitest'
import { rememberLast } from '../../src/text/remember-last.ts'

it('makes a value once for the same text in a row, and anew for another one', () => {
  const made: string[] = []
  const shout = rememberLast((text: string) => {
    made.push(text)
    return text.toUpperCase()
  })
  expect(['a', 'a', 'b', 'a', 'a'].map(shout)).toEqual(['A', 'A', 'B', 'A', 'A'])
  expect(made).toEqual(['a', 'b', 'a'])
})
