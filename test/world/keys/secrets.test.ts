import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Budget, KEPT_BYTES } from '../../../src/world/budget.ts'
import { BUILT_IN_KEYS } from '../../../src/world/keys/built-in-keys.ts'
import { Keyring } from '../../../src/world/keys/key.ts'
import { maskWords, Secrets } from '../../../src/world/keys/secrets.ts'
import { everyCharacter, hasKey } from '../../support/has-key.ts'

const known = (...keys: string[]) => {
  const secrets = new Secrets()
  secrets.add(keys)
  return secrets
}

const twice = (text: string) => encodeURIComponent(encodeURIComponent(text))

const KEY = 'team-secret-0001'
const ISSUED = 'psk_pro_A1b2C3d4'

/** Texts with a key, in different encodings. */
const FORMS: readonly (readonly [form: string, make: (key: string) => string])[] = [
  ['a sentence', (key) => `the ${key} here`],
  ['a longer word', (key) => `/${key}/`],
  ['a path', (key) => `/_sandbox/keys/${key}/limits`],
  ['a query', (key) => `?name=${key}&limit=2`],
  ['a suffix', (key) => `Bearer ${key}.worker-3`],
  ['a member of JSON', (key) => `{"name":"${key}"}`],
  ['JSON in JSON', (key) => JSON.stringify({ body: JSON.stringify({ name: `"${key}"` }) })],
  ['JSON with escapes', (key) => `{"name":"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}"}`],
  ['percent-encoded characters', everyCharacter],
  ['percent-encoded twice', (key) => twice(everyCharacter(key))],
  ['percent-encoded four times', (key) => `a=${twice(twice(`/${key}`))}`],
  ['digits of encodings that are encoded', (key) => everyCharacter(key).replaceAll('7', '%37')],
  ['Base64', (key) => btoa(`xy ${key} z`)],
  ['Base64 behind another byte', (key) => btoa(`x${key}`)],
  ['Base64 within a path', (key) => `/ab/${btoa(key)}`],
  ['Base64 of URLs', (key) => `?cursor=${btoa(`>>>${key}???`).replaceAll('+', '-').replaceAll('/', '_')}`],
  ['UTF-16', (key) => key.replaceAll(/./gs, '$&\0')],
  ['UTF-16 the other way round', (key) => key.replaceAll(/./gs, '\0$&')],
]

describe.each([KEY, ISSUED])('%s', (key) => {
  it.each(FORMS)('is in no text for people as %s', (_, make) => {
    expect(hasKey(make(key), key)).toBe(true)
    for (const text of [make(key), make(key.toUpperCase())]) {
      const shown = known(key).mask(text)
      expect(hasKey(shown, key)).toBe(false)
      expect(shown).toContain('…')
      expect(known(key).mask(shown)).toBe(shown)
    }
  })

  it.each(FORMS)('has a pseudonym as %s, and nothing else is changed', (form, make) => {
    const { pseudonyms } = known(key)
    const pseudonym = pseudonyms.key(key)
    // An encoded digit cannot be replaced alone.
    if (!form.startsWith('digits')) expect(pseudonyms.text(make(key))).toBe(make(pseudonym))
    expect(hasKey(pseudonyms.text(make(key)), key)).toBe(false)
    const other = pseudonyms.text(make(key.toUpperCase()))
    expect(hasKey(other, key)).toBe(false)
    // With other letter case it is another key.
    expect(hasKey(other, pseudonym)).toBe(false)
  })
})

it('does not mask a short key within words, or well-known keys', () => {
  const text = 'abcd psk_free psk_pro.w1 %20 ?page=2&status=sold {"name":"Rex","id":12,"status":"sold"}'
  for (const rewriter of [known('abc').masks, known('abc').pseudonyms]) expect(rewriter.text(text)).toBe(text)
  for (const built of Object.keys(BUILT_IN_KEYS)) expect(new Secrets().pseudonyms.key(built)).toBe(built)
})

it('masks a short key as a whole word', () => {
  expect(known('abc').mask('/v1/abc?x=abc&y={"abc":1}')).toBe('/v1/…?x=…&y={"…":1}')
})

it('replaces a short key by a pseudonym only where keys occur, since it may be any word', () => {
  const { pseudonyms } = known('team')
  const short = pseudonyms.key('team')
  expect(short).not.toBe('team')
  expect(pseudonyms.text('my team /keys/team/limits?key=team&x "key":"team" The key team is not valid')).toBe(
    `my team /keys/${short}/limits?key=${short}&x "key":"${short}" The key ${short} is not valid`,
  )
  const others = '/keys/teamwork ?key=teams The key word is not valid'
  expect(pseudonyms.text(others)).toBe(others)
})

