import { describe, expect, it } from 'vitest'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import type { Operation } from '../../../src/contract/openapi/contract.ts'
import { checkObject, readJsonBody, readQuery } from '../../../src/contract/openapi/read-request.ts'
import type { ApiError } from '../../../src/world/api-error.ts'

const listPets = animalStoreContract().operations.get('listPets') as Operation

describe('a query', () => {
  const read = (query: string) => {
    const { values, violations, unknown } = readQuery(listPets, query)
    return {
      values,
      unknown,
      violations: violations.map(({ text, repeated }) => (repeated ? `${text}!` : text)),
    }
  }

  it.each([
    ['', {}],
    ['limit=1', { limit: 1 }],
    ['limit=100&status=sold', { limit: 100, status: 'sold' }],
    ['status=so%6Cd', { status: 'sold' }],
  ])('%j is %j', (query, values) => {
    expect(read(query)).toEqual({ values, unknown: [], violations: [] })
  })

  it.each([
    'limit=',
    'limit=0',
    'limit=101',
    'limit=01',
    'limit=+1',
    'limit=1.0',
    'limit=1e1',
    'limit=%201',
    'limit=١',
  ])('%s is not a limit', (query) => {
    expect(read(query)).toEqual({
      values: {},
      unknown: [],
      violations: ['limit must be an integer from 1 to 100'],
    })
  })

  it('a parameter that occurs twice is refused, even with equal values', () => {
    expect(read('limit=1&limit=1').violations).toEqual(['limit must be given once!'])
  })

  it('undeclared names are reported once each, as they were sent', () => {
    expect(read('?limit=2&Limit=1&a&a=1&=x&constructor=1').unknown).toEqual([
      '?limit',
      'Limit',
      'a',
      '',
      'constructor',
    ])
  })

  it('a required parameter is reported as missing if there is no query', () => {
    const required = { query: listPets.query.map((parameter) => ({ ...parameter, required: true })) }
    expect(readQuery(required, '').violations.map(({ text }) => text)).toEqual([
      'limit is required',
      'status is required',
    ])
  })
})

describe('a body', () => {
  const JSON_TYPE = 'application/json'
  function refusal(headers: string[], text: string | Uint8Array = '{}', tooLarge = false): string {
    const body = typeof text === 'string' ? new TextEncoder().encode(text) : text
    const request = { method: 'POST', target: '/v1/pets', headers, body, tooLarge, address: undefined }
    try {
      readJsonBody(request, 1024)
      return 'none'
    } catch (error) {
      const { code, message } = error as ApiError
      return `${code}: ${message}`
    }
  }

  it.each([
    JSON_TYPE,
    'APPLICATION/JSON ; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; version=1',
  ])('as %s is read', (type) => {
    expect(refusal(['Content-Type', type])).toBe('none')
    expect(refusal(['Content-Type', type, 'Content-Encoding', ' Identity '])).toBe('none')
  })

  it.each([
    'text/json',
    'application/json-patch+json',
    'application/json; charset=latin1',
    'application/json, application/json',
    '',
  ])('as %j is not', (type) => {
    expect(refusal(['Content-Type', type])).toMatch(/^unsupported_media_type: Send the body as/)
  })

  it('a long media type is cut in the message', () => {
    expect(refusal(['Content-Type', 'x'.repeat(10_000)]).length).toBeLessThan(300)
  })

  it('with a content coding is refused before it is parsed', () => {
    const headers = ['Content-Type', JSON_TYPE, 'Content-Encoding', 'identity', 'content-encoding', 'gzip']
    expect(refusal(headers, '{')).toMatch(/^unsupported_media_type.*Content-Encoding/)
  })

  it.each([
    ['', /^invalid_body: The request needs a body/],
    ['{"a":1', /^invalid_json: The body is not valid JSON: /],
    ['{"a":1,"a":2}', /^invalid_json/],
    ['[['.repeat(50_000), /^invalid_json: .*nested too deeply/],
  ])('%# is refused', (text, message) => {
    expect(refusal(['Content-Type', JSON_TYPE], text)).toMatch(message)
  })

  it('that is not UTF-8 has its own message', () => {
    const latin1 = Uint8Array.from([0x22, 0xe9, 0x22])
    expect(refusal(['Content-Type', JSON_TYPE], latin1)).toBe(
      'invalid_json: The body is not valid JSON: it is not UTF-8.',
    )
  })

  it('that is too large has its own message only if it is readable otherwise', () => {
    expect(refusal(['Content-Type', JSON_TYPE], '{', true)).toBe(
      'body_too_large: The body is larger than 1 KiB.',
    )
    expect(refusal([], '{', true)).toMatch(/^unsupported_media_type/)
  })

  it('must be an object', () => {
    for (const other of [null, [], 'x', 7, undefined])
      expect(() => checkObject(other)).toThrow('must be a JSON object')
    expect(checkObject({})).toEqual({})
  })
})
