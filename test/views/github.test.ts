import { expect, it } from 'vitest'
import { annotations } from '../../src/views/github.ts'

it('one annotation a test, which no name of a test can end or forge', () => {
  const found = { requests: 3, first: [], findings: { 'early-retry': 2, banned: 1 } }
  const forged = 'a,title=b::c\r\n::error::100%\u001b[2J'
  expect(annotations([{ ...found, test: 'checkout › retries' }])).toBe(
    '::warning title=checkout › retries::checkout › retries: 2 early retries, 1 ban\n',
  )
  expect(annotations([{ ...found, test: forged }])).toBe(
    '::warning title=a%2Ctitle=b%3A%3Ac%0D%0A%3A%3Aerror%3A%3A100%25\\u001b[2J::a,title=b::c%0D%0A::error::100%25\\u001b[2J: 2 early retries, 1 ban\n',
  )
})
