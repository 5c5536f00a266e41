import { expect, it } from 'vitest'
import { coloursFor } from '../../src/views/paint.ts'

it('there are no colours where NO_COLOR says so, unless FORCE_COLOR does', () => {
  const plain = coloursFor('stdout', { NO_COLOR: '1' })
  for (const paint of Object.values(plain)) expect(paint('x')).toBe('x')
  const usual = coloursFor('stdout', {})
  const bad = ({ bad: paint }: typeof usual) => paint('x')
  expect(bad(coloursFor('stdout', { NO_COLOR: '1', FORCE_COLOR: '1' }))).toBe(bad(usual))
  // Empty is as if it were not set (no-color.org).
  expect(bad(coloursFor('stdout', { NO_COLOR: '' }))).toBe(bad(usual))
})
