import { expect, it } from 'vitest'
import { rememberLast } from '../../src/text/remember-last.ts'

it('computes a value once for consecutive calls with one text, and again for another text', () => {
  const made: string[] = []
  const shout = rememberLast((text: string) => {
    made.push(text)
    return text.toUpperCase()
  })
  expect(['a', 'a', 'b', 'a', 'a'].map(shout)).toEqual(['A', 'A', 'B', 'A', 'A'])
  expect(made).toEqual(['a', 'b', 'a'])
})
