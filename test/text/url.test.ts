import { expect, it } from 'vitest'
import { urlOf } from '../../src/text/url.ts'

it('a text is the same URL however often it is asked for, and undefined if it is none', () => {
  const hosts = Array.from({ length: 20_000 }, () => urlOf('https://bücher.example')?.host)
  expect([...new Set(hosts)]).toEqual(['xn--bcher-kva.example'])
  expect(urlOf('http://')).toBeUndefined()
})
