import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entry } from '../support/exchange.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runCli, stubControl } from './run-cli.ts'

const NOW = '2026-11-19T12:34:56.000Z'
const CLOCK = { now: NOW, frozen: false }
const KEY = { key: 'psk_free', plan: 'free', expiresAt: null, source: 'built-in', revoked: false }
const LIMITS = {
  plan: 'free',
  minute: { limit: 60, remaining: 45, resetsAt: '2026-11-19T12:35:20.000Z' },
  day: { limit: 2147483647, remaining: 2147483647, resetsAt: '2026-11-20T00:00:00.000Z' },
  ban: null,
}
const RULE = {
  id: 'fault_1',
  match: { operationId: 'createPet' },
  effect: { status: 503 },
  times: 2,
  acted: 1,
}
const ENTRY = entry({
  key: 'psk_…',
  query: 'page=2',
  at: NOW,
  findings: [{ kind: 'ignored-input', text: 'parameter page is not known and was ignored' }],
})
const REPORT = {
  requests: 5,
  coverage: { listPets: { 200: 4, 401: 1 } },
  uncovered: ['createPet'],
  deprecatedCalls: 0,
  rateLimited: 1,
  earlyRetries: { count: 1, first: [{ key: 'psk_…', at: NOW, allowedAt: NOW, earlyMs: 11_200 }] },
  bans: 0,
  invalidRequests: 0,
  ignoredInputs: { count: 0, first: [] },
  possibleDuplicates: 0,
  serverErrors: 0,
}

const ANSWERS = {
  'GET /clock': CLOCK,
  'POST /clock': CLOCK,
  'DELETE /clock': CLOCK,
  'GET /keys': [KEY, { ...KEY, key: 'psk_gone', revoked: true }],
  'POST /keys': { ...KEY, key: 'psk_pro_x.w1', plan: 'pro', source: 'issued' },
  'GET /keys/psk_free/limits': LIMITS,
  'PUT /keys/psk_free/limits': LIMITS,
  'DELETE /keys/psk_free/limits': LIMITS,
  'PUT /keys/psk_free/ban': LIMITS,
  'DELETE /keys/psk_free/ban': LIMITS,
  'GET /faults': [RULE],
  'POST /faults': RULE,
  'GET /requests': [ENTRY],
  'POST /requests/req_000001/resend': ENTRY,
  'GET /diff': {
    added: { count: 1, first: [{ id: 3, name: 'C\u001b[31m', categoryId: 1 }] },
    removed: { count: 0, first: [] },
    changed: { count: 101, first: [{ id: 2, name: 'Bo', categoryId: 1, status: 'sold' }] },
    nextId: { a: 3, b: 4 },
  },
  'GET /report': REPORT,
  'GET /export': {
    text: '{"pets":[{"id":9007199254740993,"name":"A","categoryId":1}],"nextId":9007199254740994,"keys":[]}',
  },
  'GET /namespaces': ['default', 'w1'].map((name) => ({ name, pets: 12, requests: 1, clock: CLOCK })),
  'GET /snapshots': [{ name: 's1', at: NOW, pets: 12 }],
  'PUT /snapshots/s1': { name: 's1', at: NOW, pets: 12 },
  'POST /snapshots/s1/restore': { name: 's1', at: NOW, pets: 12 },
  'POST /reset': { reset: ['limits'], pets: 12 },
  'POST /seed': { pets: 12 },
}

const called = async (args: string[]) => {
  await using control = await stubControl(ANSWERS)
  const ran = await runCli([...args, '--url', control.url])
  return { ...ran, calls: control.calls, first: control.calls.find(({ path }) => path !== '/namespaces') }
}

