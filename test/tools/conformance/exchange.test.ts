import { describe, expect, it } from 'vitest'
import { isObject } from '../../../src/contract/openapi/json.ts'
import {
  createPet,
  fieldText,
  getPet,
  httpDateOf,
  isAfterRemoval,
  isOnDayOfRemoval,
  limitFields,
  responseText,
  retryAfter,
  type ServiceResponse,
  secretsOf,
  timestampText,
  valueText,
} from '../../../src/tools/conformance/exchange.ts'
import { idOf, withLongestId } from '../../../src/tools/conformance/received-pets.ts'

const AT = Date.parse('2026-11-19T12:34:56Z')
const KEY = 'live_secret_1234567890'
const answer = (headers: string[] = [], members: Partial<ServiceResponse> = {}): ServiceResponse => ({
  sent: { send: 'GET /pets' },
  operationId: 'listPets',
  request: 'GET /pets',
  status: 200,
  headers,
  body: '',
  json: undefined,
  at: AT,
  secrets: secretsOf(KEY),
  ...members,
})

describe('the number of milliseconds in Retry-After', () => {
  it.each([
    ['0', 0],
    ['24', 24_000],
    ['Thu, 19 Nov 2026 12:35:00 GMT', 4000],
    ['Thu, 19 Nov 2026 12:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['', undefined],
    ['soon', undefined],
    ['2026-11-19T12:35:00Z', undefined],
  ])('%j is %s ms', (value, milliseconds) => {
    expect(retryAfter(answer(['RETRY-AFTER', value]))).toBe(milliseconds)
  })

  it('is undefined if the field is repeated or missing', () => {
    expect(retryAfter(answer(['Retry-After', '1', 'Retry-After', '2']))).toBeUndefined()
    expect(retryAfter(answer())).toBeUndefined()
  })
})

it.each([
  ['Thu, 19 Nov 2026 12:34:56 GMT', AT],
  ['Thu, 19 Nov 2026 12:34:56 UTC', undefined],
  ['Thu, 99 Nov 2026 12:34:56 GMT', undefined],
  ['Thu, 19 Xyz 2026 12:34:56 GMT', undefined],
  [' Thu, 19 Nov 2026 12:34:56 GMT', undefined],
  [undefined, undefined],
])('%j is the instant %s', (text, instant) => {
  expect(httpDateOf(text)).toBe(instant)
})

it('limit headers are used only if all three are numbers', () => {
  const fields = (limit: string, remaining: string, reset?: string) =>
    limitFields(
      answer([
        ...['X-RateLimit-Limit', limit, 'x-ratelimit-remaining', remaining],
        ...(reset === undefined ? [] : ['X-RATELIMIT-RESET', reset]),
      ]),
    )
  expect(fields('60', '0', '1795091720')).toEqual({ limit: 60, remaining: 0, reset: 1795091720 })
  for (const [limit, remaining, reset] of [
    ['60', '-1', '1'],
    ['', '1', '1'],
    ['60', '1'],
    ['60.0', '1', '1'],
  ] as const) {
    expect(fields(limit, remaining, reset)).toBeUndefined()
  }
})

it('a timestamp beyond the year 9999 is shown as a number', () => {
  expect(timestampText(253_402_300_799)).toBe('9999-12-31T23:59:59.000Z')
  expect(timestampText(253_402_300_800)).toBe('253402300800')
})

describe('the text for a response', () => {
  it('is one line, without control characters and without the key', () => {
    const headers = ['Content-Type', 'text/plain']
    expect(responseText(answer(headers, { body: `a\r\n\u001b[2J${KEY}\u202e` }))).toBe(
      '200 text/plain a [2J…\\u202e',
    )
    expect(responseText(answer())).toBe('200 no Content-Type (no body)')
    const location = ['Location', `/login?key=${KEY}`]
    expect(responseText(answer(location, { status: 302 }))).toBe('302 to /login?key=…')
    expect(responseText(answer(location, { status: 201 }))).toBe('201 no Content-Type (no body)')
  })

  it('is cut', () => {
    expect(responseText(answer([], { body: 'x'.repeat(10_000) })).length).toBeLessThan(250)
  })

  it('keeps every digit of a value', () => {
    expect(valueText({ id: 9007199254740993n }, answer())).toBe('{"id":9007199254740993}')
    expect(valueText(undefined, answer())).toBe('nothing')
    expect(valueText(null, answer())).toBe('null')
  })

  it('is a header field, or says that it is missing', () => {
    expect(fieldText(answer(['retry-after', '5']), 'Retry-After')).toBe('Retry-After: 5')
    expect(fieldText(answer(), 'Retry-After')).toBe('no Retry-After')
  })

  it('a short key is not masked, since it may be part of any word', () => {
    expect(responseText(answer([], { body: 'a pet', secrets: secretsOf('pet') }))).toContain('a pet')
  })
})

describe('the day of removal', () => {
  const day = Date.UTC(2030, 11, 5)
  it('begins in UTC for expectations, and includes that day in every time zone for tolerances', () => {
    expect([isAfterRemoval(answer([], { at: day - 1 })), isAfterRemoval(answer([], { at: day }))]).toEqual([
      false,
      true,
    ])
    expect(isOnDayOfRemoval(Date.parse('2030-12-05T00:00:00+14:00'))).toBe(true)
    expect(isOnDayOfRemoval(Date.parse('2030-12-04T23:59:59+14:00'))).toBe(false)
    expect(isOnDayOfRemoval(Date.parse('2030-12-06T00:00:00-12:00'))).toBe(true)
    expect(isOnDayOfRemoval(Date.parse('2030-12-06T12:00:00Z') + 1)).toBe(false)
  })
})

describe('pets and requests', () => {
  it('an id is compared by its digits', () => {
    expect(idOf({ id: 9223372036854775807n })).toBe('9223372036854775807')
    expect(idOf({ id: '1' })).not.toBe(idOf({ id: 1 }))
    expect(withLongestId([{ id: 5 }, { id: 9007199254740993n }, { id: 12 }])).toEqual({
      id: 9007199254740993n,
    })
    expect(withLongestId([])).toBeUndefined()
  })

  it('only an object is a pet', () => {
    expect([{}, null, [], 'x', 7].map(isObject)).toEqual([true, false, false, false, false])
  })

  it('a body is sent unchanged, or as JSON with every digit', () => {
    expect(createPet({ categoryId: 9007199254740993n }).body).toBe('{"categoryId":9007199254740993}')
    expect([createPet('{').body, createPet('').body, 'body' in createPet()]).toEqual(['{', '', false])
    expect(getPet(9007199254740993n).send).toBe('GET /pets/9007199254740993')
    expect(getPet('a b').send).toBe('GET /pets/a%20b')
  })
})
