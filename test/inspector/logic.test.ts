import { spawnSync } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { callWords, lineAbout } from '../../src/control/call-words.ts'
import { formatAddress, parseAddress } from '../../src/inspector/data/address.ts'
import { eventsOf } from '../../src/inspector/data/event.ts'
import { filterOf, testFilter } from '../../src/inspector/data/filter.ts'
import { jsonOf } from '../../src/inspector/data/typed.ts'
import { commandLine } from '../../src/inspector/text/commands.ts'
import { keepDigits, pretty } from '../../src/inspector/text/json.ts'
import { ahead, brief, distance, duration, timeOfDay, visible } from '../../src/inspector/text/text.ts'
import { asVerify, SENDERS } from '../../src/inspector/views/requests/copy-as.ts'
import { findingsOf, remainingOf, why } from '../../src/inspector/views/requests/words.ts'
import { shellWord } from '../../src/text/shell.ts'
import { runCli } from '../cli/run-cli.ts'
import { hasPart } from '../parts.ts'
import { entry } from '../support/exchange.ts'

const SHELLS = ['sh', 'bash', 'zsh', 'fish'].filter((shell) =>
  hasPart(spawnSync(shell, ['-c', 'true']).status === 0, shell, 'the tests of copied commands'),
)

const { 'curl for bash, zsh, fish': asCurl, PowerShell: asPowerShell, fetch: asFetch } = SENDERS

describe('the filter', () => {
  const found = (text: string, given: Parameters<typeof entry>[0] = {}) =>
    filterOf(text).matches(entry(given))

  it.each<[string, Parameters<typeof entry>[0], boolean]>([
    ['', {}, true],
    ['status:4xx', { status: 429 }, true],
    ['status:4xx', { status: 200 }, false],
    ['status:42', { status: 429 }, true],
    ['status:none', { status: 0 }, true],
    ['-status:2xx', { status: 503 }, true],
    ['status:4xx status:none', { status: 0 }, true],
    ['status:4xx status:5xx', { status: 200 }, false],
    ['status:4xx method:post', { status: 404, method: 'GET' }, false],
    ['key:psk_free', { key: 'psk_…', keyName: 'psk_free_uig…', plan: 'free' }, false],
    ['key:psk_free_uig…', { key: 'psk_…', keyName: 'psk_free_uig…', plan: 'free' }, true],
    ['key:psk_free', { key: 'psk_free', plan: 'free' }, true],
    ['key:psk_free', { key: null, plan: null }, false],
    ['operation:createpet', { operationId: 'createPet' }, true],
    ['decision:refused', { decision: 'refused:window' }, true],
    ['finding:any', { findings: [{ kind: 'deprecated-call', text: '' }] }, true],
    ['finding:any', { ms: 2000 }, true],
    ['finding:any', {}, false],
    ['finding:took', { ms: 2000 }, true],
    ['finding:took', { ms: 2000, effect: { rule: 'fault_1', kind: 'late', carriedOut: true } }, false],
    ['test:none', {}, true],
    ['finding:early-retry', { findings: [{ kind: 'early-retry', text: '' }] }, true],
    ['finding:duplicate', { findings: [{ kind: 'banned', text: '' }] }, false],
    ['finding:=banned', { findings: [{ kind: 'banned', text: '' }] }, true],
    ['finding:=banned', { reason: { code: 'banned', text: '', short: 'banned' } }, false],
    ['finding:banned', { reason: { code: 'banned', text: '', short: 'banned' } }, true],
    ['test:"adds a PET"', { test: 'pets > adds a pet' }, true],
    ['test:"refuses Kit"', { test: 'pets > refuses "Kit"' }, true],
    [testFilter('refuses "Kit"'), { test: 'refuses "Kit"' }, true],
    [testFilter('test 1'), { test: 'test 1' }, true],
    [testFilter('test 1'), { test: 'test 10' }, false],
    [testFilter('none'), { test: 'none' }, true],
    [testFilter('none'), {}, false],
    ['adds', { test: 'adds a pet' }, true],
    ['test:adds', {}, false],
    ['KIT status:2xx', { request: { headers: {}, body: '{"name":"Kit"}' } }, true],
    ['kit nobody', { request: { headers: {}, body: '{"name":"Kit"}' } }, false],
    ['"was ignored"', { warnings: ['parameter color is not known and was ignored'] }, true],
    ['"too early"', { findings: [{ kind: 'early-retry', text: 'Sent 54 s too early.' }] }, true],
    ['x-a:', { request: { headers: { 'x-a': '1' }, body: '' } }, true],
    ['status:', {}, true],
    ['status:[', { status: 200 }, false],
    ['status:foo', { status: 200 }, false],
    ['(', { path: '/v1/(' }, true],
  ])('%s of %o: %s', (text, given, expected) => {
    expect(found(text, given)).toBe(expected)
  })

  it('returns the unknown fields', () => {
    expect(filterOf('colour:red status:4xx http://x').unknown).toEqual(['colour'])
  })
})

