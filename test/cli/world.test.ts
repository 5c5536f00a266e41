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
  expect((await cli('faults add --latency 1ms --code down')).err).toContain('--code goes with --status')
})
