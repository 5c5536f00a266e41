import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runCli } from './run-cli.ts'

const folder = temporaryFolder()
const NOTHING = { count: 0, first: [] }
const UNCHANGED = { ...NOTHING, was: [] }

type Step = readonly [method: string, path: string, key: string, json?: unknown]

const play = async (sandbox: Sandbox, steps: readonly Step[]) => {
  for (const [method, path, key, json] of steps) {
    const headers = { host: 'localhost', authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    await sandbox.fetch(path, { method, headers, ...body }).then((response) => response.text())
  }
}

const kit = { name: 'Kit', categoryId: 16 }
const STEPS: readonly Step[] = [
  ['GET', '/v1/pets?limit=1', 'psk_pro'],
  ['POST', '/v1/pets', 'psk_pro', kit],
  ['GET', '/v1/pets/1', 'psk_limited'],
  ['GET', '/_sandbox/clock', ''],
  ['POST', '/v1/pets', 'psk_pro.w1', kit],
]

/** Records these steps in a file of that name. */
async function record(name: string, steps: readonly Step[], options = {}): Promise<void> {
  const file = join(folder, name)
  const sandbox = await createSandbox({ listen: false, log: 'silent', record: file, ...options })
  await play(sandbox, steps)
  await sandbox.close()
}

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, log: 'silent' })
  await play(sandbox, STEPS)
  await sandbox.snapshots.save('later')
  await record('a.jsonl', STEPS)
  await record('same.jsonl.gz', STEPS, { now: '2027-01-01T00:00:00Z' })
})
afterAll(() => sandbox.close())

const diff = (...args: string[]) =>
  runCli(['diff', ...args], { PETSTORE_SANDBOX_URL: sandbox.baseUrl }, folder)
const json = async (...args: string[]) => JSON.parse((await diff(...args, '--json')).out)

describe('two states', () => {
  it('a built-in fixture, files in each format and an export are compared with a running state', async () => {
    for (const [name, text] of Object.entries({
      'pets.json': '{"pets":[{"id":13,"name":"Kit","categoryId":16}]}',
      'pets.yaml': 'pets: [{ id: 13, name: Kit, categoryId: 16 }]',
      'pets.csv': 'id,name,categoryId\n13,Kit,16\n',
    })) {
      writeFileSync(join(folder, name), text)
      expect(await json(name, 'now')).toMatchObject({
        added: { count: 12 },
        removed: NOTHING,
        changed: UNCHANGED,
      })
    }
    const { out } = await runCli(['export', '--url', sandbox.baseUrl])
    writeFileSync(join(folder, 'export.json'), out)
    expect(await json('export.json', 'snapshot:later')).toEqual({
      ...{ added: NOTHING, removed: NOTHING, changed: UNCHANGED },
      nextId: { a: 14, b: 14 },
    })
    // As the inspector writes it.
    for (const name of ['default', 'fixture:default'])
      expect(await json('now', name)).toMatchObject({ removed: { first: [{ ...kit, id: 13 }] } })
  })

  it('points of history are compared with each other, and with the end of a recording', async () => {
    const between = await json('at:req_000001', 'at:req_000002')
    expect(between.added.first).toEqual([{ id: 13, ...kit }])
    const { limits, ...pets } = await json('a.jsonl', 'now')
    expect(pets).toMatchObject({ added: NOTHING, removed: NOTHING, changed: UNCHANGED })
    expect(limits).toEqual(NOTHING)
    const before = await json('at:req_000002:before', 'a.jsonl')
    expect(before.added.first).toEqual([{ id: 13, ...kit }])
    expect(before.limits.first).toMatchObject([
      { a: { key: 'psk_pro', minute: { remaining: 299 } }, b: { minute: { remaining: 298 } } },
      { a: { key: 'psk_limited', minute: { remaining: 60 } }, b: { minute: { remaining: 0 } } },
    ])
    expect((await json('a.jsonl', 'start', '--namespace', 'w1')).removed.count).toBe(1)
  })

  it('two files are compared without a running sandbox', async () => {
    const nowhere = { PETSTORE_SANDBOX_URL: 'http://127.0.0.1:1' }
    expect(await runCli(['diff', 'default', 'empty'], nowhere, folder)).toMatchObject({
      code: 0,
      out: expect.stringContaining('0 added, 12 removed, 0 changed\n'),
    })
    expect((await runCli(['diff', 'a.jsonl', 'empty'], nowhere, folder)).code).toBe(0)
    expect((await runCli(['diff', 'now', 'empty'], nowhere, folder)).code).toBe(1)
  })

  it('limits are a table at a terminal, without control characters', async () => {
    writeFileSync(join(folder, 'bad.json'), '{"pets":[{"id":1,"name":"\\u001b[31mC","categoryId":1}]}')
    const { out } = await diff('bad.json', 'empty')
    expect(out).toMatch(
      /^0 added, 1 removed, 0 changed\nWHAT .*\nremoved +1 +\\u001b\[31mC +1 +-\nThe next id differs: 2 → 1\n$/,
    )
    expect((await diff('at:req_000001:before', 'now')).out).toMatch(
      /The limits of 2 keys differ\nKEY +PLAN +MINUTE +DAY +BAN\npsk_pro +pro +300 → 298 of 300 +10,000 → 9,998 of 10,000 +-\n/,
    )
    expect((await diff('now', 'now')).out).toBe('No pet differs.\nNo limits differ.\n')
  })

  it.each([
    ['none.json', 2, 'There is no state "none.json"'],
    ['at:req_000999', 1, 'The oldest point is'],
    ['at:nonsense', 2, 'at:<request>'],
    ['namespace:none', 1, 'There is no namespace none'],
  ])('refuses %s', async (state, code, message) => {
    expect(await diff(state, 'now')).toMatchObject({ code, err: expect.stringContaining(message) })
  })

  it('a HAR is compared as a state, also with a HAR or a recording', async () => {
    const startedDateTime = '2026-11-19T12:00:00.000Z'
    const request = { method: 'GET', url: 'http://localhost:4010/v1/pets', headers: [] }
    const har = { log: { entries: [{ startedDateTime, request, response: { status: 200, headers: [] } }] } }
    writeFileSync(join(folder, 'page.HAR'), JSON.stringify(har))
    const noPetDiffers = { code: 0, out: expect.stringContaining('No pet differs.') }
    expect(await diff('page.HAR', 'page.HAR')).toMatchObject(noPetDiffers)
    expect(await diff('page.HAR', 'a.jsonl')).toMatchObject({ code: 0 })
  })

  it('an unknown namespace of a recording, and a file that is not a recording, are refused', async () => {
    expect(await diff('a.jsonl', 'empty', '--namespace', 'w2')).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no namespace "w2" in the recording. Namespaces: default; w1'),
    })
    writeFileSync(join(folder, 'wrong.txt'), 'hi')
    expect(await diff('wrong.txt', 'empty')).toMatchObject({
      code: 2,
      err: expect.stringContaining('It is not a recording'),
    })
  })
})

