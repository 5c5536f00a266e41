import { expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox.ts'
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
  expect((await cli('requests --status 503')).out).toContain('fault:fault_1')
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
  for (const line of lines) expect(line).toMatch(/Z GET +\/v1\/pets\/999 +404 pro +/)
  for (const line of listed?.out.trimEnd().split('\n') ?? []) {
    expect(JSON.parse(line)).toMatchObject({ operationId: 'listPets', status: 200 })
  }
})

it('a command that only reads makes no namespace of a misspelt name', async () => {
  await using world = await opened()
  const { cli, get } = world
  await get('/pets', 'psk_free.worker-1')
  for (const command of ['report', 'requests', 'export', 'keys', 'clock', 'faults', 'snapshot', 'limits']) {
    const { code, out, err } = await cli(`${command} --namespace worker-2`)
    expect({ code, out }, command).toEqual({ code: 2, out: '' })
    expect(err).toContain('There is no namespace "worker-2" yet. Did you mean worker-1?')
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
