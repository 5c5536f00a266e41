import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { runCli } from './run-cli.ts'

const opened = async () => {
  const sandbox = await createSandbox({ port: 0, seed: 1 })
  const cli = (line: string) => runCli(line.split(' '), { PETSTORE_SANDBOX_URL: sandbox.baseUrl })
  const get = (path: string, key = 'psk_free') =>
    fetch(`${sandbox.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })
  return { sandbox, cli, get, [Symbol.asyncDispose]: () => sandbox.close() }
}

it('the command line turns a world of a running sandbox and asks what happened', async () => {
  await using world = await opened()
  const { cli, get } = world
  await cli('clock set 2030-12-04T23:59:00Z')
  await cli('clock freeze')
  expect((await get('/pets/1')).status).toBe(200)
  expect((await cli('clock advance 60s')).out).toMatch(/^2030-12-05T00:00:.*, frozen, /)
  expect((await get('/pets/1')).status).toBe(410)

  expect((await cli('faults add --operation listPets --status 503 --times 1')).out).toContain('fault_1')
  expect((await get('/pets')).status).toBe(503)
  expect((await get('/pets')).status).toBe(200)
  expect((await cli('faults')).out).toContain('1 of 1')

  expect((await cli('limits psk_free')).out).toMatch(/minute +60 +5[67] +in /)
  expect((await cli('requests --status 503')).out).toContain('The fault rule fault_1 replaced the response.')
  expect((await cli('report')).out).toMatch(/listPets +503: 1, 200: 1|listPets +200: 1, 503: 1/)

  const { out: key } = await cli('keys create pro --namespace w1')
  expect((await get('/pets', key.trim())).status).toBe(200)
  expect((await cli(`keys revoke ${key.trim()}`)).code).toBe(0)
  expect((await get('/pets', key.trim())).status).toBe(401)

  expect((await cli('snapshot save before')).out).toBe('Saved snapshot before: 12 pets.\n')
  expect((await cli('seed --count 3 --seed 1')).out).toBe('3 pets in namespace default.\n')
  expect((await cli('snapshot restore before')).out).toBe('Restored snapshot before: 12 pets.\n')
  expect((await cli('snapshot delete before')).code).toBe(0)
  expect((await cli('snapshot restore before')).code).toBe(1)
  expect((await cli('reset')).out).toContain('of namespace default: 12 pets.')
  expect((await cli('requests')).out).toBe('No such requests in namespace default.\n')
  expect((await cli('clock')).out).toMatch(/, running, real time\n$/)
})

it('report --at counts what had happened by then', async () => {
  await using world = await opened()
  const { cli, get } = world
  await get('/pets')
  await get('/pets/999')
  const counted = async (line: string) => JSON.parse((await cli(`${line} --json`)).out).requests
  expect(await counted('report --at req_000002')).toBe(2)
  expect(await counted('report --at req_000002 --side before')).toBe(1)
  expect((await cli('report --at req_000001')).out).toContain('listPets')
  expect(await cli('report --at req_000009')).toMatchObject({
    code: 1,
    err: expect.stringContaining('The oldest point is req_000001'),
  })
  expect(await cli('report --side before')).toMatchObject({ code: 2 })
  expect(await cli('report --at req_000001 --namespace *')).toMatchObject({ code: 2 })
  expect(await cli('report --at req_000001 --url http://127.0.0.1:1 --url http://127.0.0.1:2')).toMatchObject(
    { code: 2, err: expect.stringContaining('--at needs one --url') },
  )
})

it('requests --follow prints what is wanted as it happens, and ends with the sandbox', async () => {
  const { sandbox, cli, get } = await opened()
  const following = [
    cli('requests --follow --status 404'),
    cli('requests --follow --operation listPets --json'),
  ]
  // What happens before they listen is not followed, so it happens until both have seen something.
  let ended = 0
  const finished = Promise.all(following.map((ran) => ran.finally(() => ended++)))
  for (let i = 0; i < 40; i++) {
    await get('/pets/999', 'psk_pro')
    await get('/pets', 'psk_pro')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(ended).toBe(0)
  await sandbox.close()
  const [missing, listed] = await finished
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

it('what faults list --json prints goes back into faults add --rule, code and message too', async () => {
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
  expect((await cli('faults add --latency 1ms --code down')).err).toContain('--code needs --status')
})

it('decisions and spec show those of the sandbox at --url', async () => {
  await using sandbox = await createSandbox({
    port: 0,
    decisions: { 'list.limit': 'clamp', 'create.blankName': 'reject' },
  })
  const cli = (line: string) => runCli(line.split(' '))
  await sandbox.namespace('w1').clock.set('2030-12-05T00:00:00Z')
  expect((await cli(`decisions --url ${sandbox.baseUrl}`)).out).toMatch(/^list\.limit +clamp +/m)
  expect((await cli(`spec --url ${sandbox.baseUrl}`)).out).toContain('/pets/{petId}:')
  const { out } = await cli(`spec --url ${sandbox.baseUrl} --namespace w1 --format json`)
  expect(Object.keys(JSON.parse(out).paths)).toEqual(['/pets'])
  expect(JSON.parse(out).components.schemas.NewPet.properties.name.pattern).toBeDefined()
  const both = await cli(`decisions --url ${sandbox.baseUrl} --set list.limit=reject`)
  expect(both).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--set has no effect') })
})

it('verify holds with 0 and its count, or ends with 3 and what comes nearest', async () => {
  await using world = await opened()
  const { sandbox, get } = world
  const verify = (...args: string[]) => runCli(['verify', ...args], { PETSTORE_SANDBOX_URL: sandbox.baseUrl })
  await get('/pets')
  await get('/pets')
  expect(await verify('--operation', 'listPets', '--times', 'exactly 2')).toEqual({
    code: 0,
    out: 'Passed: 2 matching requests.\n',
    err: '',
  })
  expect((await verify('--operation', 'listPets', '--times', 'at most 2', '--status', '200')).code).toBe(0)
  const unknown = await verify('--namespace', 'wroker-1', '--times', 'exactly 0')
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('no namespace "wroker-1"') })
  const later = verify('--operation', 'getPet', '--within', '60s')
  await get('/pets/1')
  expect((await later).code).toBe(0)
  expect((await verify('--operation', 'getPet', '--times', '2', '--within', '20ms')).code).toBe(3)
  expect((await verify('--within', '2m')).code).not.toBe(0)
  const { code, out, err } = await verify('--operation', 'listPets', '--times', 'at least 3')
  expect({ code, out }).toEqual({ code: 3, out: '' })
  expect(err).toMatch(/found 2\.\nNearest:\n {2}\S+ req_00000\d GET \/v1\/pets 200\n/)
  expect(JSON.parse((await verify('--status', '500', '--json')).err)).toMatchObject({
    code: 'verification_failed',
    status: 409,
    actual: 0,
  })
})

it('what is exported in each form can be seeded again, also from stdin; a snapshot is not replaced unasked', async () => {
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
  const bad = await runCli(['seed', '-'], env, undefined, 'name,categoryId\nKit,x\n')
  expect(bad).toMatchObject({ code: 2, err: expect.stringContaining('stdin:2: pets[0].categoryId') })

  expect((await cli('snapshot save s1')).code).toBe(0)
  await cli('seed empty')
  const again = await cli('snapshot save s1')
  expect(again).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--force') })
  expect((await cli('snapshot restore s1')).out).toContain('12 pets')
  await cli('seed empty')
  expect((await cli('snapshot save s1 --force')).out).toBe('Saved snapshot s1: 0 pets.\n')
})

it.each([
  [404, '{"message":"Not Found"}'],
  [200, '[]'],
])('what answers with %i %s is told to be no sandbox, not taken for one', async (status, text) => {
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

it('world.key refuses what is no plan', async () => {
  await using world = await opened()
  expect(world.sandbox.key('limited')).toBe('psk_limited')
  expect(() => world.sandbox.key('gold')).toThrow(/"gold" is not a plan; use free, pro, business, enterprise/)
})

it('a command that only reads makes no namespace of a misspelt name', async () => {
  await using world = await opened()
  const { cli, get } = world
  await get('/pets', 'psk_free.worker-1')
  for (const command of ['report', 'requests', 'export', 'keys', 'clock', 'faults', 'snapshot', 'limits']) {
    const { code, out, err } = await cli(`${command} --namespace worker-2`)
    expect({ code, out }, command).toEqual({ code: 2, out: '' })
    expect(err).toContain('There is no namespace "worker-2". Did you mean worker-1?')
  }
  expect((await cli('report --namespace worker-1')).out).toMatch(/requests +1\n/)
  const listed = await fetch(`${world.sandbox.controlUrl}/namespaces`)
  expect(((await listed.json()) as { name: string }[]).map(({ name }) => name)).toEqual([
    'default',
    'worker-1',
  ])
})

it('requests of all namespaces are shown together, with the namespace of each', async () => {
  await using world = await opened()
  const { cli, get } = world
  await get('/pets', 'psk_free.w1')
  await get('/pets/1', 'psk_pro')
  const { out } = await cli('requests --namespace *')
  expect(out).toMatch(/^NAMESPACE +ID /)
  expect(out).toMatch(/\nw1 +req_000001 .*\/v1\/pets /)
  expect(out).toMatch(/\ndefault +req_000001 .*\/v1\/pets\/1 /)
  const following = cli('requests --namespace * --follow')
  for (let i = 0; i < 20; i++) {
    await get('/pets', 'psk_free.w2')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await world.sandbox.close()
  expect((await following).out).toMatch(/ \[w2\]/)
})

it('limits says that a key is not valid', async () => {
  await using world = await opened()
  expect((await world.cli('limits psk_revoked')).out).toMatch(/^psk_revoked, plan free, revoked: .* 401/)
  expect((await world.cli('limits psk_expired')).out).toMatch(/^psk_expired, plan free, expired .* 401/)
})

it('a fault holds a request until another one is answered or holds releases it', async () => {
  await using world = await opened()
  const { cli, get } = world
  const added = await cli(
    'faults add --operation listPets --hold-until-operation getPet --when after --times 1',
  )
  expect(added.out).toContain('hold {"until":{"operationId":"getPet"}}')
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
  expect((await cli('faults add --hold-timeout 5s --status 503')).err).toContain('--hold-timeout needs')
})

it("report --namespace '*' names the namespace of each finding", async () => {
  await using world = await opened()
  const { cli, get } = world
  for (const name of ['w1', 'w2']) await get('/pets?page=2', `psk_free.${name}`)
  const { out } = await cli('report --namespace *')
  for (const name of ['w1', 'w2'])
    expect(out).toMatch(new RegExp(`^  \\S+Z ${name} req_000001 listPets: `, 'm'))
  expect((await cli('report --namespace w1')).out).toMatch(/^ {2}\S+Z req_000001 listPets: /m)
})

it('pets shows those of a status or with a text, and what is left of many', async () => {
  await using world = await opened()
  const { cli } = world
  await cli('seed --count 3 --seed 1 --status available=100')
  expect((await cli('seed --count 150 --seed 2 --status sold=100 --add')).out).toContain('153 pets')
  const { out } = await cli('pets --status available')
  expect(out).toMatch(/^ *ID +NAME +CATEGORY ID +STATUS\n( *\d+ .* available\n){3}$/)
  expect((await cli('pets')).out).toMatch(/\n100 of 153 pets\n$/)
  expect((await cli('pets --q 153')).out).toMatch(/^ *ID.*\n *153 .*\n$/)
  expect((await cli('pets --q nobody')).out).toBe('No such pets in namespace default.\n')
  expect(JSON.parse((await cli('pets --after 152 --json')).out)).toMatchObject([{ id: 153 }])
  expect(await cli('pets --status lost')).toMatchObject({
    code: 2,
    err: expect.stringContaining('status must be one of available, pending, sold'),
  })
})

it('wait ends when a sandbox is ready, or with 1 when the time is over', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => free.close(resolve))
  const url = `http://127.0.0.1:${port}`
  const over = await runCli(['wait', '--url', url, '--for', '60ms'])
  expect(over).toMatchObject({ code: 1, err: expect.stringContaining('No sandbox was ready within 60 ms: ') })
  const waiting = runCli(['wait', '--url', url, '--for', '60s'])
  await using sandbox = await createSandbox({ port, host: '127.0.0.1' })
  expect(await waiting).toEqual({ code: 0, out: `A sandbox is ready on ${url}.\n`, err: '' })
  expect(sandbox.port).toBe(port)
  expect((await runCli(['wait', '--for', 'soon'])).err).toContain('--for: "soon" is not a valid duration')
})