it('replaces a key of two characters alike in a header field, in a body and in a message', () => {
  const { pseudonyms } = known('ab')
  const short = pseudonyms.key('ab')
  expect(pseudonyms.headers(['Authorization', 'Bearer ab'])).toEqual(['Authorization', `Bearer ${short}`])
  expect(pseudonyms.text('{"key":"ab","name":"ab ab"}')).toBe(`{"key":"${short}","name":"ab ab"}`)
  expect(pseudonyms.text('The key ab exists, the key a does not, nor key ab-c.')).toBe(
    `The key ${short} exists, the key a does not, nor key ab-c.`,
  )
})

it.each([
  ['X-Auth-Token', 'abc', '…'],
  ['Api-Key', 'abc', '…'],
  ['X-Goog-Api-Key', 'abc', '…'],
  ['X-Signature', 'abc', '…'],
  ['X-Auth-Key', 'abc', '…'],
  ['Ocp-Apim-Subscription-Key', 'abc', '…'],
  ['X-Session', 'abc', '…'],
  ['Authentication', 'abc', '…'],
  ['DPoP', 'abc', '…'],
  ['Cf-Access-Jwt-Assertion', 'abc', '…'],
  ['X-Functions-Key', 'abc', '…'],
  ['X-Hub-Signature-256', 'sha256=abc', '…'],
  ['Cookie', 'session=abc; theme=dark', '…'],
  ['Set-Cookie', 'a=abc; Path=/', '…'],
  ['Proxy-Authorization', 'Basic YWJj', 'Basic …'],
  ['Authorization', 'abc', '…'],
  ['Authorization', 'Bearer <abc>', 'Bearer …'],
  ['Authorization', 'Bearer {abc}', 'Bearer …'],
  ['Authorization', 'Bearer <key>', 'Bearer <key>'],
  ['X-Api-Key', '[abc]', '…'],
  ['Authorization', 'psk_alone', 'psk_…'],
  ['Authorization', 'bearer  abc.w1', 'bearer  …'],
  ['Authorization', 'Bearer psk_pro.w1', 'Bearer psk_pro.w1'],
  ['Referer', 'http://a/?access_token=abc', 'http://a/?access_token=…'],
  ['Idempotency-Key', 'abc', 'abc'],
  ['X-Trace', 'abc', 'abc'],
  ['X-RateLimit-Limit', '60', '60'],
])('the header field %s: %s is shown as %s', (name, value, shown) => {
  const secrets = new Secrets()
  expect(secrets.masks.headers([name, value])).toEqual([name, shown])
  const [, pseudonym = ''] = secrets.pseudonyms.headers([name, value])
  expect(pseudonym).toHaveLength(value.length)
  if (shown.includes('…')) expect(pseudonym).not.toContain('abc')
  else expect(pseudonym).toBe(value)
})

