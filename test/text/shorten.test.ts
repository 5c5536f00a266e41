import { expect, it } from 'vitest'
import { shorten } from '../../src/text/shorten.ts'

it('a long text is cut', () => {
  expect(shorten('abc', 3)).toBe('abc')
  expect(shorten('abcd', 3)).toBe('abc…')
})

it('no surrogate pair is cut', () => {
  expect(shorten('ab😀d', 3)).toBe('ab…')
  expect(shorten('a😀bc', 3)).toBe('a😀…')
})
