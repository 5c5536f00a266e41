import { expect, it } from 'vitest'
import { listed } from '../../src/text/listed.ts'

it('lists the first items and the number of the others', () => {
  const texts = Array.from({ length: 1236 }, (_, i) => `p${i}`)
  expect(listed(['a', 'b'], 2)).toBe('a; b')
  expect(listed(texts, 2)).toBe('p0; p1; and 1,234 more')
  expect(listed(['a', 'b'], 1, 1233, '\n')).toBe('a\nand 1,234 more')
})
