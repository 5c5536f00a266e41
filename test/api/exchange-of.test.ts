import { describe, expect, it } from 'vitest'
import { exchangeOf } from '../../src/api/exchange-of.ts'
import { JOURNAL_BODY_LIMIT } from '../../src/world/traffic/journal.ts'
import type { Reply, Request } from '../../src/world/traffic/message.ts'
import { callOf, NOW } from './call.ts'

const made = (request: Partial<Request>, reply: Partial<Reply> = {}, ended = NOW) =>
  exchangeOf(callOf(request), { status: 200 }, { status: 200, headers: [], body: undefined, ...reply }, ended)

describe('bodies', () => {
  const sent = (text: string) => made({ body: new TextEncoder().encode(text) }).request
  const answered = (body: string) => made({}, { body }).response

  it('are kept whole up to their limit in bytes, and cut beyond it', () => {
    const dogs = '🐕'.repeat(JOURNAL_BODY_LIMIT / 4)
    for (const kept of [sent(dogs), answered(dogs)]) {
      expect(kept).toEqual({ headers: [], body: dogs })
    }
    for (const kept of [sent(`${dogs}x`), answered(`${dogs}x`)]) {
      expect(kept).toEqual({ headers: [], body: dogs, truncated: true })
    }
    const whole = `x${dogs.slice(2)}`
    for (const kept of [sent(`x${dogs}`), answered(`x${dogs}`)]) {
      expect(kept).toEqual({ headers: [], body: whole, truncated: true })
    }
  })

  it('that were not read to their end are marked; a missing body is empty', () => {
    expect(made({ tooLarge: true }).request).toEqual({ headers: [], body: '', truncated: true })
    expect(made({}).request).toEqual({ headers: [], body: '' })
  })

  it('that are not UTF-8 are marked', () => {
    const body = Uint8Array.of(0x7b, 0xff, 0x7d)
    expect(made({ body }).request).toEqual({
      headers: [],
      body: '{\ufffd}',
      truncated: true,
      undecodable: true,
    })
    expect(sent('{\ufffd}')).toEqual({ headers: [], body: '{\ufffd}' })
  })

  it('that are a part of a larger buffer are kept without the rest of the buffer', () => {
    const body = new TextEncoder().encode('before{"a":1}after').subarray(6, 13)
    expect(made({ body }).request.body).toBe('{"a":1}')
  })
})

it('a lost response has neither status nor body, a truncated one has both', () => {
  const reply = { status: 201, headers: ['A', '1'], body: 'x' }
  expect(made({}, { ...reply, wire: 'reset' })).toMatchObject({
    status: 0,
    response: { headers: [], body: '' },
  })
  expect(made({}, { ...reply, wire: 'truncate' })).toMatchObject({ status: 201, response: { body: 'x' } })
})

it('the duration of a request is never negative', () => {
  expect([made({}, {}, NOW - 5).ms, made({}, {}, NOW + 5).ms]).toEqual([0, 5])
})
