import { describe, expect, it } from 'vitest'
import { entryOf } from '../../../src/world/traffic/journal-entry.ts'
import { exchange } from '../../support/exchange.ts'

describe('a journal entry holds no whole key', () => {
  it.each([
    ['psk_pro2', 'psk_pro2'],
    ['psk_pro_A1b2C3d4.w-1', 'psk_pro_A1b2C3d4'],
    ['team-secret.w1', 'team-secret'],
  ])('%s, wherever it was sent', (sent, key) => {
    const entry = entryOf(
      exchange({
        key,
        decision: `fault:${key}`,
        path: `/v1/pets/${sent}`,
        query: `api_key=${sent}&x=${sent.replace('_', '%5F').replace('s', '%73')}`,
        findings: [{ kind: 'ignored-input', inputs: [`parameter ${sent}`], more: 0 }],
        request: {
          headers: [
            'Authorization',
            `Bearer ${sent}`,
            'X-Api-Key',
            sent,
            'Referer',
            `http://a/?k=${sent}`,
            'Cookie',
            sent,
          ],
          body: `{"name":"${sent}"}`,
        },
        response: { headers: ['X-Echo', `a ${sent}`], body: `{"name":"my_${sent}"}` },
      }),
    )
    const bare = key.replace('psk_', '')
    expect(JSON.stringify(entry)).not.toContain(bare)
    expect(entry.request.headers.authorization).toMatch(/^Bearer (psk_)?…$/)
  })
})

it('reads as it happened', () => {
  expect(
    entryOf(
      exchange({
        key: undefined,
        plan: undefined,
        operationId: undefined,
        query: 'q=%F0%9F%90%B6',
        findings: [{ kind: 'duplicate', of: 'req_000007' }],
      }),
    ),
  ).toEqual({
    id: 'req_000001',
    at: '2026-11-19T12:34:56.000Z',
    namespace: 'default',
    key: null,
    plan: null,
    operationId: null,
    method: 'GET',
    path: '/v1/pets',
    query: 'q=%F0%9F%90%B6',
    status: 200,
    ms: 1,
    decision: 'served',
    findings: [{ kind: 'duplicate', of: 'req_000007' }],
    warnings: ['possible duplicate of req_000007'],
    request: { headers: { host: 'localhost:4010' }, body: '' },
    response: { headers: { 'content-type': 'application/json' }, body: '[]' },
  })
})

it('says that a body was cut', () => {
  const { request } = entryOf(exchange({ request: { headers: [], body: '{"name":"aaa', truncated: true } }))
  expect(request).toEqual({ headers: {}, body: '{"name":"aaa… (cut at 16 KiB)', truncated: true })
})

it('says that a body was not UTF-8', () => {
  const sent = { headers: [], body: '{\ufffd}', truncated: true, undecodable: true } as const
  expect(entryOf(exchange({ request: sent })).request).toEqual({
    headers: {},
    body: '{\ufffd}… (not UTF-8; other bytes were sent)',
    truncated: true,
  })
})

it('joins a repeated header', () => {
  const headers = ['Accept', 'a', 'accept', 'b']
  expect(entryOf(exchange({ request: { headers, body: '' } })).request.headers).toEqual({ accept: 'a, b' })
})
