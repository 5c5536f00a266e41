import { expect, it } from 'vitest'
import { withSamplePattern } from '../../../src/contract/generate/sample-pattern.ts'

it.each([
  ['^\\p{L}+$', '^a+$'],
  ['^\\p{Lu}\\p{Ll}{2}[\\p{N} ]$', '^Aa{2}[1 ]$'],
  ['^\\P{L}\\p{Script=Greek}\\p{Sc}$', '^1α€$'],
  ['^\\\\p{L}\\d\\.$', '^\\\\p{L}\\d\\.$'],
  ['^\\p{Emoji_Presentation}\\p{Nope}$', '^\\p{Emoji_Presentation}\\p{Nope}$'],
])('texts of %s are generated from %s', (pattern, sample) => {
  expect(withSamplePattern({ type: 'string', pattern })).toEqual({ type: 'string', pattern: sample })
})

it('a schema without a pattern is unchanged', () => {
  expect(withSamplePattern({ pattern: 7 })).toEqual({ pattern: 7 })
})
