import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/api/call.ts'
import { decorate } from '../../src/api/decorate.ts'
import { fieldValue, fieldValues } from '../../src/world/traffic/message.ts'
import { policyWith } from '../world/policy.ts'
import { callOf, NOW } from './call.ts'

function decorated(answer: Answer, members = {}, decisions = {}, change = {}) {
  const policy = policyWith(decisions)
  return decorate(Object.assign(callOf(members), change), answer, policy)
}

const field = (reply: { headers: readonly string[] }, name: string) => fieldValue(reply.headers, name)

it('Date is rounded down to a second, X-RateLimit-Reset is rounded up', () => {
  const reply = decorated({ status: 204 })
  expect(field(reply, 'date')).toBe('Thu, 19 Nov 2026 12:34:56 GMT')
  expect(Number(field(reply, 'x-ratelimit-reset'))).toBe(Math.ceil((NOW + 60_000) / 1000))
  expect(field(reply, 'x-request-id')).toBe('req_000001')
})

it('Content-Length counts bytes, also for HEAD, which has no body', () => {
  const text = '"Łódź 🐕"'
  expect(field(decorated({ status: 200, text }), 'content-length')).toBe(String(Buffer.byteLength(text)))
  const head = decorated({ status: 200, text }, { method: 'HEAD' })
  expect([field(head, 'content-length'), head.body]).toEqual([String(Buffer.byteLength(text)), undefined])
})

it('no body means no Content-Type; an empty text has Content-Length 0', () => {
  expect(field(decorated({ status: 204 }), 'content-type')).toBeUndefined()
  expect(field(decorated({ status: 200, text: '' }), 'content-length')).toBe('0')
  expect(decorated({ status: 200, text: '{"a":[1]}' }).body).toBe('{"a":[1]}')
})

it('the code of an error is renamed by the decision, except the code of a fault rule', () => {
  const decisions = { 'errors.codes': 'pet_not_found:missing' }
  const body = (code: string, own = {}) =>
    JSON.parse(
      String(decorated({ status: 404, refusal: { code, message: 'm', ...own } }, {}, decisions).body),
    )
  expect(body('pet_not_found')).toEqual({ code: 'missing', message: 'm', status: 404 })
  for (const code of ['of_a_rule', 'constructor', '__proto__']) {
    expect(body(code)).toEqual({ code, message: 'm', status: 404 })
  }
  expect(body('pet_not_found', { isFinal: true })).toMatchObject({ code: 'pet_not_found' })
})

it('the reply of a service is changed only by a wire fault', () => {
  const reply = { status: 200, headers: ['A', '1'], body: 'x' }
  expect(decorated({ status: 200, reply })).toBe(reply)
  expect(decorated({ status: 200, reply, wire: 'reset' })).toEqual({ ...reply, wire: 'reset' })
})

describe('a deprecated operation', () => {
  const getPet = { target: '/v1/pets/1' }
  it('has Deprecation, and Sunset until it is removed', () => {
    const before = decorated({ status: 200, text: '{}' }, getPet)
    expect(field(before, 'deprecation')).toBe('@1764892800')
    expect(field(before, 'sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
    const removedOn = { 'get.removedOn': '2026-11-19T12:34:56.789Z', 'get.deprecatedSince': '2026-01-01' }
    const after = decorated({ status: 410 }, getPet, removedOn)
    expect([field(after, 'deprecation'), field(after, 'sunset')]).toEqual(['@1767225600', undefined])
  })

  it('has no Sunset for a key for which it is removed', () => {
    const caller = { key: 'psk_removed', plan: 'pro', trigger: { plan: 'pro', removed: true } }
    expect(field(decorated({ status: 410 }, getPet, {}, { caller }), 'sunset')).toBeUndefined()
  })

  it('is the only operation with Deprecation', () => {
    expect(field(decorated({ status: 200, text: '[]' }), 'deprecation')).toBeUndefined()
  })
})

describe('CORS', () => {
  const decisions = { 'cors.origins': 'https://a.example,null' }
  it.each([
    [['Origin', 'https://a.example'], 'https://a.example'],
    [['Origin', 'null'], 'null'],
    [['Origin', 'https://a.example.evil'], undefined],
    [['Origin', 'https://A.example'], undefined],
    [[], undefined],
  ])('%j is allowed as %s, with Vary: Origin', (headers, allowed) => {
    const reply = decorated({ status: 204 }, { headers }, decisions)
    expect(fieldValues(reply.headers, 'access-control-allow-origin')).toEqual(allowed ? [allowed] : [])
    expect(field(reply, 'vary')).toBe('Origin')
  })

  it('for all origins needs no Vary', () => {
    const reply = decorated({ status: 204 }, { headers: ['Origin', 'https://b.example'] })
    expect([field(reply, 'access-control-allow-origin'), field(reply, 'vary')]).toEqual(['*', undefined])
  })
})
