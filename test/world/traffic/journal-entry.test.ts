import { describe, expect, it } from 'vitest'
import { DAY } from '../../../src/time/instant.ts'
import { Secrets } from '../../../src/world/keys/secrets.ts'
import type { ChargeResult } from '../../../src/world/limits/meter.ts'
import { UNLIMITED } from '../../../src/world/plan.ts'
import type { Finding } from '../../../src/world/traffic/findings.ts'
import { entryOf, notesAbout, notesOf } from '../../../src/world/traffic/journal-entry.ts'
import { exchange } from '../../support/exchange.ts'

const NOON = Date.parse('2026-11-19T12:00:00Z')

describe('a journal entry contains no complete key', () => {
  it.each([
    ['psk_pro2', 'psk_pro2'],
    ['psk_pro_A1b2C3d4.w-1', 'psk_pro_A1b2C3d4'],
    ['team-secret.w1', 'team-secret'],
  ])('%s, at any place of the request', (sent, key) => {
    const secrets = new Secrets()
    secrets.addSent(key)
    const entry = entryOf(
      exchange({
        key,
        secrets,
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

it('has the decision of a refused request, also if a word of it is a key', () => {
  const secrets = new Secrets()
  secrets.add(['request'])
  expect(entryOf(exchange({ secrets, decision: 'refused:request' })).decision).toBe('refused:request')
})

it('has the facts of the exchange', () => {
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
    receivedAt: '2026-11-19T12:34:56.000Z',
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
    why: 'Served.',
    reason: { code: 'served', text: 'Served.', short: '' },
    findings: [{ kind: 'duplicate', of: 'req_000007', text: 'possible duplicate of req_000007' }],
    warnings: ['possible duplicate of req_000007'],
    request: { headers: { host: 'localhost:4010' }, body: '' },
    response: { headers: { 'content-type': 'application/json' }, body: '[]' },
  })
})

it('marks a truncated body', () => {
  const { request } = entryOf(exchange({ request: { headers: [], body: '{"name":"aaa', truncated: true } }))
  expect(request).toEqual({ headers: {}, body: '{"name":"aaa… (cut at 16 KiB)', truncated: true })
})

it('marks a body that is not UTF-8', () => {
  const sent = { headers: [], body: '{\ufffd}', truncated: true, undecodable: true } as const
  expect(entryOf(exchange({ request: sent })).request).toEqual({
    headers: {},
    body: '{\ufffd}… (not UTF-8; other bytes were sent)',
    truncated: true,
  })
})

it('joins a repeated header field', () => {
  const headers = ['Accept', 'a', 'accept', 'b']
  expect(entryOf(exchange({ request: { headers, body: '' } })).request.headers).toEqual({ accept: 'a, b' })
})

const CHARGED: ChargeResult = {
  outcome: 'counted',
  span: 'minute',
  quota: { limit: 60, remaining: 45, resetsAt: NOON + 30_000 },
  minute: { limit: 60, remaining: 45, resetsAt: NOON + 30_000 },
  day: { limit: UNLIMITED, remaining: UNLIMITED, resetsAt: NOON + DAY },
  triggered: undefined,
  startsBan: false,
}

describe('both windows before and after', () => {
  const left = (members: Partial<ChargeResult>) => {
    const { before, after } = entryOf(exchange({ charged: { ...CHARGED, ...members } })).quota ?? {}
    return [before?.minute.remaining, after?.minute.remaining, before?.day.remaining, after?.day.remaining]
  }

  it('a charged request uses one of each window that has a limit', () => {
    expect(left({})).toEqual([46, 45, UNLIMITED, UNLIMITED])
  })

  it('a refused one uses nothing, unless a trigger key uses up its window', () => {
    expect(left({ outcome: 'window', minute: { ...CHARGED.minute, remaining: 0 } })).toEqual([
      ...[0, 0, UNLIMITED, UNLIMITED],
    ])
    const triggered = {
      outcome: 'window',
      triggered: 'minute',
      minute: { ...CHARGED.minute, remaining: 0 },
    } as const
    expect(left(triggered).slice(0, 2)).toEqual([60, 0])
  })
})

it('masks a key that a rule adds to a response', () => {
  const effect = { status: 503, code: 'psk_secret1', message: 'for psk_secret2' }
  const acted = { rule: 'fault_1', effect, when: 'before' } as const
  expect(JSON.stringify(entryOf(exchange({ acted })))).not.toMatch(/secret[12]/)
})

describe('notable facts', () => {
  it('are empty for a served request', () => {
    expect(notesOf(entryOf(exchange()))).toBe('')
  })

  it('have each sentence once', () => {
    const findings: Finding[] = [{ kind: 'invalid-request' }, { kind: 'deprecated-call' }]
    const reason = { code: 'invalid_body', message: 'name is required' }
    expect(notesOf(entryOf(exchange({ status: 400, reason, findings })))).toBe(
      'Invalid body: name is required. Also: listPets is deprecated',
    )
  })
})

describe('an exchange and its journal entry have the same remarks', () => {
  const refused = { code: 'invalid_parameter', message: 'psk_mine is not a parameter of listPets' }
  const ignored: Finding = { kind: 'ignored-input', inputs: ['parameter psk_mine', 'field x'], more: 2 }
  it.each([
    ['served', {}, ''],
    [
      'served, with findings',
      { findings: [ignored, { kind: 'duplicate', of: 'req_000001' }] },
      'psk_… is not known',
    ],
    [
      'refused',
      { status: 400, reason: refused, findings: [{ kind: 'invalid-request' }] },
      'psk_… is not a parameter',
    ],
    [
      'refused, with findings',
      { status: 400, reason: refused, findings: [ignored] },
      ' Also: parameter psk_…',
    ],
    [
      'replaced',
      { status: 503, acted: { rule: 'flt_000001', effect: { status: 503 }, when: 'before' } },
      'replaced',
    ],
  ] as const)('%s', (_, members, part) => {
    const sent = exchange(members)
    expect(notesAbout(sent)).toBe(notesOf(entryOf(sent)))
    expect(notesAbout(sent)).toContain(part)
    expect(notesAbout(sent) === '').toBe(part === '')
  })
})