it.each([
  ['api_key=abc&limit=2', 'api_key=…&limit=2'],
  ['limit=2&access_token=abc', 'limit=2&access_token=…'],
  ['?control_token=abc#b', '?control_token=…#b'],
  ['api%5Fkey=abc', 'api%5Fkey=…'],
  ['password=a+b%26abc', 'password=…'],
  ['api_key={abc}&token=[abc]', 'api_key=…&token=…]'],
  ['{"token":"abc…abc"}', '{"token":"…"}'],
  ['sig=abc&session=abc', 'sig=…&session=…'],
  ['to=https%3A%2F%2Fa%2F%3Faccess_token%3Dabc&b=c', 'to=https%3A%2F%2Fa%2F%3Faccess_token%3D…&b=c'],
  ['No animal has the identifier token=abc.', 'No animal has the identifier token=….'],
  ['{"token":["abc","d-abc"],"a":["e"]}', '{"token":["…","…"],"a":["e"]}'],
  ['{"credentials":{"value":"abc","at":1}}', '{"credentials":{"value":"…","at":1}}'],
  ['{"token":"abc","limit":2}', '{"token":"…","limit":2}'],
  ['{"limit":2,"client_secret" : "a\\"abc"}', '{"limit":2,"client_secret" : "…"}'],
  ['{"limit":2,"password":"abc', '{"limit":2,"password":"…'],
  ['{"secret":1234567,"limit":2}', '{"secret":"…","limit":2}'],
  ['{"name":"<a password=\\"abc\\"/>"}', '{"name":"<a password=\\"…\\"/>"}'],
  ['password="abc d-abc" limit=2', 'password="…" limit=2'],
  ["<a token='abc d-abc' b='c'/>", "<a token='…' b='c'/>"],
  ['{"name":"<a password=\\"abc d-abc\\"/>"}', '{"name":"<a password=\\"…\\"/>"}'],
  ['<a href="?token=">b c</a> <a href="d">', '<a href="?token=">b c</a> <a href="d">'],
  ['{"name":"password=\'abc","a":"it\'s"}', '{"name":"password=\'…","a":"it\'s"}'],
  ['{"name":"password=abc\\" b"}', '{"name":"password=…\\" b"}'],
  ['{"name":"password="}', '{"name":"password="}'],
  ['{"next":["?token="]}', '{"next":["?token="]}'],
  ['{"name":"password=abc\\\\"}', '{"name":"password=…"}'],
  ['{"tokens":["abc\\\\",{"a":"b%22c"}],"name":"d"}', '{"tokens":["…",{"a":"…"}],"name":"d"}'],
  ['{"name":"{\\"tokens\\":[","a":"b"}', '{"name":"{\\"tokens\\":[","a":"b"}'],
  ['{"name":"{\\"password\\":\\"abc\\"}"}', '{"name":"{\\"password\\":\\"…\\"}"}'],
  ['{"name":"{\\"secret\\":1234567}"}', '{"name":"{\\"secret\\":…}"}'],
  ['{"name":"\\"secret\\":","a":"b"}', '{"name":"\\"secret\\":","a":"b"}'],
  ['{"secret":1234567.5e9}', '{"secret":"…"}'],
  ['user[password]=abc&limit=2', 'user[password]=…&limit=2'],
  ['tokens%5B%5D=abc&userToken[0]=abc', 'tokens%5B%5D=…&userToken[0]=…'],
  ['user[password][]=abc&user%5Bpassword%5D%5B%5D=abc', 'user[password][]=…&user%5Bpassword%5D%5B%5D=…'],
  ['{"tokens":15,"usage":{"max_tokens":100}}', '{"tokens":15,"usage":{"max_tokens":100}}'],
  ['max_tokens=100&pass=1234567', 'max_tokens=100&pass=…'],
  [
    'password_confirmation=abc&passwordConfirm=abc&passcode=abc&signingKey=abc',
    'password_confirmation=…&passwordConfirm=…&passcode=…&signingKey=…',
  ],
  ['PHPSESSID=abc&client_assertion=abc', 'PHPSESSID=…&client_assertion=…'],
  [
    '{"tokens":[{"value":"abc"},{"value":"d]abc"}],"a":["e"]}',
    '{"tokens":[{"value":"…"},{"value":"…"}],"a":["e"]}',
  ],
  ['{"credentials":{"user":{"id":1},"pin":"abc', '{"credentials":{"user":{"id":1},"pin":"…'],
  ['{"token":null,"secret":true}', '{"token":null,"secret":true}'],
  ['http://user:abc@localhost:4010/v1/pets', 'http://…@localhost:4010/v1/pets'],
  ['{"authorization":"Bearer abc.w1"}', '{"authorization":"Bearer …"}'],
])('text at the place of a secret is one: %s', (text, shown) => {
  const secrets = new Secrets()
  expect(secrets.mask(text)).toBe(shown)
  const pseudonym = secrets.pseudonyms.text(text)
  expect(pseudonym).toHaveLength(text.length)
  if (shown === text) expect(pseudonym).toBe(text)
  else expect(pseudonym).not.toMatch(/abc|1234567/)
  if (text.endsWith('}')) expect(() => JSON.parse(pseudonym)).not.toThrow()
})

it('a secret that ends with a backslash ends with its text of JSON', () => {
  const { masks, pseudonyms } = new Secrets()
  const text = '{"password":"abc\\\\","name":"b"}'
  expect(masks.text(text)).toBe('{"password":"…","name":"b"}')
  expect(JSON.parse(pseudonyms.text(text))).toMatchObject({ name: 'b' })
})

it('the pseudonym of a number in JSON is a number, also of a short one', () => {
  const { pseudonyms } = new Secrets()
  const texts = ['7', '-5', '1.5', '0', ...Array.from({ length: 40 }, (_, i) => String(20 + i))]
  for (const text of texts)
    expect(JSON.parse(pseudonyms.text(`{"session":${text}}`)).session).toBeTypeOf('number')
})