describe('two recordings', () => {
  const recorded = async (name: string, change: (steps: Step[]) => unknown, options = {}) => {
    const steps = [...STEPS]
    change(steps)
    await record(name, steps, options)
    return json('a.jsonl', name)
  }

  it('are equal if only their times differ', async () => {
    expect(await json('a.jsonl', 'same.jsonl.gz')).toEqual({
      ...{ added: NOTHING, removed: NOTHING, changed: UNCHANGED, nextId: { a: 14, b: 14 } },
      ...{ limits: NOTHING, request: null, alsoDiffer: [] },
    })
    expect((await diff('a.jsonl', 'same.jsonl.gz')).out).toBe(
      'No request or response differs.\n\nFinal states, in namespace default:\nNo pet differs.\nNo limits differ.\n',
    )
  })

  it.skipIf(process.platform === 'win32')('each is read once: it may be a pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'piped')])
    const written = writeFile(join(folder, 'piped'), readFileSync(join(folder, 'a.jsonl')))
    const { out } = await diff('piped', 'same.jsonl.gz')
    expect(out).toContain('No request or response differs.')
    await written
  })

  it('the first request with another reply is named', async () => {
    const found = await recorded('b.jsonl', () => {}, { limits: { pro: '5/10' } })
    expect(found.request).toMatchObject({
      kind: 'reply',
      namespace: 'default',
      a: { command: 1, request: 'GET /v1/pets?limit=1', requestId: 'req_000001' },
      difference: { where: 'header X-RateLimit-Limit', was: '300', is: '5' },
    })
    expect((await diff('a.jsonl', 'b.jsonl')).out).toContain(
      'First request with another response, in namespace default:\n  a: GET /v1/pets?limit=1, command 1, req_000001\n',
    )
  })

  it('a request that was inserted, is missing or differs is named', async () => {
    const inserted = await recorded('i.jsonl', (steps) => steps.splice(1, 0, ['GET', '/v1/pets', 'psk_pro']))
    expect(inserted.request).toEqual({
      ...{ kind: 'inserted', namespace: 'default', a: null },
      b: { command: 2, request: 'GET /v1/pets', requestId: 'req_000002' },
    })
    const missing = await recorded('m.jsonl', (steps) => steps.splice(1, 1))
    expect(missing.request).toMatchObject({
      kind: 'missing',
      a: { command: 2, requestId: 'req_000002' },
      b: null,
    })
    expect(missing.removed.first).toEqual([{ id: 13, ...kit }])
    const last = await recorded('l.jsonl', (steps) => steps.splice(3))
    expect(last.request).toMatchObject({ kind: 'missing', a: { request: 'GET /_sandbox/clock' } })
    const other = await recorded('o.jsonl', (steps) =>
      steps.splice(1, 1, ['POST', '/v1/pets', 'psk_pro', { ...kit, name: 'Tom' }]),
    )
    expect(other.request).toMatchObject({
      kind: 'request',
      difference: { where: 'body $.name', was: '"Kit"', is: '"Tom"' },
    })
    expect(other.changed.first).toMatchObject([{ id: 13, name: 'Tom' }])
  })

  it('are compared by namespace: requests of other namespaces between them do not matter', async () => {
    const moved = await recorded('n.jsonl', (steps) => steps.unshift(steps.pop() as Step))
    expect(moved.request).toBeNull()
    const other = await recorded('w.jsonl', (steps) => steps.push(['POST', '/v1/pets', 'psk_pro.w1', kit]))
    expect(other).toMatchObject({
      added: NOTHING,
      alsoDiffer: ['w1'],
      request: { kind: 'inserted', namespace: 'w1' },
    })
    expect((await json('a.jsonl', 'w.jsonl', '--namespace', 'default')).request).toBeNull()
    expect((await json('a.jsonl', 'w.jsonl', '--namespace', 'w1')).added.count).toBe(1)
  })

  it('a recording that ends early is named', async () => {
    const whole = gunzipSync(readFileSync(join(folder, 'same.jsonl.gz'))).toString()
    writeFileSync(join(folder, 'cut.jsonl'), whole.slice(0, whole.indexOf('"end"')))
    const { code, err } = await diff('a.jsonl', 'cut.jsonl')
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('The recording was cut off') })
  })
})
