import { describe, expect, it } from 'vitest'
import { relayedExchange } from '../../src/api/relay.ts'
import { callOf, NOW } from './call.ts'

function relayed(status: number, body = '', headers: string[] = [], target = '/v1/pets') {
  const call = callOf({ target, headers: ['Authorization', 'Bearer live_1234567890'] })
  call.sentKey = 'live_1234567890'
  return {
    ...relayedExchange(call, { status, headers, body: undefined }, { body, violations: [] }, NOW),
    call,
  }
}

describe('refusals of a service', () => {
  it.each([
    [401, '', 'refused:key'],
    [429, '{"code":"api_key_banned","message":"m"}', 'refused:ban'],
    [429, '{"code":"anything","message":"m"}', 'refused:window'],
    [429, '<html>', 'refused:window'],
    [404, '', 'refused:request'],
    [499, '', 'refused:request'],
    [500, '', 'served'],
    [399, '', 'served'],
  ])('%i %s is %s', (status, body, decision) => {
    expect(relayed(status, body).decision).toBe(decision)
  })

  it('has the code and message of its body as the reason', () => {
    const body = '{"code":"own_code","message":"Łódź","status":404}'
    expect(relayed(404, body).reason).toEqual({ code: 'own_code', message: 'Łódź' })
    expect(relayed(200, body).reason).toEqual({ code: 'served' })
  })

  it.each(['', '<html>Not found</html>', 'null', '[]', '{"code":404}'])(
    'has the reason unknown if the body is not an Error: %j',
    (body) => {
      expect(relayed(404, body).reason).toEqual({ code: 'unknown' })
    },
  )

  it.each(['', '<html>Not found</html>', 'null', '{"message":7}'])(
    'has the reason route_not_found on a path outside the interface: %j',
    (body) => {
      expect(relayed(404, body, [], '/v1/nowhere').reason).toEqual({ code: 'route_not_found' })
    },
  )

  it('may have a code without a message', () => {
    expect(relayed(400, '{"code":"bad"}').reason).toEqual({ code: 'bad' })
  })
})

describe('Retry-After of a service', () => {
  const wait = (retryAfter: string, status = 429) =>
    relayed(status, '', ['Retry-After', retryAfter]).call.retryAfter

  it.each([
    ['24', 24],
    ['Thu, 19 Nov 2026 12:35:00 GMT', 4],
    ['0', undefined],
    ['Thu, 19 Nov 2026 12:34:00 GMT', undefined],
    ['soon', undefined],
    ['-5', undefined],
  ])('%s is %s seconds', (retryAfter, seconds) => {
    expect(wait(retryAfter)).toBe(seconds)
  })

  it('is used for a 429 only', () => {
    expect(wait('24', 503)).toBeUndefined()
  })
})
