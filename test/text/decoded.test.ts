import { expect, it } from 'vitest'
import { decoded } from '../../src/text/decoded.ts'

it('decodes a text, unless its encoding is not valid', () => {
  expect(decoded('%C3%A4%20b')).toBe('ä b')
  expect(decoded('%C3 100%')).toBe('%C3 100%')
})
