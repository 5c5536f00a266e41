import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Pseudonyms } from '../../src/past/pseudonyms.ts'
import { BUILT_IN_KEYS } from '../../src/world/keys/key.ts'

const key = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{12,60}$/),
  fc.stringMatching(/^psk_(free|pro|enterprise)_[a-z0-9]{3,20}$/),
)

it('each key has one of the same length and form, and none of the keys is left in a text', () => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 8 }), (keys) => {
      const pseudonyms = new Pseudonyms()
      for (const each of keys) pseudonyms.addSent(each)
      const long = keys.filter((each) => each.length >= 12)
      const made = long.map((each) => pseudonyms.key(each))
      expect(new Set(made).size).toBe(long.length)
      for (const [i, each] of long.entries()) {
        expect(made[i]).toHaveLength(each.length)
        expect(made[i]).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(made[i]?.startsWith('psk_')).toBe(each.startsWith('psk_'))
        expect(long).not.toContain(made[i])
        expect(pseudonyms.text(`/keys/${each}?x=${each}.`)).toBe(`/keys/${made[i]}?x=${made[i]}.`)
      }
    }),
  )
})

describe('what is replaced', () => {
  const pseudonyms = new Pseudonyms()
  for (const key of ['psk_pro_0123456789', 'psk_pro_0123456789abc', 'team', 'a$(b)', 'psk_free', ''])
    pseudonyms.add(key)
  const long = pseudonyms.key('psk_pro_0123456789abc')

  it('a long key everywhere, also where a shorter one is its beginning', () => {
    expect(pseudonyms.text('xpsk_pro_0123456789abcx')).toBe(`x${long}x`)
  })

  it('a short key only where a key stands', () => {
    const short = pseudonyms.key('team')
    expect(short).not.toBe('team')
    expect(
      pseudonyms.text('my team /keys/team/limits?key=team&x "key":"team" The key team is not valid'),
    ).toBe(`my team /keys/${short}/limits?key=${short}&x "key":"${short}" The key ${short} is not valid`)
    expect(pseudonyms.text('/keys/teamwork ?key=teams')).toBe('/keys/teamwork ?key=teams')
  })

  it('a key with characters that are percent-encoded or escaped, which stay so', () => {
    const [key, text] = ['psk_pro_0123456789', '/keys/%70sk%5fpro_01234567%38%39/ban?name=%C3%BC%7']
    const shown = pseudonyms.text(text)
    expect(shown).toHaveLength(text.length)
    expect(shown.replaceAll(/%[0-7]./g, decodeURIComponent)).toBe(
      `/keys/${pseudonyms.key(key)}/ban?name=%C3%BC%7`,
    )
    const body = pseudonyms.text('{"key":"\\u0070sk_pro_0123456789","name":"\\u0070\\ud83d"}')
    expect(body).toHaveLength(55)
    expect(JSON.parse(body)).toEqual({ key: pseudonyms.key(key), name: 'p\ud83d' })
    expect(decodeURIComponent(pseudonyms.text('/keys/%74eam'))).toBe(`/keys/${pseudonyms.key('team')}`)
  })

  it('no built-in key, which everybody knows', () => {
    for (const built of Object.keys(BUILT_IN_KEYS)) expect(pseudonyms.key(built)).toBe(built)
    expect(pseudonyms.key('')).toBe('')
  })

  it('a key that has marks of patterns in it', () => {
    expect(pseudonyms.text('/keys/a$(b)')).toBe(`/keys/${pseudonyms.key('a$(b)')}`)
  })

  it('a short word that was sent as a key is left alone', () => {
    pseudonyms.addSent('word')
    expect(pseudonyms.key('word')).toBe('word')
  })
})

describe('credentials', () => {
  const headers = (isControl: boolean, ...fields: string[]) => new Pseudonyms().headers(fields, isControl)

  it('a key in Authorization keeps its scheme and its namespace', () => {
    const pseudonyms = new Pseudonyms()
    const [, value] = pseudonyms.headers(['Authorization', 'bearer  unknown_key_1234.w1'], false)
    expect(value).toBe(`bearer  ${pseudonyms.key('unknown_key_1234')}.w1`)
    expect(value).not.toContain('unknown_key_1234')
  })

  it.each([
    [['Authorization', 'Basic dXNlcjpwYXNz'], 'Basic cut'],
    [['Authorization', 'secret'], 'cut'],
    [['Authorization', 'psk_alone'], 'psk_cut'],
    [['Cookie', 'session=1; other=2'], 'cut'],
    [['X-Api-Key', 'secret'], 'cut'],
    [['X-Trace', 'secret'], 'secret'],
  ])('%j is recorded as %j', (fields, value) => {
    expect(headers(false, ...fields)[1]).toBe(value)
  })

  it('in the edits of a request that is sent again are those of header fields', () => {
    const pseudonyms = new Pseudonyms()
    const edit = (headers: object) => JSON.stringify({ into: 'w1', edits: { body: '{"id":9}', headers } })
    const sent = edit({
      authorization: 'Bearer unknown_key_1234.w2',
      Cookie: 'sid=1',
      accept: null,
      'x-n': 1,
    })
    const unknown = pseudonyms.headers(['Authorization', 'Bearer unknown_key_1234.w2'], false)[1]
    expect(unknown).not.toContain('unknown_key_1234')
    expect(pseudonyms.callBody(sent)).toBe(
      edit({ authorization: unknown, Cookie: 'cut', accept: null, 'x-n': 1 }),
    )
    for (const text of ['{"edits":{"headers":', '{"edits":null}', '{"edits":{"headers":[]}}', '"edits"', ''])
      expect(pseudonyms.callBody(text)).toBe(text)
  })

  it('the token of a control call is cut', () => {
    expect(headers(true, 'Authorization', 'Bearer psk_pro')[1]).toBe('Bearer cut')
  })
})