describe('a remote command calls', () => {
  it.each([
    ['seed sold-out', 'POST', '/seed', { fixture: 'sold-out', mode: 'replace' }],
    ['seed empty --add', 'POST', '/seed', { fixture: 'empty', mode: 'append' }],
    ['seed empty --append', 'POST', '/seed', { fixture: 'empty', mode: 'append' }],
    ['seed --count 500', 'POST', '/seed', { count: 500, mode: 'replace' }],
    [
      'seed --count 500 --seed 42 --status available=60,pending=30,sold=10 --append',
      'POST',
      '/seed',
      { count: 500, seed: 42, status: { available: 60, pending: 30, sold: 10 }, mode: 'append' },
    ],
    ['reset', 'POST', '/reset', {}],
    ['reset limits bans', 'POST', '/reset', { only: ['limits', 'bans'] }],
    ['snapshot', 'GET', '/snapshots', undefined],
    ['snapshot list', 'GET', '/snapshots', undefined],
    ['snapshot save s1 --force', 'PUT', '/snapshots/s1', undefined],
    ['snapshot restore s1', 'POST', '/snapshots/s1/restore', undefined],
    ['snapshot delete s1', 'DELETE', '/snapshots/s1', undefined],
    ['export', 'GET', '/export', undefined],
    ['keys create pro', 'POST', '/keys', { plan: 'pro' }],
    [
      'keys create free --key mine --expires-at 2030-01-01',
      'POST',
      '/keys',
      { plan: 'free', key: 'mine', expiresAt: '2030-01-01T00:00:00.000Z' },
    ],
    ['keys revoke psk_free', 'DELETE', '/keys/psk_free', undefined],
    ['limits psk_free', 'GET', '/keys/psk_free/limits', undefined],
    ['limits psk_free --leave 1', 'PUT', '/keys/psk_free/limits', { remaining: 1 }],
    ['limits psk_free --refill', 'DELETE', '/keys/psk_free/limits', undefined],
    ['limits psk_free --ban', 'PUT', '/keys/psk_free/ban', {}],
    ['limits psk_free --ban 60', 'PUT', '/keys/psk_free/ban', { seconds: 60 }],
    ['limits psk_free --lift', 'DELETE', '/keys/psk_free/ban', undefined],
    ['diff snapshot:before now', 'GET', '/diff', undefined],
    ['requests --resend req_000001', 'POST', '/requests/req_000001/resend', undefined],
    [
      'requests --resend req_000001 --edits {"query":"limit=1"}',
      'POST',
      '/requests/req_000001/resend',
      { edits: { query: 'limit=1' } },
    ],
    ['requests --resend req_000001 --into w2', 'POST', '/requests/req_000001/resend', { into: 'w2' }],
    ['requests --search kit --before req_9', 'GET', '/requests', undefined],
    ['clock', 'GET', '/clock', undefined],
    ['clock show', 'GET', '/clock', undefined],
    ['clock advance 61s', 'POST', '/clock', { advance: '61s' }],
    ['clock advance PT61S', 'POST', '/clock', { advance: 'PT61S' }],
    ['clock set 2030-12-05', 'POST', '/clock', { set: '2030-12-05T00:00:00.000Z' }],
    ['clock freeze', 'POST', '/clock', { frozen: true }],
    ['clock resume', 'POST', '/clock', { frozen: false }],
    ['clock reset', 'DELETE', '/clock', undefined],
    ['faults', 'GET', '/faults', undefined],
    [
      'faults add --operation createPet --status 503 --retry-after 5 --times 2',
      'POST',
      '/faults',
      { match: { operationId: 'createPet' }, effect: { status: 503, retryAfter: 5 }, times: 2 },
    ],
    [
      'faults add --method GET --path /pets/* --key psk_pro --latency 100ms-300ms --probability 0.1 --when after',
      'POST',
      '/faults',
      {
        match: { method: 'GET', path: '/pets/*', key: 'psk_pro' },
        effect: { latency: '100ms-300ms' },
        when: 'after',
        probability: 0.1,
      },
    ],
    ['faults add --wire reset', 'POST', '/faults', { match: {}, effect: { wire: 'reset' } }],
    ['faults add --rule {"effect":{"status":500}}', 'POST', '/faults', { effect: { status: 500 } }],
    ['faults remove fault_1', 'DELETE', '/faults/fault_1', undefined],
    ['faults clear', 'DELETE', '/faults', undefined],
    ['requests', 'GET', '/requests', undefined],
    ['report', 'GET', '/report', undefined],
  ])('%s', async (line, method, path, body) => {
    const { first, code, err } = await called(line.split(' '))
    expect({ code, err: line.startsWith('keys create') ? '' : err }).toEqual({ code: 0, err: '' })
    expect(first).toMatchObject({ method, path, query: { namespace: 'default' } })
    expect(first?.body === '' ? undefined : JSON.parse(first?.body ?? '')).toEqual(body)
  })

  it.each([
    [
      'requests --status 429 --operation listPets --key psk_free --limit 5',
      { status: '429', operationId: 'listPets', key: 'psk_free', limit: '5' },
    ],
    ['report --namespace *', { namespace: '*' }],
    ['export --namespace w1', { namespace: 'w1' }],
    ['keys revoke psk_free.w1', { namespace: 'w1' }],
    ['limits psk_free.w1 --namespace w1', { namespace: 'w1' }],
    ['faults add --status 500 --key psk_free.w1', { namespace: 'w1' }],
  ])('%s with the query %j', async (line, query) => {
    expect((await called(line.split(' '))).first?.query).toMatchObject(query)
  })

  it.each([['requests'], ['requests', '--har']])(
    '%s %s, and says that older entries are gone',
    async (...args) => {
      const server = createServer(({ url }, response) => {
        const body = url?.includes('/health') ? '{"status":"ok","version":"0.1.0"}' : '[]'
        response.writeHead(200, { 'content-type': 'application/json', 'x-sandbox-dropped': '7' }).end(body)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const { code, err } = await runCli([...args, '--url', `http://127.0.0.1:${port}`])
      server.close()
      expect({ code, err }).toEqual({
        code: 0,
        err: expect.stringMatching(/^7 older entries are dropped: .*1,000/),
      })
    },
  )

  it('requests --har, which asks for HAR and prints it as it is', async () => {
    await using control = await stubControl({
      'GET /requests': { text: '{"log":{}}', type: 'application/har+json' },
    })
    const { out, err } = await runCli(['requests', '--har', '--url', control.url])
    expect(err).toBe('')
    expect(control.calls[0]?.accept).toBe('application/har+json')
    expect(out).toBe('{"log":{}}\n')
  })

  it('seed with the pets of a file, its ids only where it has them and with every digit', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'pets.csv')
    writeFileSync(file, 'id,name,categoryId,status\n,Kit,9007199254740993,sold\n9223372036854775806,Rex,1,\n')
    const { first } = await called(['seed', file, '--append'])
    expect(first?.body).toBe(
      '{"pets":[{"name":"Kit","categoryId":9007199254740993,"status":"sold"},{"id":9223372036854775806,"name":"Rex","categoryId":1}],"mode":"append"}',
    )
  })
})

