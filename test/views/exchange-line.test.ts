import { expect, it } from 'vitest'
import { statusWord } from '../../src/text/status-word.ts'
import { PLAIN as paint } from '../../src/views/colours.ts'
import { exchangeLine, jsonLine } from '../../src/views/exchange-line.ts'
import { exchange } from '../support/exchange.ts'

it('masks keys, also percent-encoded ones, except for well-known ones', () => {
  const sent = exchange({
    path: '/v1/psk%5Fmine',
    query: 'a=psk%5Fyours&b=psk_business.w1',
    reason: { code: 'invalid_parameter', message: 'psk%5Fmine is not a parameter of listPets' },
  })
  for (const text of [exchangeLine(sent, paint), jsonLine(sent)]) {
    expect(text).not.toMatch(/(_|5F)(mine|yours)/)
    expect(text).toContain('psk_…')
    expect(text).toContain('psk_business.w1')
  }
})

it.each([
  ['psk_expired', 'key psk_expired '],
  ['psk_guessed', 'key psk_… '],
  ['somebody', 'key … '],
  [undefined, 'no key '],
])('has the refused key: %s', (key, shown) => {
  expect(
    exchangeLine(exchange({ key, plan: undefined, status: 401, decision: 'refused:key' }), paint),
  ).toContain(shown)
})

it('has no remaining requests of an invalid key, whatever the headers contain', () => {
  const headers = ['X-RateLimit-Limit', '60', 'X-RateLimit-Remaining', '60']
  const response = { ...exchange({}).response, headers }
  const remaining = (decision: 'served' | 'refused:key') =>
    JSON.parse(jsonLine(exchange({ decision, response }))).remaining
  expect(remaining('served')).toBe(60)
  expect(remaining('refused:key')).toBeNull()
})

it.each([
  [0, 'bad'],
  [200, 'good'],
  [404, 'warn'],
  [503, 'bad'],
])('the status %s has the colour of something %s', (status, colour) => {
  const named = Object.fromEntries(
    Object.keys(paint).map((name) => [name, (text: string) => `<${name}>${text}`]),
  )
  expect(exchangeLine(exchange({ status }), named as typeof paint)).toContain(
    `<${colour}>${statusWord(status)}`,
  )
})

it('is not aligned in a narrow terminal', () => {
  const sent = exchange({})
  const [wide, narrow] = [exchangeLine(sent, paint), exchangeLine(sent, paint, 80)]
  expect(wide).toMatch(/ {2}/)
  expect(narrow).toBe(wide.replaceAll(/ +/g, ' '))
})
