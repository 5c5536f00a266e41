import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { KEY, startFaultyService } from '../tools/conformance/faulty-service.ts'
import { runCli, stubControl } from './run-cli.ts'
import { folder, inFreshFolders, startProgram } from './spawn.ts'

inFreshFolders()

it('a server that closes each connection at once never makes a command succeed', async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const lines = [
    `contract http://127.0.0.1:${port}/v1`,
    `report --url http://127.0.0.1:${port}`,
    `wait --for 1s --url http://127.0.0.1:${port}`,
  ]
  // Whether the client of Node settles depends on timing, so each command runs several times. All run at once, since
  // each waits up to 30 s.
  const runs = [...lines, ...lines, ...lines].map((line) => ({ line, ...startProgram(line.split(' ')) }))
  for (const { line, ended, output } of runs) {
    expect(await ended, line).toBe(1)
    expect(output.err, line).toContain('127.0.0.1')
  }
  server.close()
})

describe.skipIf(process.platform === 'win32')('a stopped run writes its reports', () => {
  const REPORTED = ['--report', 'junit=a.xml', '--report', 'json=a.json', '--report', 'markdown=a.md']
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')

  it('of contract, when it waits for a limit', async () => {
    await using service = await startFaultyService({ limit: 15, defect: 'envelope' })
    const args = ['contract', service.baseUrl, '--key', KEY, '--allow-writes', ...REPORTED]
    const started = startProgram(args)
    await new Promise((resolve) => started.child.stderr?.once('data', resolve))
    expect(started.output.err).toMatch(/^Waiting /)
    // Like npm: the terminal signals both processes, and npm forwards its signal.
    for (let i = 0; i < 2; i++) started.child.kill('SIGINT')
    expect(await started.ended).toBe(130)
    expect(started.output.err).toContain('\npetstore-sandbox: SIGINT stopped the run\n')
    const { checks, counts, unchecked } = JSON.parse(read('a.json'))
    expect(unchecked).toBe('SIGINT stopped the run')
    expect(counts.failed).toBeGreaterThan(0)
    expect(checks.find(({ id }: { id: string }) => id === 'refused-not-stored').reason).toBe(unchecked)
    expect(started.output.out).toMatch(/\n\d+ checks: .* failed, .* skipped/)
    expect(read('a.xml')).toContain('<skipped message="SIGINT stopped the run"/>')
    expect(read('a.md')).toContain('| skipped | SIGINT stopped the run |')
  })

  it('of contract, when the service does not answer', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const started = startProgram(['contract', `http://127.0.0.1:${port}/v1`, '--json', ...REPORTED])
    const [socket] = await once(server, 'connection')
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(143)
    expect(JSON.parse(started.output.err)).toMatchObject({
      code: 'failed',
      message: 'SIGTERM stopped the run',
      fix: 'Run it again',
    })
    expect(JSON.parse(started.output.out)).toEqual(JSON.parse(read('a.json')))
    expect(JSON.parse(read('a.json'))).toMatchObject({ requests: 0, unchecked: 'SIGTERM stopped the run' })
    socket.destroy()
    server.close()
  })

  it('of replay --against, when it waits as recorded', async () => {
    const recorded = await createSandbox({ listen: false, record: join(folder, 'run.jsonl') })
    for (let i = 0; i < 3; i++)
      await recorded.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
    await recorded.close()
    writeFileSync(join(folder, 'run.jsonl'), read('run.jsonl').replaceAll(/(3,"at":)\d+/g, '$19999999'))
    await using service = await createSandbox({ port: 0 })
    const args = ['replay', 'run.jsonl', '--against', service.baseUrl, '--key', 'psk_pro=KEY', '--paced']
    const started = startProgram([...args, ...REPORTED], { KEY: 'psk_pro' })
    await new Promise((resolve) => started.child.stderr?.once('data', resolve))
    started.child.kill('SIGINT')
    expect(await started.ended).toBe(130)
    expect(started.output.err).toMatch(/^Waiting .*\npetstore-sandbox: SIGINT stopped the run\n$/)
    expect(started.output.out).toBe(`1 request has no response: SIGINT stopped the run.
Sent 2 requests to ${service.baseUrl}. All 2 responses agree with the recording.
`)
    expect(JSON.parse(read('a.json'))).toMatchObject({ commands: 2, compared: 2 })
    expect(read('a.xml')).toContain('<skipped message="SIGINT stopped the run"/>')
    expect(read('a.md')).toContain('SIGINT stopped the run')
  })

  it('of replay --against, when the service does not answer', async () => {
    await (await createSandbox({ listen: false, record: join(folder, 'run.jsonl') })).fetch('/v1/pets')
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const args = ['replay', 'run.jsonl', '--against', `http://127.0.0.1:${port}/v1`]
    const started = startProgram([...args, ...REPORTED])
    const [socket] = await once(server, 'connection')
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(143)
    expect(started.output.out).toMatch(
      /^.*cut off.*\n1 request has no response: SIGTERM stopped the run\.\nSent 0 requests .*\. No response was compared\.\n$/,
    )
    expect(read('a.xml')).toContain('<skipped message="SIGTERM stopped the run"/>')
    socket.destroy()
    server.close()
  })
})