describe('copied commands', () => {
  const hostile = `{"name":"O'Malley $(id) \`id\` \\" ! \\n","categoryId":9007199254740993}`
  const made = entry({
    key: 'psk_…',
    plan: 'pro',
    method: 'POST',
    request: { headers: { 'content-type': 'application/json', host: 'x' }, body: hostile },
  })

  it.each(SHELLS)('as curl, the request passes %s unchanged', (shell) => {
    const curl = asCurl(made, 'http://localhost:4010')
    const words = spawnSync(shell, ['-c', curl.replace(/^curl/, 'printf "%s\\n"')], {
      encoding: 'utf8',
      env: { ...process.env, KEY: '$KEY' },
    }).stdout
    expect(words.trimEnd().split('\n')).toEqual([
      'http://localhost:4010/v1/pets',
      '-H',
      'authorization: Bearer $KEY',
      '-H',
      'content-type: application/json',
      '--data-raw',
      hostile,
    ])
  })

  const wordsOf = (curl: string): string[] =>
    spawnSync('sh', ['-c', curl.replace(/^curl/, 'printf "%s\\n"')], { encoding: 'utf8' })
      .stdout.trimEnd()
      .split('\n')

  it('as curl, patterns, dots, methods, types and empty fields are protected from changes by curl', () => {
    const patterns = entry({ path: '/v1/pets', query: 'x[]=1&{a}={b}' })
    expect(wordsOf(asCurl(patterns, ''))).toEqual(expect.arrayContaining(['-g', '/v1/pets?x[]=1&{a}={b}']))
    expect(wordsOf(asCurl(entry({ path: '/v1/../etc' }), ''))).toContain('--path-as-is')
    expect(wordsOf(asCurl(entry({ path: '/v1/pets.x' }), ''))).not.toContain('--path-as-is')
    const listed = entry({ method: 'GET', request: { headers: {}, body: '{}' } })
    expect(wordsOf(asCurl(listed, ''))).toEqual(expect.arrayContaining(['-X', 'GET', '--data-raw']))
    const untyped = entry({ method: 'POST', request: { headers: { 'x-empty': '' }, body: '{}' } })
    expect(wordsOf(asCurl(untyped, ''))).toEqual(expect.arrayContaining(['content-type:', 'x-empty;']))
  })

  it('no shell carries out what a client has sent before the name of the variable', () => {
    const text = '$(id) `id` Bearer $KEY'
    const sent = entry({ key: null, method: 'POST', request: { headers: { 'x-a': text }, body: text } })
    expect(wordsOf(asCurl(sent, ''))).toEqual(expect.arrayContaining([`x-a: ${text}`, text]))
    expect(asPowerShell(sent, '')).toContain(`'x-a' = '${text}'`)
  })

  it.each(SHELLS)('as curl, there is no byte that %s cannot pass or that controls a terminal', (shell) => {
    const body = 'a\u0000b\r\n\t\u001b[201~\u009b7 \\n %s é\u00000'
    const line = asCurl(entry({ method: 'POST', request: { headers: {}, body } }), '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these characters
    expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    const sent = spawnSync(shell, ['-c', line.replace(/ \| curl .*--data-binary @-$/, '')]).stdout
    expect(sent.toString('utf8')).toBe(body)
  })

  it('as fetch, a body that fetch does not send is omitted', () => {
    const listed = entry({ method: 'GET', request: { headers: {}, body: '{}' } })
    expect(asFetch(listed, '')).not.toContain('body')
  })

  it('the key is unknown if it was not a known one', () => {
    expect(asCurl(entry({ key: '…', plan: null }), '')).toContain("'authorization: Bearer unknown'")
  })

  it('for PowerShell, quotes follow that shell', () => {
    const line = asPowerShell(made, 'http://localhost:4010')
    expect(line).toContain(`'authorization' = "Bearer $env:KEY"`)
    expect(line).toContain(`-Body ([Text.Encoding]::UTF8.GetBytes('{"name":"O''Malley`)
    expect(asPowerShell(entry({ method: 'POST', request: { headers: {}, body: 'a\u001b' } }), '')).toContain(
      "FromBase64String('YRs=')",
    )
  })

  it('as fetch, it is JavaScript with the same request', async () => {
    const calls: unknown[][] = []
    const AsyncFunction = (async () => {}).constructor as new (
      ...all: string[]
    ) => (fetch: unknown) => Promise<void>
    vi.stubEnv('KEY', 'its-key')
    await new AsyncFunction('fetch', asFetch(made, 'http://localhost:4010'))((...all: unknown[]) =>
      calls.push(all),
    )
    expect(calls).toEqual([
      [
        'http://localhost:4010/v1/pets',
        {
          method: 'POST',
          headers: { authorization: 'Bearer its-key', 'content-type': 'application/json' },
          body: hostile,
        },
      ],
    ])
  })

  it('as a verify call, the digits of the body are kept', () => {
    expect(asVerify(made)).toContain('"categoryId":9007199254740993')
  })

  it('have the key of the request', () => {
    expect(asCurl(entry({ namespace: 'w1', key: 'psk_free', plan: 'free' }), '')).toContain(
      "'authorization: Bearer psk_free.w1'",
    )
    expect(asCurl(entry({ key: null, plan: null }), '')).not.toContain('authorization')
  })
})

describe('command lines', () => {
  it('have the address of the sandbox only if it is not the default', () => {
    const at = (origin: string, namespace: string) =>
      commandLine({ origin, namespace }, 'clock', 'advance', '61s')
    expect(at('http://localhost:4010', 'default')).toBe('petstore-sandbox clock advance 61s')
    expect(at('http://localhost:5000', 'w1')).toBe(
      'petstore-sandbox clock advance 61s --namespace w1 --url http://localhost:5000',
    )
  })

  it('are accepted where a name begins with a minus', async () => {
    const params = { name: '-s1', key: '-key' }
    const lines = [
      lineAbout('fork', '-w2', '--at', 'req_000001', '--side', 'before'),
      lineAbout('namespaces drop', '-w2'),
      ...[
        callWords('saveSnapshot', { params, body: undefined } as never),
        callWords('setKeyLimits', { params, body: { remaining: 1 } } as never),
      ].map((each) => each?.line ?? []),
    ]
    for (const words of lines) {
      const line = commandLine({ origin: 'http://localhost:1', namespace: '-w1', hasToken: true }, ...words)
      const { code, err } = await runCli(line.replaceAll('"', '').split(' ').slice(1))
      expect([code, err], line).toEqual([1, expect.stringContaining('No sandbox answers')])
    }
  })

  it.each(SHELLS)('quote characters that %s would interpret', (shell) => {
    const words = ["it's", '*', '', '61s', 'a b', '\\\\ \\n', "\\'", '$(id) `id` !x']
    const line = `printf '%s|' ${words.map(shellWord).join(' ')}`
    expect(spawnSync(shell, ['-c', line], { encoding: 'utf8' }).stdout).toBe(`${words.join('|')}|`)
  })
})

describe('time', () => {
  it.each([
    [0, '0 s'],
    [1, '1 s'],
    [42_000, '42 s'],
    [61_000, '1 min 1 s'],
    [3_600_000, '1 h'],
    [90_061_000, '1 d 2 h'],
  ])('%i ms are %s', (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text)
  })

  it('has a direction', () => {
    expect([distance(43_000, 1000), distance(1000, 43_000), distance(1000, 1500)]).toEqual([
      'in\u00a042\u00a0s',
      '42\u00a0s\u00a0ago',
      'now',
    ])
    expect([ahead(61_400, 0), ahead(0, 61_400), ahead(400, 0)]).toEqual([
      '1 min 1 s ahead',
      '1 min 1 s behind',
      'real time',
    ])
    const day = 24 * 3_600_000
    expect([ahead(day, 0), ahead(day + 61_000, 0), ahead(day + 59 * 60_000, 0)]).toEqual([
      '1 day ahead',
      '1 day ahead',
      '1 day 1 h ahead',
    ])
  })
})

