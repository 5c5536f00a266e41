import { expect, it } from 'vitest'
import { runCli, stubControl } from './run-cli.ts'

const CLOCK = { now: '2026-11-19T12:34:56.000Z', frozen: false }
const namespace = (name: string, pets: number, requests: number) => ({ name, pets, requests, clock: CLOCK })
const report = (requests: number, coverage: object, uncovered: string[]) => ({
  requests,
  coverage,
  uncovered,
  deprecatedCalls: 0,
  rateLimited: 1,
  earlyRetries: { count: 1, first: [{ key: 'psk_…', at: CLOCK.now, allowedAt: CLOCK.now, earlyMs: 5 }] },
  bans: 0,
  invalidRequests: 0,
  ignoredInputs: { count: 0, first: [] },
  possibleDuplicates: 0,
  serverErrors: 0,
})

const several = async () => {
  const first = await stubControl({
    'GET /namespaces': [namespace('default', 12, 1), namespace('w1', 3, 4)],
    'GET /report': report(5, { listPets: { 200: 5 } }, ['createPet', 'getPet']),
    'DELETE /namespaces/w2': {
      status: 404,
      text: '{"code":"not_found","message":"There is no namespace w2.","status":404}',
    },
    'DELETE /namespaces/w3': {
      status: 404,
      text: '{"code":"not_found","message":"There is no namespace w3.","status":404}',
    },
  })
  const second = await stubControl({
    'GET /namespaces': [namespace('default', 12, 0), namespace('w2', 1, 2)],
    'GET /report': report(2, { listPets: { 200: 1 }, createPet: { 201: 1 } }, ['getPet']),
    'DELETE /namespaces/w3': {
      status: 404,
      text: '{"code":"not_found","message":"There is no namespace w3.","status":404}',
    },
  })
  return {
    first,
    second,
    run: (...args: string[]) => runCli([...args, '--url', first.url, '--url', second.url]),
    async [Symbol.asyncDispose]() {
      await first[Symbol.asyncDispose]()
      await second[Symbol.asyncDispose]()
    },
  }
}

it('report adds the counts of several sandboxes', async () => {
  await using sandboxes = await several()
  const { out, err } = await sandboxes.run('report', '--json', '--namespace', '*')
  expect(err).toBe('')
  expect(JSON.parse(out)).toMatchObject({
    requests: 7,
    coverage: { listPets: { 200: 6 }, createPet: { 201: 1 } },
    uncovered: ['getPet'],
    rateLimited: 2,
    earlyRetries: { count: 2, first: [{ earlyMs: 5 }, { earlyMs: 5 }] },
  })
})

it('report of a namespace calls those that have it, each once', async () => {
  await using sandboxes = await several()
  const base = `${sandboxes.second.url}/v1`
  const { out } = await sandboxes.run('report', '--json', '--namespace', 'w2', '--url', base)
  expect(JSON.parse(out).requests).toBe(2)
  expect(sandboxes.first.calls.map(({ path }) => path)).toEqual(['/namespaces'])
  expect(sandboxes.second.calls.map(({ path }) => path)).toEqual(['/namespaces', '/report'])
  const { code, err } = await sandboxes.run('report', '--namespace', 'w4')
  expect(code).toBe(2)
  expect(err).toContain('There is no namespace "w4". Did you mean')
  expect(err).toContain('Namespaces: default, w1, w2.')
})

it('namespaces of several sandboxes are one table, with their addresses', async () => {
  await using sandboxes = await several()
  const { out } = await sandboxes.run('namespaces')
  const shown = out.replace(sandboxes.first.url, 'FIRST').replace(sandboxes.second.url, 'SECOND')
  expect(shown).toMatch(/^NAME +PETS +REQUESTS +CLOCK +AT\n/)
  expect(shown).toMatch(/^w1 +3 +4 +2026-11-19T12:34:56.000Z +http/m)
  expect(shown).toMatch(/^w2 +1 +2 +2026-11-19T12:34:56.000Z +http/m)
  expect(shown).toContain('\n4 namespaces in 2 sandboxes: 28 pets, 7 requests in the journals.\n')
  expect(JSON.parse((await sandboxes.run('namespaces', 'list', '--json')).out)).toContainEqual({
    ...namespace('w2', 1, 2),
    url: sandboxes.second.url,
  })
})

it('namespaces of one sandbox are its response', async () => {
  await using sandboxes = await several()
  const { out } = await runCli(['namespaces', '--url', sandboxes.first.url])
  expect(out).toMatch(/^NAME +PETS +REQUESTS +CLOCK\ndefault +12 +1 +2026-11-19T12:34:56.000Z\nw1 .*\n$/)
})

it('a command that takes one sandbox refuses several', async () => {
  await using sandboxes = await several()
  const { code, err } = await sandboxes.run('pets')
  expect([code, err]).toEqual([
    2,
    'petstore-sandbox: --url: this command takes one sandbox; call it once for each; report and namespaces take several\n',
  ])
  expect([...sandboxes.first.calls, ...sandboxes.second.calls]).toEqual([])
})

it('says what was dropped if another sandbox does not answer', async () => {
  await using sandboxes = await several()
  const { code, err } = await sandboxes.run('namespaces', 'drop', 'w1', '--url', 'http://127.0.0.1:1')
  expect(code).toBe(1)
  expect(err).toContain('Dropped w1 in 2 sandboxes. No sandbox answers at http://127.0.0.1:1')
})

it('a namespace is dropped in the sandbox that has it, and refused if none has it', async () => {
  await using sandboxes = await several()
  expect(await sandboxes.run('namespaces', 'drop', 'w2')).toEqual({ code: 0, out: 'Dropped w2.\n', err: '' })
  // The query lets a load balancer route the call by namespace.
  expect(sandboxes.second.calls).toMatchObject([
    { method: 'DELETE', path: '/namespaces/w2', query: { namespace: 'w2' } },
  ])
  expect((await sandboxes.run('namespaces', 'drop', 'default')).out).toBe('Dropped default in 2 sandboxes.\n')
  const { code, err } = await sandboxes.run('namespaces', 'drop', 'w3')
  expect(code).toBe(1)
  expect(err).toContain('There is no namespace w3.')
})