/** Sends a text in every part of a request that a client controls. */
async function sendEverywhere(baseUrl: string, text: string): Promise<void> {
  const encoded = encodeURIComponent(text)
  const hidden = Array.from(encodeURIComponent(text), (character) =>
    /[a-z]/i.test(character) ? `%${character.charCodeAt(0).toString(16)}` : character,
  ).join('')
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}${path}`, { headers: { authorization: 'Bearer psk_pro', ...headers } })
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}/pets`, {
      method: 'POST',
      body,
      headers: { authorization: 'Bearer psk_pro', 'content-type': 'application/json', ...headers },
    })
  const quoted = JSON.stringify(text)
  await get(`/pets/${encoded}?${encoded}=1&status=${encoded}`)
  await get(`/${hidden.includes('%25') ? encoded : hidden}`)
  await get(`/pets?api_key=${encoded}&x=${encoded}`)
  await post(`{${quoted}:1,"name":${quoted},"categoryId":1}`)
  await post(`{"name":"a","categoryId":${quoted}}`)
  await post(`{"name":"a","categoryId":1,"\\u0074oken":${quoted}}`)
  await post(text, { 'content-type': 'text/plain' })
  const sendable = /^[\t\x20-\xff]+$/.test(text) ? text : encoded
  const token = sendable.replaceAll(/[^\w-]/g, '') || 'none'
  await get('/pets', { [token]: 'x', 'x-echo': sendable, referer: `http://a/?k=${encoded}` })
  await get('/pets', { 'x-api-key': sendable, 'x-auth-token': sendable, cookie: `s=${encoded}` })
  await get('/pets', { authorization: `Bearer ${sendable}` })
  await get('/pets', { authorization: sendable })
}

/** All outputs about requests, by their name. */
async function read(sandbox: Pick<Sandbox, 'baseUrl'>, namespace = 'default'): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const control = sandbox.baseUrl.replace('/v1', '/_sandbox')
  for (const [path, accept] of [
    ['requests', '*/*'],
    ['requests', 'application/har+json'],
    ['report', '*/*'],
  ] as const) {
    const response = await fetch(`${control}/${path}?namespace=${namespace}`, { headers: { accept } })
    texts.set(`${path} ${accept}`, await response.text())
  }
  const env = { PETSTORE_SANDBOX_URL: sandbox.baseUrl }
  for (const line of ['requests', 'requests --json', 'requests --har', 'report', 'report --json']) {
    const { out, err } = await runCli(line.split(' '), env)
    texts.set(`command line: ${line}`, out + err)
  }
  return texts
}

const verifyWith = async (sandbox: Pick<Sandbox, 'baseUrl'>, text: string): Promise<string> => {
  const match = { operationId: 'createPet', path: `/pets/${text}`, body: { name: text, [text]: 1 } }
  const response = await fetch(`${sandbox.baseUrl.replace('/v1', '/_sandbox')}/requests/verify`, {
    method: 'POST',
    body: JSON.stringify({ match, times: { exactly: 9 } }),
  })
  return response.text()
}

/** Starts the program and returns it with its output and base URL. */
async function started(args: string[]) {
  const program = startProgram(args)
  const out = await program.until('is ready on')
  const baseUrl = /is ready on (\S+)/.exec(out)?.[1] ?? ''
  return { program, baseUrl }
}

async function ended({ child, ended, output }: ReturnType<typeof startProgram>): Promise<string> {
  child.kill('SIGTERM')
  await ended
  return output.out + output.err
}

