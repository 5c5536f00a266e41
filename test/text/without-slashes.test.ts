import { expect, it } from 'vitest'
import { withoutSlashes } from '../../src/text/without-slashes.ts'

it.each([
  ['http://a/v1/', 'http://a/v1'],
  ['http://a//', 'http://a'],
  ['/', ''],
  ['', ''],
  ['a/b', 'a/b'],
  ['a\\/', 'a\\'],
])('%j is %j', (address, expected) => {
  expect(withoutSlashes(address)).toBe(expected)
})

it('takes linear time for any number of slashes', () => {
  expect(withoutSlashes(`${'/'.repeat(1_000_000)}a`)).toHaveLength(1_000_001)
})