it.each([
  ['a number and letters of both cases', /^[a-z]{3}_[0-9]{2}[A-Z][a-z]{3}$/, 'tok_42Kabz'],
  ['a UUID', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '1c9a1b0e-6f0d-4f6a-9d4e-3b2f7c8d9e0a'],
])('the pseudonym of %s fits the pattern of its field', (_, pattern, secret) => {
  const { pseudonyms } = new Secrets()
  const { token } = JSON.parse(pseudonyms.text(JSON.stringify({ token: secret })))
  expect(token).toMatch(pattern)
  expect(token).not.toBe(secret)
})

it('a long secret of few letters and digits has a pseudonym soon', () => {
  const { pseudonyms } = new Secrets()
  for (let digit = 0; digit < 10; digit++) {
    const secret = `${'-'.repeat(50_000)}${digit}`
    expect(pseudonyms.text(JSON.stringify({ token: secret }))).not.toContain(secret)
    expect(pseudonyms.text(`token=1${secret}`)).not.toContain(secret)
  }
})

it('a text that looks like a pseudonym has another one', () => {
  expect(new Secrets().pseudonyms.text('{"token":"aab-1"}')).not.toContain('aab-1')
})

it('is masked as its pseudonym is, in other letters too, so that a replay of the journal does not differ', () => {
  for (const sent of ['PSK_FREE', 'Psk_Pro_A1b2C3d4', 'psk_nope', 'nobody-here-1']) {
    const { masks, pseudonyms } = new Secrets()
    expect(masks.key(pseudonyms.key(sent))).toBe(masks.key(sent))
  }
})

it('the namespace of a key with a pseudonym is kept', () => {
  const { pseudonyms } = new Secrets()
  const [, value] = pseudonyms.headers(['Authorization', 'bearer  unknown_key_1234.w1'])
  expect(value).toBe(`bearer  ${pseudonyms.key('unknown_key_1234')}.w1`)
  expect(pseudonyms.text('?key=unknown_key_1234.w1')).toBe(`?key=${pseudonyms.key('unknown_key_1234')}.w1`)
})

it('masks the command line of a client', () => {
  const words = [
    'curl',
    '-H',
    'Authorization: Bearer abc',
    '--token',
    'abc',
    '--api-key=abc',
    '--password=d abc',
    '--key=d abc',
    'TOKEN=abc npm test',
    'team-key-0000001',
  ]
  const shown = maskWords(words, known('team-key-0000001'))
  expect(shown.join(' ')).not.toMatch(/abc|team/)
  expect(shown.slice(0, 3)).toEqual(['curl', '-H', 'Authorization: Bearer …'])
  expect(shown).toContain('TOKEN=… npm test')
})

it('masks the beginning of a key at the end of a truncated body', () => {
  expect(known(KEY).masks.text('{"name":"team-secr', true)).toBe('{"name":"…')
  expect(known(KEY).masks.text('{"name":"team-secr')).toBe('{"name":"team-secr')
  expect(known(KEY).masks.text('{"name":"tea', true)).toBe('{"name":"tea')
})

it('knows the keys of every namespace, including revoked and replaced ones', () => {
  const base = new Keyring([{ key: 'fixture-key-0001', plan: 'free' }])
  const own = new Keyring([], base)
  own.replace(own.with({ key: 'issued-key-00001', plan: 'pro', issued: true }))
  own.replace([])
  expect(base.secrets.mask('fixture-key-0001 issued-key-00001')).toBe('… …')
})

it('a text that was sent as a key is known until the budget is full, keys of namespaces always', () => {
  const budget = new Budget(2000)
  const secrets = new Secrets(budget)
  secrets.add([KEY])
  for (const sent of ['foreign-token-1', 'foreign-token-1', 'psk_pro_x', 'psk_pro', 'word'])
    secrets.addSent(sent)
  expect(secrets.mask(`${KEY} foreign-token-1 word`)).toBe('… … word')
  for (let i = 2; i < 12; i++) secrets.addSent(`foreign-token-${i}`)
  expect(secrets.mask(`${KEY} foreign-token-1 foreign-token-11`)).toBe('… foreign-token-1 …')
  expect(budget.bytes).toBeLessThanOrEqual(2000)
})

const key = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{12,60}$/),
  fc.stringMatching(/^psk_(free|pro|enterprise)_[a-z0-9]{3,20}$/),
)