/** Whether a text contains the key, in any encoding, without regard to what surrounds it. */
const leaks = (text: string, key: string): boolean => {
  const plain = text
    .replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\+u00([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  return plain.toLowerCase().includes(key.toLowerCase())
}

it('no output contains an issued key, wherever a client has sent it', async () => {
  const { program, baseUrl } = await started(['--port', '0', '--memory'])
  const control = baseUrl.replace('/v1', '/_sandbox')
  const issue = async (body: object) =>
    (await fetch(`${control}/keys`, { method: 'POST', body: JSON.stringify(body) })).json()
  const keys = [
    ((await issue({ plan: 'pro' })) as { key: string }).key,
    ((await issue({ plan: 'free', key: 'Team-Secret_0123456789' })) as { key: string }).key,
  ]
  const events = new AbortController()
  let followed = ''
  const following = fetch(`${control}/events?namespace=*`, { signal: events.signal }).then(
    async ({ body }) => {
      for await (const chunk of body ?? []) followed += Buffer.from(chunk).toString()
    },
  )
  for (const key of keys) await sendEverywhere(baseUrl, key)
  const texts = await read({ baseUrl })
  for (const key of keys) texts.set(`verify ${key}`, await verifyWith({ baseUrl }, key))
  events.abort()
  await following.catch(() => {})
  texts.set('events', followed)
  texts.set('log', await ended(program))
  expect(followed.split('event: request').length).toBeGreaterThan(15)
  for (const [where, text] of texts) {
    for (const key of keys)
      expect(leaks(text, key), `${where} contains ${key}: ${text.slice(0, 500)}`).toBe(false)
    expect(text, where).toMatch(/…|requests/)
  }
})

it('no report of exec contains an issued key, and neither does its command line', async () => {
  const script = `
    const base = process.env.PETSTORE_BASE_URL
    const issue = (body) => fetch(process.env.PETSTORE_SANDBOX_URL + '/_sandbox/keys', { method: 'POST', body: JSON.stringify(body) })
    await issue({ plan: 'free', key: 'Team-Secret_0123456789' })
    const headers = { authorization: 'Bearer Team-Secret_0123456789', 'content-type': 'application/json' }
    await fetch(base + '/pets?Team-Secret_0123456789=1', { headers })
    await fetch(base + '/Team-Secret%5F0123456789', { headers })
    await fetch(base + '/pets', { method: 'POST', headers, body: '{"Team-Secret_0123456789":1,"name":"a","categoryId":1}' })
    await fetch(base + '/pets?limit=Team-Secret_0123456789', { headers })`
  const reports = ['junit=r.xml', 'json=r.json', 'markdown=r.md'].flatMap((file) => ['--report', file])
  const gates = ['--fail-on', 'ignored-input,invalid-request', '--log', 'pretty']
  const words = ['--input-type=module', '-e', script, '--', '--api-key', 'mine', 'Authorization: Bearer mine']
  const program = startProgram(['exec', ...gates, ...reports, '--', process.execPath, ...words])
  expect(await program.ended).toBe(3)
  const files = ['r.xml', 'r.json', 'r.md'].map((file) => readFileSync(join(folder, file), 'utf8'))
  for (const text of [...files, program.output.out + program.output.err]) {
    expect(leaks(text, 'Team-Secret_0123456789')).toBe(false)
    expect(text).not.toMatch(/\bmine\b/)
  }
})

it('no output of the proxy contains the key of a client', async () => {
  await using service = await createSandbox({ port: 0 })
  const proxied = [
    'proxy',
    service.baseUrl,
    '--port',
    '0',
    '--report',
    'markdown=p.md',
    '--report',
    'junit=p.xml',
  ]
  const { program, baseUrl } = await started(proxied)
  const secret = 'live.Se-cret_0123456789'
  const headers = {
    authorization: `Bearer ${secret}`,
    'x-auth-token': 'also-mine',
    'x-goog-api-key': 'also-mine',
  }
  await fetch(`${baseUrl}/pets?limit=${secret}&api_key=also-mine`, { headers })
  await fetch(`${baseUrl}/${secret}`, { headers })
  const texts = await read({ baseUrl })
  texts.set('log', await ended(program))
  for (const file of ['p.md', 'p.xml']) texts.set(file, readFileSync(join(folder, file), 'utf8'))
  for (const [where, text] of texts) {
    expect(leaks(text, secret) || leaks(text, 'also-mine'), `${where}: ${text.slice(0, 500)}`).toBe(false)
  }
})

const HOSTILE = 'a\u001b[31m\u009b31m\u202e\u2066\u200f\u061c\u2028\u0007z'
const UNSAFE = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

it('no output holds control characters or bidirectional characters that a client has sent', async () => {
  const { program, baseUrl } = await started(['--port', '0', '--memory'])
  await sendEverywhere(baseUrl, HOSTILE)
  const control = baseUrl.replace('/v1', '/_sandbox')
  const rule = { match: { path: `/${HOSTILE}` }, effect: { status: 503 } }
  await fetch(`${control}/faults`, { method: 'POST', body: JSON.stringify(rule) })
  const texts = new Map<string, string>()
  const env = { PETSTORE_SANDBOX_URL: baseUrl }
  const lines = [
    'requests',
    'requests --json',
    'requests --har',
    'report',
    'report --json',
    'faults',
    'export',
  ]
  for (const line of [...lines, 'faults --json', `keys revoke ${HOSTILE}`, `validate ${HOSTILE}`]) {
    const { out, err } = await runCli(line.split(' '), env)
    if (/--json|--har|export/.test(line)) expect(() => JSON.parse(out)).not.toThrow()
    texts.set(line, out + err)
  }
  const { out: exported } = await runCli(['export'], env)
  expect(JSON.parse(exported).pets.map(({ name }: { name: string }) => name)).toContain(HOSTILE)
  texts.set('log', await ended(program))
  for (const [where, text] of texts) expect(UNSAFE.exec(text), `${where}: ${JSON.stringify(text)}`).toBeNull()
})

it('no output contains control characters that a sandbox of somebody else sends', async () => {
  const window = { limit: 1, remaining: 1, resetsAt: HOSTILE }
  const limits = { plan: HOSTILE, minute: window, day: window, ban: { until: HOSTILE, seconds: 1 } }
  const text = JSON.stringify({
    ...limits,
    key: HOSTILE,
    name: HOSTILE,
    now: HOSTILE,
    branch: HOSTILE,
    pets: 1,
  })
  const calls = [
    'GET /clock',
    'GET /keys/psk_pro/limits',
    'POST /keys',
    'POST /snapshots/a/restore',
    'POST /rewind',
    'POST /fork',
  ]
  await using control = await stubControl(Object.fromEntries(calls.map((call) => [call, { text }])))
  for (const line of [
    'clock',
    'limits psk_pro',
    'keys create pro',
    'snapshot restore a',
    'rewind req_000001',
    'fork b',
  ]) {
    const { out, err } = await runCli([...line.split(' '), '--url', control.url])
    expect(out, line + err).toContain('u202e')
    expect(UNSAFE.exec(out + err), line).toBeNull()
  }
})

it('JSON for terminals shows hidden characters as escapes, and integers with all digits', async () => {
  const entry = {
    id: 'req_000001',
    at: '2030-01-01T00:00:00.000Z',
    method: 'GET',
    path: '/\u009b31m\u202e',
    status: 404,
  }
  const failed = { code: 'verification_failed', message: 'none', status: 409, nearest: [entry] }
  await using control = await stubControl({
    'GET /interface.json': { text: '{"title":"\u202e","x":9007199254740993}' },
    'POST /requests/verify': { status: 409, text: JSON.stringify(failed) },
  })
  const verified = await runCli(['verify', '--json', '--url', control.url])
  expect(verified).toMatchObject({ code: 3, err: expect.stringContaining('"/\\u009b31m\\u202e"') })
  const spec = await runCli(['spec', '--format', 'json', '--url', control.url])
  expect(spec).toEqual({ code: 0, out: '{\n  "title": "\\u202e",\n  "x": 9007199254740993\n}\n', err: '' })
})

it('a replay prints its log on stderr, and only the result on stdout', async () => {
  const sandbox = await createSandbox({ listen: false, record: join(folder, 'run.jsonl') })
  await (await sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })).text()
  await sandbox.close()
  const { ended, output } = startProgram(['replay', 'run.jsonl', '--json'], { PETSTORE_SANDBOX_LOG: 'json' })
  expect(await ended).toBe(0)
  expect(JSON.parse(output.out)).toMatchObject({ commands: 1, compared: 1 })
  expect(JSON.parse(output.err)).toMatchObject({ event: 'request', id: 'req_000001' })
})
