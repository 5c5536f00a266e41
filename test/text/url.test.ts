import { expect, it } from 'vitest'
import { decoded, urlOf, withoutSlashes } from '../../src/text/url.ts'

it('a text is the same URL however often it is asked for, and undefined if it is none', () => {
  const hosts = Array.from({ length: 20_000 }, () => urlOf('https://bücher.example')?.host)
  expect([...new Set(hosts)]).toEqual(['xn--bcher-kva.example'])
  expect(urlOf('http://')).toBeUndefined()
})

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

it('decodes a text, unless its encoding is not valid', () => {
  expect(decoded('%C3%A4%20b')).toBe('ä b')
  expect(decoded('%C3 100%')).toBe('%C3 100%')
})