describe('JSON', () => {
  it('is indented, with every digit and escape kept', () => {
    expect(pretty('{"id":9223372036854775807,"a":[],"b":{"c":"\\u0041{,"},"d":1.50}')).toBe(
      '{\n  "id": 9223372036854775807,\n  "a": [],\n  "b": {\n    "c": "\\u0041{,"\n  },\n  "d": 1.50\n}',
    )
    expect(pretty('{"a":')).toBeUndefined()
  })

  it.each(['0.30000000000000004', '-0.1234567890123456', '1.00000000000000001e5', '1e0000000000000001'])(
    'a number with many digits that is not an integer is unchanged: %s',
    (number) => expect(keepDigits(`{"weight":${number}}`)).toBe(`{"weight":${number}}`),
  )

  it('integers beyond the precision of a number become texts', () => {
    expect(keepDigits('{"id":9223372036854775807,"n":"1234567890123456 x","f":1234567890123456.5}')).toBe(
      '{"id":"9223372036854775807","n":"1234567890123456 x","f":1234567890123456.5}',
    )
  })
})

describe('text from outside', () => {
  it('has escapes for invisible characters, and is cut', () => {
    expect(visible('a\u202eb\u0000\u200d\n')).toBe('a\\u202eb\\u0000\\u200d\\u000a')
    expect(visible('👩‍👩‍👧‍👦 می\u200cخواهم')).toBe('👩‍👩‍👧‍👦 می\u200cخواهم')
    expect(visible('a\n\tb\u202ec\n', { lines: true })).toBe('a\n\tb\\u202ec\n')
    expect(brief('x'.repeat(100_000))).toHaveLength(241)
    expect(brief('x🐕', 2)).toBe('x…')
  })
})