describe('where the sandbox is', () => {
  it.each(['', '/', '/v1', '/_sandbox', '/_sandbox/'])('may be given with %j behind it', async (suffix) => {
    await using control = await stubControl(ANSWERS)
    expect((await runCli(['clock'], { PETSTORE_SANDBOX_URL: control.url + suffix })).code).toBe(0)
    expect(control.calls[0]?.path).toBe('/clock')
  })

  it('is told with a token from the environment, or better from the command line', async () => {
    await using control = await stubControl(ANSWERS)
    const env = { PETSTORE_SANDBOX_URL: control.url, PETSTORE_SANDBOX_CONTROL_TOKEN: 'one' }
    await runCli(['clock'], env)
    await runCli(['clock', '--control-token', 'two'], env)
    expect(control.calls.map(({ authorization }) => authorization)).toEqual(['Bearer one', 'Bearer two'])
  })
})

describe('for people', () => {
  it('limits of a key are a table with relative and absolute times', async () => {
    const { out } = await called(['limits', 'psk_free'])
    expect(out).toBe(`psk_free, plan free, not banned
WINDOW      LIMIT  REMAINING  RESETS          AT
minute         60         45  in 24 s         2026-11-19T12:35:20.000Z
day     unlimited  unlimited  in 11 h 26 min  2026-11-20T00:00:00.000Z
`)
  })

  it('limits without a key show every valid one', async () => {
    const { out, calls } = await called(['limits'])
    expect(out).toBe(`KEY       PLAN    MINUTE  RESETS         DAY  RESETS          BAN
psk_free  free  45 of 60  in 24 s  unlimited  in 11 h 26 min  -
`)
    expect(calls.some(({ path }) => path.includes('psk_gone'))).toBe(false)
  })

  it('two states differ in the pets that a table names', async () => {
    const { out } = await called(['diff', 'snapshot:before', 'now'])
    expect(out).toContain('1 added, 0 removed, 101 changed; the first 100 of each\n')
    expect(out).toMatch(/changed +2 +Bo +1 +sold/)
    expect(out).not.toContain('\u001b')
  })

  it('a ban says when it is lifted', async () => {
    const banned = { ...LIMITS, ban: { until: '2026-11-19T12:36:56.000Z', seconds: 120 } }
    await using control = await stubControl({ ...ANSWERS, 'GET /keys/psk_free/limits': banned })
    const { out } = await runCli(['limits', 'psk_free', '--url', control.url])
    expect(out).toContain('banned, lifted in 2 min at 2026-11-19T12:36:56.000Z')
  })

  it('keys create prints the key alone on stdout', async () => {
    const { out, err } = await called(['keys', 'create', 'pro', '--namespace', 'w1'])
    expect(out).toBe('psk_pro_x.w1\n')
    expect(err).toBe('A pro key for namespace w1; it expires never.\n')
  })

  it('keys, faults and requests are tables', async () => {
    expect((await called(['keys'])).out).toBe(`KEY       PLAN  SOURCE    STATE
psk_free  free  built-in  valid
psk_gone  free  built-in  revoked
`)
    expect(
      (await called(['faults'])).out,
    ).toBe(`ID       MATCH                  EFFECT      WHEN     ACTED  PROBABILITY
fault_1  operationId createPet  status 503  before  1 of 2            1
`)
    expect((await called(['requests'])).out).toBe(
      `ID          AT                        METHOD  PATH             STATUS  PLAN  MS  WHY
req_000001  2026-11-19T12:34:56.000Z  GET     /v1/pets?page=2     200  free   1  parameter page is not known and was ignored
`,
    )
  })

  it('the report says what deserves a look in words', async () => {
    const { out } = await called(['report'])
    expect(out).toContain('listPets   200: 4, 401: 1\ncreatePet  never called')
    expect(out).toContain('psk_… retried 11.2 s before Retry-After had passed')
  })

  it('the clock says how far it is from real time', async () => {
    const behind = { now: new Date(Date.now() - 3 * 86_400_000).toISOString(), frozen: true }
    await using control = await stubControl({ 'GET /clock': behind })
    const { out } = await runCli(['clock', '--url', control.url])
    expect(out).toMatch(/^\d{4}-.*Z, frozen, 3 d( 1 h)? behind real time\n$/)
  })

  it('nothing a client sent can steer the terminal', async () => {
    await using control = await stubControl({
      'GET /requests': [{ ...ENTRY, path: '/v1/\u001b[2J', warnings: ['a\nb'] }],
    })
    const { out } = await runCli(['requests', '--url', control.url])
    expect(out).not.toContain('\u001b')
    expect(out.trimEnd().split('\n')).toHaveLength(2)
  })
})