it('each key has a pseudonym of the same length and form', () => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 8 }), (keys) => {
      const { pseudonyms } = known(...keys)
      const made = keys.map((each) => pseudonyms.key(each))
      expect(new Set(made).size).toBe(keys.length)
      for (const [i, each] of keys.entries()) {
        expect(made[i]).toHaveLength(each.length)
        expect(made[i]).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(made[i]?.startsWith('psk_')).toBe(each.startsWith('psk_'))
        expect(keys).not.toContain(made[i])
        // A pseudonym has none itself, since written text may be read again.
        expect(pseudonyms.key(made[i] as string)).toBe(made[i])
      }
    }),
  )
})

it('keeps at most 10,000 keys, and as many pseudonyms', () => {
  const secrets = known(...Array.from({ length: 10_001 }, (_, i) => `team-key-${i}-x`))
  expect(secrets.mask('team-key-0-x team-key-10000-x')).toBe('team-key-0-x …')
  const first = secrets.pseudonyms.key('first-secret')
  const used = secrets.pseudonyms.key('used-secret')
  for (let i = 0; i < 10_000; i++) {
    secrets.pseudonyms.key(`secret-${i}`)
    expect(secrets.pseudonyms.key('used-secret')).toBe(used)
  }
  expect(secrets.pseudonyms.key('first-secret')).not.toBe(first)
})

it('remembers no long name of a header field', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const { masks } = known()
  collect()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < 2000; i++) masks.headers([`x-${i}-${'y'.repeat(15_000)}`, '1'])
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000)
})

it('takes time that is proportional to the text', () => {
  const steps = (length: number, unit: string) => {
    const secrets = known(...Array.from({ length: 500 }, (_, i) => `team-secret-${i}-${'x'.repeat(8)}`))
    const text = unit.repeat(Math.ceil(length / unit.length))
    secrets.mask(text)
    // The least of three: other work of the machine only adds to a measurement.
    const times = [1, 2, 3].map(() => {
      const began = process.cpuUsage()
      secrets.mask(text)
      const { user, system } = process.cpuUsage(began)
      return user + system
    })
    return Math.min(...times)
  }
  for (const unit of [
    '"',
    '\\"',
    '"a',
    '"a":',
    '%70',
    '%25',
    '\\u0070',
    'a=',
    '&',
    '/',
    '://',
    'psk_',
    'team-secret-',
    '"a" ',
    '"token":"\\',
    'token=',
    'cHNr',
    'a\0',
  ]) {
    const ratio = steps(256 * 1024, unit) / Math.max(700, steps(16 * 1024, unit))
    expect(ratio, unit).toBeLessThan(100)
  }
})

describe('a text that was sent as a key', () => {
  const LONG = 'x1-'.repeat(60)

  /** Adds texts sent as keys, with other data about requests before each; then lets the budget drop all that is older. */
  function sent(...keys: readonly string[]): Secrets {
    const budget = new Budget()
    const secrets = new Secrets(budget)
    for (const key of keys) {
      budget.keep({ bytes: 1000, forget: () => {} })
      secrets.addSent(key)
    }
    budget.reserve(KEPT_BYTES - 1000)
    return secrets
  }

  it.each([
    ['the same', 'my-own-key-1', 'my-own-key-1'],
    ['one in other case', 'my-own-key-1', 'MY-own-key-1'],
    ['a long one that begins alike', `${LONG}a`, `${LONG}b`],
  ])('is dropped with the requests of the last time that it was sent: %s', (_, first, last) => {
    expect(sent(first, last).mask(`found ${last}.`)).toBe('found ….')
    expect(sent(first, last, 'another-key-2').mask(`found ${last}.`)).not.toBe('found ….')
  })

  it('stays hidden once it is a key', () => {
    const budget = new Budget()
    const secrets = new Secrets(budget)
    secrets.addSent('my-own-key-1')
    secrets.add(['my-own-key-1'])
    budget.reserve(KEPT_BYTES)
    expect(secrets.mask('found my-own-key-1.')).toBe('found ….')
  })
})

it('pseudonyms have a bound of characters: the least recently used are dropped first', () => {
  const { pseudonyms } = new Secrets()
  const secretOf = (i: number) => `Secret-${i}-${'x1'.repeat(8000)}`
  const [first, second] = [pseudonyms.key(secretOf(0)), pseudonyms.key(secretOf(1))]
  for (let i = 2; i < 250; i++) pseudonyms.key(secretOf(i))
  expect(pseudonyms.key(secretOf(0))).toBe(first)
  for (let i = 250; i < 270; i++) pseudonyms.key(secretOf(i))
  expect(pseudonyms.key(secretOf(0))).toBe(first)
  expect(pseudonyms.key(secretOf(1))).not.toBe(second)
})