describe('the values of a form', () => {
  const fields = [
    { name: 'name', type: 'string', isRequired: true },
    { name: 'categoryId', type: 'integer', isRequired: true },
    { name: 'tags', type: 'array', isRequired: false },
    { name: 'color', type: 'string', isRequired: false },
  ]

  it('is JSON with every digit; empty fields are omitted unless they are required', () => {
    expect(jsonOf(fields, { name: '7', categoryId: '9007199254740993', tags: '["a"]' })).toBe(
      '{"name":"7","categoryId":9007199254740993,"tags":["a"]}',
    )
    expect(jsonOf(fields, { categoryId: 'one', color: '"' })).toBe(
      '{"name":"","categoryId":"one","color":"\\""}',
    )
  })

  it('is a number if the text is one, otherwise a text, which the sandbox refuses', () => {
    const value = (text: string) => JSON.parse(jsonOf(fields.slice(1, 2), { categoryId: text })).categoryId
    expect(['5', '-2.5', '0', '1e3', ' 5', '007', '.5', ''].map(value)).toEqual([
      ...[5, -2.5, 0, '1e3', ' 5', '007', '.5', ''],
    ])
  })

  it('is a text if the schema allows texts among other types', () => {
    const nickname = { name: 'nickname', type: ['string', 'null'], isRequired: false }
    expect(jsonOf([nickname], { nickname: '5' })).toBe('{"nickname":"5"}')
  })

  it('has the fields of objects by their paths; an empty object is omitted unless it is required', () => {
    const text = { type: 'string', isRequired: false }
    const hold = {
      name: 'hold',
      isRequired: false,
      fields: [
        { name: 'until', isRequired: true },
        { name: 'timeout', ...text },
      ],
    }
    const effect = { name: 'effect', isRequired: true, fields: [{ name: 'wire', ...text }, hold] }
    expect(jsonOf([effect], {})).toBe('{"effect":{}}')
    expect(jsonOf([effect], { 'effect.hold.until': 'released' })).toBe(
      '{"effect":{"hold":{"until":"released"}}}',
    )
    expect(jsonOf([effect], { 'effect.hold.until': '{"path":"/x"}' })).toBe(
      '{"effect":{"hold":{"until":{"path":"/x"}}}}',
    )
  })
})