describe('--json', () => {
  it.each([
    'clock',
    'keys',
    'faults',
    'requests',
    'report',
    'snapshot',
    'reset',
    'seed busy',
    'limits psk_free',
  ])('prints what the control API answered to %s, as it was sent', async (line) => {
    const { out, calls } = await called([...line.split(' '), '--json'])
    const key = `${calls[0]?.method} ${calls[0]?.path}` as keyof typeof ANSWERS
    expect(out).toBe(`${JSON.stringify(ANSWERS[key])}\n`)
  })

  it('keeps every digit', async () => {
    expect((await called(['export', '--json'])).out).toContain('"id":9007199254740993')
  })

  it('prints nothing where there was no content', async () => {
    expect((await called(['faults', 'clear', '--json'])).out).toBe('')
  })
})

describe('a refusal', () => {
  const unanswered = 'http://127.0.0.1:1'

  it('says how to start a sandbox where none answers', async () => {
    const { code, out, err } = await runCli(['clock', '--url', unanswered])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`No sandbox answers at ${unanswered} (`)
    expect(err).toContain(
      'Start one with petstore-sandbox, or say where it is with --url or PETSTORE_SANDBOX_URL',
    )
  })

  it.each([
    [404, 1],
    [409, 1],
    [503, 1],
    [400, 2],
  ])('of the control API with %i is its message and the exit code %i', async (status, exit) => {
    const refused = { status, text: JSON.stringify({ code: 'some_code', message: 'Because.', status }) }
    await using control = await stubControl({ 'GET /faults': refused })
    const { code, out, err } = await runCli(['faults', '--url', control.url])
    expect({ code, out, err }).toEqual({ code: exit, out: '', err: 'petstore-sandbox: Because.\n' })
    const asJson = await runCli(['faults', '--json', '--url', control.url])
    expect(asJson).toMatchObject({ code: exit, out: '' })
    const fix = 'See petstore-sandbox faults --help'
    expect(JSON.parse(asJson.err)).toEqual({ code: 'some_code', message: 'Because.', status, fix })
  })

  it.each([
    [200, '<html>'],
    [502, '<html>'],
    [404, '{"error":"nope"}'],
  ])('of something else that answers %i %s says so', async (status, text) => {
    const answer = { status, text, type: 'text/html' }
    await using control = await stubControl({ 'GET /clock': answer, 'GET /events': answer })
    for (const command of [['clock'], ['requests', '--follow']]) {
      const { code, err } = await runCli([...command, '--url', control.url])
      expect(code).toBe(1)
      expect(err).toContain(`${control.url} answers (${status}), but not as a sandbox does`)
    }
  })

  it.each([
    ['clock advance soon', 'clock advance: "soon" is not a valid duration'],
    ['clock set soon', 'clock set: "soon" is not a valid instant'],
    [
      'clock back',
      'There is no clock command "back". Commands: show, advance, set, freeze, resume, reset, help',
    ],
    ['keys create gold', 'Allowed choices are free, pro, business, enterprise'],
    ['keys lst', 'There is no keys command "lst". Did you mean list?'],
    ['limits psk_free.w1 --namespace w2', 'psk_free.w1 names the namespace w1, but --namespace is w2'],
    ['limits --leave 1', 'A change needs a key. Name it: limits <key> --leave 1'],
    ['limits psk_free --leave x', '--leave: "x" is not a valid number'],
    ['limits psk_free --refill --lift', '--leave, --refill, --ban and --lift exclude each other'],
    ['reset limit', 'Allowed choices are pets, limits,'],
    ['seed', 'Use either a fixture'],
    ['seed busy --count 5', 'Use either a fixture'],
    ['seed --seed 5', 'Use either a fixture'],
    ['seed bussy', 'There is no fixture "bussy". Did you mean busy?'],
    ['seed nope.json', 'nope.json does not exist'],
    ['seed --count many', '--count: "many" is not a valid number; use an integer from 0 to 1000000'],
    ['seed --count 5 --status lost=1', '--status: "lost" is not a status'],
    ['faults add', 'A fault has exactly one effect. Use one of --status <status>'],
    ['faults add --status 500 --wire reset', 'A fault has exactly one effect'],
    ['faults add --status many', '--status: "many" is not a number'],
    ['faults add --wire rest', 'Allowed choices are reset, empty, truncate, garbage, hang'],
    ['faults add --latency 1s --retry-after 5', '--retry-after needs --status'],
    ['faults add --rule {', '--rule: this is not JSON'],
    [
      'faults add --rule {} --retry-after 5',
      '--rule holds the complete rule, so --retry-after cannot be added',
    ],
    ['requests --follow --har', '--follow prints requests from now on'],
    ['report --namespace a/b', '--namespace: "a/b" is not a valid namespace'],
    ['report --url localhost', '--url: "localhost" is not a valid URL'],
    ['keys create', "missing required argument 'plan'. See petstore-sandbox keys create --help"],
    ['verify --times often', '--times: "often" is not a valid count; use "exactly 1"'],
    ['verify --status 7', '--status: "7" is not a valid status'],
    ['report --jsn', "unknown option '--jsn' (Did you mean --json?). See petstore-sandbox report --help"],
  ])('of %s is exit code 2 and one line', async (line, message) => {
    await using control = await stubControl(ANSWERS)
    const { code, out, err } = await runCli(line.split(' '), { PETSTORE_SANDBOX_URL: control.url })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(message)
    expect(err.trimEnd()).not.toContain('\n')
    expect(control.calls).toEqual([])
  })

  it('of a bad fixture names every problem, its file and line, and sends nothing', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'pets.csv')
    writeFileSync(file, 'name,categoryId,status\nKit,x,\nRex,1,lost\n')
    const { code, err, calls } = await called(['seed', file])
    expect({ code, calls }).toEqual({ code: 2, calls: [] })
    expect(err).toContain('pets.csv:2: pets[0].categoryId')
    expect(err).toContain('pets.csv:3: pets[1].status')
  })
})
