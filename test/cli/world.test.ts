import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import type { SandboxOptions } from '../../src/config/options.ts'
import control from '../../src/contract/generated/control.json' with { type: 'json' }
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/port.ts'
import { runCli } from './run-cli.ts'

const opened = async (options: SandboxOptions = {}) => {
  const sandbox = await createSandbox({ port: 0, seed: 1, ...options })
  const cli = (line: string, onOut?: (more: string) => void) =>
    runCli(line.split(' '), { PETSTORE_SANDBOX_URL: sandbox.baseUrl }, process.cwd(), '', onOut)
  const get = (path: string, key = 'psk_free') =>
    fetch(`${sandbox.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })
  return { sandbox, cli, get, [Symbol.asyncDispose]: () => sandbox.close() }
}

it('requests --follow prints matching requests as they happen, and ends with the sandbox', async () => {
  const { sandbox, cli, get } = await opened({ limits: { pro: 'unlimited/unlimited' } })
  // Loads the command, so that it follows within the loop below.
  await cli('requests')
  let [missed, found] = [0, 0]
  const following = [
    cli('requests --follow --status 599'),
    cli('requests --follow --status 4xx', () => missed++),
    cli('requests --follow --operation listPets --json', () => found++),
  ]
  // Earlier requests are not shown, so requests are sent until both commands have shown some.
  let ended = 0
  const finished = Promise.all(following.map((ran) => ran.finally(() => ended++)))
  for (let i = 0; i < 40 || (i < 1000 && ended === 0 && (missed < 2 || found < 2)); i++) {
    await get('/pets/999', 'psk_pro')
    await get('/pets', 'psk_pro')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(ended).toBe(0)
  await sandbox.close()
  const [impossible, missing, listed] = await finished
  expect(impossible).toMatchObject({ code: 0, out: '' })
  expect(missing).toMatchObject({ code: 0, err: expect.stringContaining('The sandbox has ended') })
  const lines = missing?.out.trimEnd().split('\n') ?? []
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines)
    expect(line).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} GET +\/v1\/pets\/999 +404 +pro .* There is no pet with this id/,
    )
  for (const line of listed?.out.trimEnd().split('\n') ?? []) {
    expect(JSON.parse(line)).toMatchObject({ operationId: 'listPets', status: 200 })
  }
})

it.each(['status abc', 'operation nope'])('requests --follow refuses --%s like requests', async (option) => {
  await using world = await opened()
  const { cli } = world
  const refused = await cli(`requests --${option}`)
  expect(refused.code).toBe(2)
  expect(await cli(`requests --follow --${option}`)).toEqual(refused)
})

it('faults add --rule accepts the output of faults list --json, code and message too', async () => {
  await using world = await opened()
  const { sandbox, cli, get } = world
  const given = [
    '--status',
    '503',
    '--code',
    'maintenance',
    '--message',
    'Back at noon.',
    '--retry-after',
    '5',
  ]
  const env = { PETSTORE_SANDBOX_URL: sandbox.baseUrl }
  await runCli(['faults', 'add', '--operation', 'listPets', ...given], env)
  await cli('faults add --latency 1ms --times 3')
  const answer = await get('/pets')
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    503,
    '5',
    { code: 'maintenance', message: 'Back at noon.', status: 503 },
  ])
  const { out: listed } = await cli('faults list --json')
  await cli('faults clear')
  const again = await runCli(['faults', 'add', '--json', '--rule', listed], env)
  expect(again).toMatchObject({ code: 0, err: '' })
  const known = (text: string) =>
    JSON.parse(text).map(({ id: _, acted: __, ...rule }: Record<string, unknown>) => rule)
  expect(known((await cli('faults list --json')).out)).toEqual(known(listed))
  expect(known(again.out)).toEqual(known(listed))
})

it('the command line that the history shows for a rule adds the same rule', async () => {
  await using world = await opened()
  const url = `${new URL(world.sandbox.baseUrl).origin}/_sandbox`
  const json = async (path: string) => (await fetch(url + path)).json()
  const post = control.paths['/faults'].post.requestBody.content['application/json'].examples
  const rules: readonly object[] = [
    ...Object.values(post).map(({ value }) => value),
    {
      match: { method: 'GET', path: '/pets/*', key: 'psk_pro' },
      effect: { status: 418, code: 'a b', message: '' },
    },
  ]
  for (const rule of rules) {
    await fetch(`${url}/faults`, { method: 'POST', body: JSON.stringify(rule) })
    const { line } = (await json('/history')).at(-1)
    expect(await runCli(line, { PETSTORE_SANDBOX_URL: world.sandbox.baseUrl })).toMatchObject({ code: 0 })
    const [first, second] = (await json('/faults')).map(
      ({ id: _, expiresAt: __, ...others }: Record<string, unknown>) => ({ match: {}, ...others }),
    )
    expect(second).toEqual(first)
    expect(first).toMatchObject(rule)
    await world.cli('faults clear')
  }
})

it('verify --within waits for later requests', async () => {
  await using world = await opened()
  const later = world.cli('verify --operation getPet --within 60s')
  await world.get('/pets/1')
  expect((await later).code).toBe(0)
})

it('an export in each format can be seeded, also from stdin', async () => {
  await using world = await opened()
  const { sandbox, cli } = world
  const env = { PETSTORE_SANDBOX_URL: sandbox.baseUrl }
  const before = JSON.parse((await cli('export --json')).out)
  for (const format of ['json', 'yaml', 'csv']) {
    const { out } = await cli(`export --format ${format}`)
    expect(out.split('\n').length).toBeGreaterThan(12)
    await cli('seed empty')
    const seeded = await runCli(['seed', '-'], env, undefined, out)
    expect(seeded).toMatchObject({ code: 0, out: '12 pets in namespace default.\n', err: '' })
    expect(JSON.parse((await cli('export --json')).out).pets).toEqual(before.pets)
  }
})

it('an export to a terminal has no control characters; a file has those of a name', async () => {
  await using world = await opened()
  await world.sandbox.seed({ pets: [{ name: '\x1b[31mRex\x07\u202E', categoryId: 1 }] })
  const env = { PETSTORE_SANDBOX_URL: world.sandbox.baseUrl }
  for (const format of ['json', 'yaml', 'csv']) {
    const shown = await runCli(['export', '--format', format], env, undefined, '', undefined, 80)
    expect(shown.out).toContain('[31mRex')
    for (const hidden of ['\x1b', '\x07', '\u202E']) expect(shown.out).not.toContain(hidden)
  }
  expect((await world.cli('export --format csv')).out).toContain('\x1b[31mRex\x07\u202E')
})

it.each([
  [404, '{"message":"Not Found"}'],
  [200, '[]'],
])('a server that answers with %i %s is reported to be no sandbox', async (status, text) => {
  const other = createServer((_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(text),
  )
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const { code, err } = await runCli(['faults', '--url', url])
  const asJson = await runCli(['faults', '--url', url, '--json'])
  other.close()
  expect(code).toBe(1)
  expect(err).toContain(`${url} answers (${status}), but not as a sandbox does`)
  expect(JSON.parse(asJson.err)).toMatchObject({
    code: 'unreachable',
    status: null,
    fix: expect.stringContaining('--url'),
  })
})

it('says to a terminal what it waits for, and keeps the JSON on stderr of a script whole', async () => {
  const slow = createServer((_, response) => void setTimeout(() => response.end('[]'), 3200))
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
  const args = ['faults', '--url', url, '--json']
  const [script, terminal] = await Promise.all([
    runCli(args),
    runCli(args, {}, undefined, '', undefined, 80, true),
  ])
  slow.close()
  expect(JSON.parse(script.err)).toMatchObject({ code: 'unreachable' })
  expect(terminal.err).toBe(`${url} has not answered for 3 s; waiting up to 30 s\n${script.err}`)
})

it('a command with a key that names a world asks nothing of another one', async () => {
  const asked: (string | null)[] = []
  const body = JSON.stringify({ status: 'ok', version: '1.0.0' })
  const server = createServer(({ url = '' }, response) => {
    asked.push(new URL(url, 'http://localhost').searchParams.get('namespace'))
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, err } = await runCli(['keys', 'revoke', 'psk_pro.w1', '--url', url])
  server.close()
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(new Set(asked)).toEqual(new Set(['w1']))
})

it('world.key refuses an unknown plan', async () => {
  await using world = await opened()
  expect(world.sandbox.key('limited')).toBe('psk_limited')
  expect(() => world.sandbox.key('gold')).toThrow(/"gold" is not a plan; use free, pro, business, enterprise/)
})

it('requests of all namespaces are shown together, with their namespaces', async () => {
  await using world = await opened()
  const { cli, get } = world
  await get('/pets', 'psk_free.w1')
  await get('/pets/1', 'psk_pro')
  const { out } = await cli('requests --namespace *')
  expect(out).toMatch(/^NAMESPACE +ID /)
  expect(out).toMatch(/\nw1 +req_000001 .*\/v1\/pets /)
  expect(out).toMatch(/\ndefault +req_000001 .*\/v1\/pets\/1 /)
  let shown = ''
  const following = cli('requests --namespace * --follow', (more) => {
    shown += more
  })
  for (let i = 0; i < 1000 && !shown.includes('[w2]'); i++) {
    await get('/pets', 'psk_free.w2')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await world.sandbox.close()
  expect((await following).out).toMatch(/ \[w2\]/)
})

it('a fault holds a request until another one is answered or the command holds releases it', async () => {
  await using world = await opened()
  const { cli, get } = world
  const added = await cli(
    'faults add --operation listPets --hold-until-operation getPet --when after --times 1',
  )
  expect(added.out).toContain('hold until operationId getPet')
  const order: string[] = []
  const untilHeld = async () => {
    while ((await cli('holds --json')).out === '[]\n');
  }
  const read = get('/pets').then(() => order.push('list'))
  await untilHeld()
  expect((await cli('holds')).out).toMatch(/hold_1 +req_000001 +listPets +fault_1 +after/)
  order.push(String((await get('/pets/1')).status))
  await read
  expect(order).toEqual(['200', 'list'])

  await cli('faults add --hold-until-released --hold-timeout 60s --for 1h')
  const held = get('/pets')
  await untilHeld()
  expect(await cli('holds release hold_2')).toMatchObject({ code: 0, out: 'Released hold_2.\n' })
  expect((await held).status).toBe(200)
  expect((await cli('holds')).out).toBe('No request is held in namespace default.\n')
})

it('wait ends when a sandbox is ready', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const waiting = runCli(['wait', '--url', url, '--for', '60s'])
  await using sandbox = await createSandbox({ port, host: '127.0.0.1' })
  expect(await waiting).toEqual({ code: 0, out: `A sandbox is ready on ${url}.\n`, err: '' })
  expect(sandbox.port).toBe(port)
})

it('a namespace of which only snapshots are stored is there after a restart, until it is dropped', async () => {
  const db = join(temporaryFolder(), 'db.json')
  const listed = 'snapshot list --namespace w1'
  {
    await using first = await opened({ db })
    await first.cli('snapshot save before --namespace w1')
  }
  {
    await using second = await opened({ db })
    expect(await second.cli(listed)).toMatchObject({ code: 0, out: expect.stringMatching(/^before +12 /m) })
    expect(await second.cli('namespaces drop w1')).toMatchObject({ code: 0 })
  }
  await using third = await opened({ db })
  expect(await third.cli(listed)).toMatchObject({
    code: 2,
    err: expect.stringContaining('no namespace "w1"'),
  })
})