describe('addresses', () => {
  it('are parsed back to the same values', () => {
    const looked = {
      ...{ view: 'requests', id: 'req_000123', namespace: '*', at: 'ctl_000007', key: 'psk_free' },
      ...{ filter: 'status:4xx a b', from: '1', to: '2', branch: 'branch_1', tab: 'request', of: 'w2' },
    }
    expect(parseAddress(formatAddress(looked))).toEqual(looked)
    const pets = {
      view: 'pets',
      namespace: 'default',
      q: 'ki',
      status: 'sold',
      compare: 'snapshot:sale..now',
    }
    expect(formatAddress(pets)).toBe('#/pets?q=ki&status=sold&compare=snapshot:sale..now')
    expect(parseAddress(formatAddress(pets))).toEqual(pets)
    expect(parseAddress('')).toEqual({ view: 'requests', namespace: 'default' })
    expect(parseAddress('#/requests/%zz?namespace=a b&q=')).toEqual({
      ...{ view: 'requests', id: '%zz', namespace: 'default' },
    })
    for (const span of ['from=abc&to=x', 'from=1e20&to=2e20', 'from=1'])
      expect(parseAddress(`#/requests?${span}`)).toEqual({ view: 'requests', namespace: 'default' })
    for (const rest of ['', '?namespace=a b', '?namespace=*'])
      expect(parseAddress(`#/requests${rest}`, 'w1')).toEqual({ view: 'requests', namespace: 'w1' })
  })
})

