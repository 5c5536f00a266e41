import { expect, it } from 'vitest'
import { Keyring } from '../../../src/world/keys/key.ts'
import { Secrets } from '../../../src/world/traffic/masking.ts'

const known = (...keys: string[]) => {
  const secrets = new Secrets()
  secrets.add(keys)
  return secrets
}

it.each([
  ['a custom key of the team', 'team-secret-0001', 'x team-secret-0001 y'],
  ['within another word', 'team-secret-0001', 'xteam-secret-0001y'],
  ['in other letters', 'Team-Secret-0001', 'team-secret-0001 TEAM-SECRET-0001'],
  ['percent-encoded', 'team-secret-0001', '/v1/te%61m%2Dsecret%2d0001'],
  ['encoded twice', 'team-secret-0001', '?a=team%252Dsecret%252D0001'],
  ['escaped as JSON has it', 'team-secret-0001', '{"name":"\\u0074eam-secret-0001"}'],
  ['with its suffix', 'team-secret-0001', 'team-secret-0001.worker-3'],
  ['as a word of its own, when it is short', 'abc', '/v1/abc?x=abc&y={"abc":1}'],
  ['issued by the sandbox', 'psk_pro_A1b2C3', 'a psk_pro_A1b2C3.w1 psk%5Fpro_A1b2C3'],
])('masks a key %s', (_, key, text) => {
  const shown = known(key).mask(text).toLowerCase()
  expect(shown).not.toContain(key.toLowerCase())
  expect(shown).not.toMatch(/%61|%2d|0074|a1b2/i)
  expect(shown).toContain('…')
})

it('leaves a short key in longer words, and what everybody knows', () => {
  const text = 'abcd psk_free psk_pro.w1 %20 ?page=2&status=sold {"name":"Rex","id":12,"status":"sold"}'
  expect(known('abc').maskBody(text)).toBe(text)
})

it.each([
  ['X-Auth-Token', 'abc'],
  ['Api-Key', 'abc'],
  ['X-Goog-Api-Key', 'abc'],
  ['X-API-Key', 'abc'],
  ['Cookie', 'session=abc; theme=dark'],
  ['Set-Cookie', 'a=abc; Path=/'],
  ['Proxy-Authorization', 'Basic YWJj'],
  ['Authorization', 'abc'],
  ['Referer', 'http://a/?access_token=abc'],
])('masks the header field %s by its name', (name, value) => {
  const [shown] = Object.values(new Secrets().maskHeaders([name, value]))
  expect(shown).not.toMatch(/abc|YWJj|dark/)
})

it('leaves header fields that hold no secret', () => {
  const headers = { 'idempotency-key': 'k-1', accept: 'a/b', 'x-ratelimit-limit': '60' }
  expect(new Secrets().maskHeaders(Object.entries(headers).flat())).toEqual(headers)
})

it.each([
  'api_key=abc&limit=2',
  'limit=2&access_token=abc',
  'api%5Fkey=abc',
  '{"token":"abc","limit":2}',
  '{"limit":2,"client_secret" : "a\\"abc"}',
  '{"limit":2,"password":"abc',
])('masks parameters and members by their name: %s', (text) => {
  const shown = new Secrets().maskBody(text)
  expect(shown).not.toContain('abc')
  expect(shown).toContain('…')
})

it('masks the command line of a client', () => {
  const words = [
    'curl',
    '-H',
    'Authorization: Bearer abc',
    '--token',
    'abc',
    '--api-key=abc',
    'TOKEN=abc',
    'team-key-0000001',
  ]
  const shown = known('team-key-0000001').maskWords(words)
  expect(shown.join(' ')).not.toMatch(/abc|team/)
  expect(shown.slice(0, 3)).toEqual(['curl', '-H', 'Authorization: Bearer …'])
})

it('leaves no beginning of a key where a body was cut', () => {
  expect(known('team-secret-0001').maskBody('{"name":"team-secr', undefined, true)).toBe('{"name":"…')
  expect(known('team-secret-0001').maskBody('{"name":"tea', undefined, true)).toBe('{"name":"tea')
})

it('knows the keys of every namespace, also those that are revoked or replaced', () => {
  const base = new Keyring([{ key: 'fixture-key-0001', plan: 'free' }])
  const own = new Keyring([], base)
  own.replace(own.with({ key: 'issued-key-00001', plan: 'pro', issued: true }))
  own.replace([])
  expect(base.secrets.mask('fixture-key-0001 issued-key-00001')).toBe('… …')
})

it('takes time that grows with the text only, whatever the text', () => {
  const steps = (length: number, unit: string) => {
    const secrets = known(...Array.from({ length: 500 }, (_, i) => `team-secret-${i}-${'x'.repeat(8)}`))
    const text = unit.repeat(Math.ceil(length / unit.length))
    secrets.maskBody(text, 'own-key-000001')
    const began = process.cpuUsage()
    for (let i = 0; i < 3; i++) secrets.maskBody(text, 'own-key-000001')
    const { user, system } = process.cpuUsage(began)
    return user + system
  }
  for (const unit of [
    '"',
    '\\"',
    '"a',
    '"a":',
    '%70',
    '\\u0070',
    'a=',
    '&',
    'psk_',
    'team-secret-',
    '"a" ',
    '"token":"\\',
  ]) {
    const ratio = steps(256 * 1024, unit) / Math.max(2000, steps(16 * 1024, unit))
    expect(ratio, unit).toBeLessThan(100)
  }
})