describe('the reason of an answer', () => {
  const AT = Date.parse('2026-11-19T12:34:58Z')
  const text = 'The limit of 60 requests per minute of psk_free is used up until 12:35:38 UTC.'
  const refused = entry({
    status: 429,
    decision: 'refused:window',
    why: text,
    reason: {
      code: 'rate_limit_exceeded',
      text,
      short: 'minute used up',
      fix: 'Wait.',
      until: '2026-11-19T12:35:38.000Z',
    },
  })

  it('has the text of the sandbox, the distance of its instant, and what to do', () => {
    expect(why(refused, AT)).toBe(`${text} That is in\u00a040\u00a0s. Wait.`)
    expect(why(refused, AT + 60_000)).toBe(`${text} That was 20\u00a0s\u00a0ago. Wait.`)
    expect(findingsOf(refused)).toMatchObject([{ text: 'minute used up', tone: 'warn' }])
  })

  it('has no reason beside a finding that tells more', () => {
    const held = { kind: 'hold-timeout', text: 'held for 8s and not released' } as const
    const reason = { code: 'held', text: 'It was held.', short: 'held' }
    expect(findingsOf(entry({ reason, findings: [held] })).map((found) => found.text)).toEqual([held.text])
  })

  it('has each finding once', () => {
    const early = {
      kind: 'early-retry',
      text: 'retried 37.2 s before Retry-After had passed',
      earlyMs: 37_200,
    } as const
    const again = entry({ ...refused, findings: [{ kind: 'rate-limited', text }, early] })
    expect(findingsOf(again).map((found) => found.text)).toEqual(['37.2 s too early'])
    expect(why(again, AT)).toBe(
      `${text} That is in\u00a040\u00a0s. Retried 37.2 s before Retry-After had passed. Wait.`,
    )
  })

  it.each([
    [['field colour'], 0, 'colour was ignored'],
    [['field my colour'], 0, 'my colour was ignored'],
    [['parameter colour-of-the-animal'], 0, 'colour-of-the-animal was ignored'],
    [['field an-extremely-long-name-of-a-field'], 0, 'an-extremely-long-na… was ignored'],
    [['field a', 'field b'], 5, 'a and 6 more ignored'],
    [['field colour-of-the-animal', 'field b'], 0, 'colour-o… and 1 more ignored'],
  ])('names the first ignored input and counts the others: %j and %i', (inputs, more, text) => {
    const [found] = findingsOf(
      entry({ findings: [{ kind: 'ignored-input', text: 'ignored', inputs, more }] }),
    )
    expect(found?.text).toBe(text)
  })

  it('has remaining requests only if there is a limit', () => {
    const left = (limit: number) => {
      const window = { limit, remaining: 45, resetsAt: '2026-11-19T12:35:38.000Z' }
      const windows = { minute: window, day: window }
      return remainingOf(entry({ quota: { before: windows, after: windows } }))
    }
    expect([left(60), left(2_147_483_647), remainingOf(entry({}))]).toEqual([45, undefined, undefined])
  })
})

describe('the time of day', () => {
  it('is formatted for every year that the clock can show', () => {
    expect(timeOfDay(Date.UTC(2026, 10, 19, 12, 34, 56, 789))).toBe('12:34:56.789')
    expect(timeOfDay(Date.UTC(10_000, 0, 1, 0, 0, 7), 0)).toBe('00:00:07')
  })
})

describe('a rewind', () => {
  const point = (id: string, what: string, branch?: string, at = '2026-11-22T12:00:03.000Z') => ({
    ...{ id, at, receivedAt: at, what },
    ...(branch && { branch }),
  })

  it('says what it undid', () => {
    const events = eventsOf(
      [],
      [
        point('req_000001', 'GET /v1/pets 200'),
        point('ctl_000001', 'clock frozen', 'branch_1'),
        point('req_000002', 'GET /v1/pets 200', 'branch_1'),
        point('branch_1', 'back before ctl_000001'),
      ],
    )
    expect(events.at(-1)).toMatchObject({
      undid: 'branch_1',
      what: 'back before ctl_000001',
      undone: '1 request and 1 control call',
    })
  })

  it('has a rewind before the requests since, as they came, although the history has its branches at the end', () => {
    const events = eventsOf(
      [],
      [
        point('ctl_000001', 'clock +1d', undefined, '2026-11-22T12:00:00.000Z'),
        point('ctl_000002', 'clock frozen', undefined, '2026-11-22T12:00:03.000Z'),
        point('ctl_000002', 'seeded 24 pets', 'branch_1', '2026-11-22T12:00:01.000Z'),
        point('branch_1', 'back before ctl_000002', undefined, '2026-11-22T12:00:02.000Z'),
      ],
    )
    const present = events.filter(({ branch }) => branch === undefined)
    expect(present.map(({ id }) => id)).toEqual(['ctl_000001', 'branch_1', 'ctl_000002'])
  })

  it('has a request that came after the history was read at its end, and one from before it at its beginning', () => {
    const requests = ['2026-11-22T12:00:04.000Z', '2026-11-22T12:00:02.000Z'].map((receivedAt, index) =>
      entry({ id: `req_00000${2 - index}`, receivedAt, at: receivedAt }),
    )
    const events = eventsOf(requests, [point('ctl_000001', 'clock frozen')])
    expect(events.map(({ id }) => id)).toEqual(['req_000001', 'ctl_000001', 'req_000002'])
  })
})
