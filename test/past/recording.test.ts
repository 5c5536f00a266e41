import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openReplay, replay } from '../../src/compose/replay.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import type { FaultInput } from '../../src/contract/generated/control.types.d.ts'
import { recordingWriter } from '../../src/node/files/recording-writer.ts'
import { recordingsOf } from '../../src/past/record.ts'
import { failing } from '../control/client.ts'
import { temporaryFolder } from '../support/folder.ts'
import { randomRequests, type Sent } from './commands.ts'
import { openPlayed, play } from './play.ts'

const NAMESPACES = ['default', 'w1', 'w2', 'w3']

/** Longer than a random request can wait, in milliseconds. */
const LONGEST_WAIT = 6000

const VIEWS = [
  '/export',
  '/keys',
  '/clock',
  '/faults',
  '/report',
  ...['psk_pro', 'psk_free', 'psk_limited', 'psk_banned', 'psk_flaky'].map((key) => `/keys/${key}/limits`),
]

/** The visible state of a namespace at an instant without activity. */
const stateOf = async ({ fetch }: Sandbox, namespace: string) =>
  Promise.all(VIEWS.map(async (path) => (await fetch(`/_sandbox${path}?namespace=${namespace}`)).text()))

const journalOf = async ({ fetch }: Sandbox, namespace: string) =>
  (await (await fetch(`/_sandbox/requests?namespace=${namespace}`)).json()) as object[]

/** Without requests that read or name points of history: a recording does not have the points before its beginning. */
const withoutViews = (requests: readonly Sent[]) =>
  requests.filter(({ path }) => !/\/history\b|[?&]at=|=at:/.test(path))

/** The end of a recording, in milliseconds since the epoch. */
function endOf(text: string): number {
  const [head = '', ...lines] = text.trimEnd().split('\n')
  return Date.parse(JSON.parse(head).startedAt) + JSON.parse(lines.at(-1) ?? '').at
}

const RUNS = process.env.PETSTORE_SOAK ? 300 : 4
/** Two more seeds once had differences: at the end of an answer of Prism, and when the clock of the machine was set back. */
const SEEDS = [...new Set([...Array.from({ length: RUNS }, (_, i) => i + 1), 102, 204])]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

describe.each<[string, SandboxOptions]>([
  ['memory', { latency: '0ms-3ms' }],
  ['a data file', { db: 'db.json' }],
])('a recording that is requested afterwards, in %s', (_, { db, ...options }) => {
  it(
    'replays to the same replies and the same state, even after the journal has removed entries',
    async () => {
      for (const seed of SEEDS) {
        const folder = temporaryFolder()
        const { sandbox, internals } = await openPlayed({
          keepKeys: true,
          ...options,
          ...(db && { db: join(folder, db) }),
        })
        await play(internals, withoutViews(randomRequests(seed, seed % 6 === 0 ? 3000 : 400)), seed)
        for (const namespace of NAMESPACES) {
          const file = join(folder, `${namespace}.jsonl`)
          const text = await sandbox.namespace(namespace).recording()
          writeFileSync(file, text)
          // Real timers wake waiting requests, so that the time may have advanced meanwhile.
          vi.setSystemTime(endOf(text))
          const { result, sandbox: replayed } = await openReplay(file, {}, { listen: false })
          const which = `seed ${seed}, namespace ${namespace}`
          const { difference } = result
          // The refusal of a rewind names the oldest point, which may be before the beginning of the recording.
          if (!difference?.request.includes('/rewind'))
            expect({ which, difference }).toEqual({ which, difference: undefined })
          expect(result.notices).toEqual([])
          // Ends the requests that still wait in both.
          vi.setSystemTime(Date.now() + LONGEST_WAIT)
          expect(await stateOf(replayed, namespace), which).toEqual(await stateOf(sandbox, namespace))
          const [was, is] = [await journalOf(sandbox, namespace), await journalOf(replayed, namespace)]
          expect(is.slice(-100), which).toEqual(was.slice(was.length - is.length).slice(-100))
          await replayed.close()
        }
        await sandbox.close()
      }
    },
    SEEDS.length * 60_000,
  )
})

it('has no data of other namespaces, and no key', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const world = sandbox.namespace('w1')
  const inherited = await sandbox.keys.create({ plan: 'free' })
  const own = await world.keys.create({ plan: 'pro' })
  const get = (key: string) => sandbox.fetch('/v1/pets', { headers: { authorization: `Bearer ${key}` } })
  expect((await get('psk_business')).status).toBe(200)
  expect((await get(`${inherited.key}.w1`)).status).toBe(200)
  expect((await get(own.key)).status).toBe(200)
  await sandbox.keys.revoke(inherited.key)
  expect((await get(`${inherited.key}.w1`)).status).toBe(401)
  const text = await world.recording()
  expect(text).not.toContain('psk_business')
  expect(text).not.toContain(inherited.key)
  expect(text).not.toContain(own.key.replace('.w1', ''))
  const file = join(temporaryFolder(), 'w1.jsonl')
  writeFileSync(file, text)
  await using replayed = await createSandbox({ recording: file, listen: false })
  const requests = await replayed.namespace('w1').requests()
  expect(requests.map(({ status }) => status)).toEqual([200, 200, 401])
})

it('has no documents: reading them does not use a namespace', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const get = (path: string, key: string) =>
    sandbox.fetch(path, { headers: { authorization: `Bearer ${key}` } })
  const documents = ['/openapi.json', '/llms.txt', '/openapi.yaml?namespace=w2']
  for (const key of ['psk_pro', 'psk_pro.w1', 'nope.w1'])
    for (const path of ['/v1/pets', ...documents, '/v1/pets/1']) await get(path, key)
  await get('/openapi.json', 'psk_pro.w3')
  const names = await (await sandbox.fetch('/_sandbox/namespaces')).json()
  expect((names as { name: string }[]).map(({ name }) => name)).toEqual(['default', 'w1'])
  expect((await get('/openapi.json', 'psk_pro')).headers.has('x-request-id')).toBe(false)
  for (const [namespace, count] of [
    ['default', 2],
    ['w1', 4],
  ] as const) {
    const file = join(temporaryFolder(), 'recording.jsonl')
    writeFileSync(file, await sandbox.namespace(namespace).recording())
    const { difference, commands } = await replay(file)
    expect({ difference, commands }).toEqual({ difference: undefined, commands: count })
  }
})

it('has a clock change by another namespace while a request was waiting', async () => {
  const { sandbox, internals } = await openPlayed({})
  const world = sandbox.namespace('w1')
  await world.faults.add({ match: { operationId: 'listPets' }, effect: { latency: '1s' } })
  const start = Date.now()
  const get = (milliseconds: number, path: string, key: string) => {
    vi.setSystemTime(start + milliseconds)
    return sandbox.fetch(path, { headers: { authorization: `Bearer ${key}` } })
  }
  const late = get(0, '/v1/pets', 'psk_pro.w1')
  await get(990, '/v1/pets', 'psk_pro')
  await get(-30_000, '/v1/pets', 'psk_pro')
  await get(-29_980, '/v1/pets/1', 'psk_pro.w1')
  await internals.timeline.advance(start)
  await late
  const file = join(temporaryFolder(), 'w1.jsonl')
  writeFileSync(file, await world.recording())
  const { result, sandbox: replayed } = await openReplay(file, {}, { listen: false })
  expect(result).toMatchObject({ compared: 3, notices: [] })
  const journal = await journalOf(replayed, 'w1')
  expect(journal).toMatchObject([{ path: '/v1/pets' }, { path: '/v1/pets/1' }])
  expect(journal).toEqual(await journalOf(sandbox, 'w1'))
  await replayed.close()
  await sandbox.close()
})

it('has the instant to which the clock was set back, shortly before its last request', async () => {
  const { sandbox } = await openPlayed({})
  const world = sandbox.namespace('w1')
  const start = Date.now()
  const get = (milliseconds: number, key: string) => {
    vi.setSystemTime(start + milliseconds)
    return sandbox.fetch('/v1/pets', { headers: { authorization: `Bearer ${key}` } })
  }
  await get(0, 'psk_pro.w1')
  await get(990, 'psk_pro')
  vi.setSystemTime(start - 1)
  const { now } = await world.clock.advance('1h')
  expect(now).toBe('2026-11-21T12:59:59.999Z')
  await get(0, 'psk_pro.w1')
  const text = await world.recording()
  expect(text).toContain(now)
  const file = join(temporaryFolder(), 'w1.jsonl')
  writeFileSync(file, text)
  expect(await replay(file)).toEqual({ commands: 3, compared: 3, notices: [] })
  await sandbox.close()
})

it('has a clock change that a rewind was the first to see, before that rewind', async () => {
  const { sandbox, internals } = await openPlayed({})
  const start = Date.now()
  const late = sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_slow' } })
  await internals.timeline.advance(start + 2000)
  expect((await late).status).toBe(200)
  vi.setSystemTime(start)
  await sandbox.rewind('req_000001')
  const file = join(temporaryFolder(), 'recording.jsonl')
  writeFileSync(file, await sandbox.recording())
  expect(await replay(file)).toEqual({ commands: 2, compared: 2, notices: [] })
  await sandbox.close()
})

it('replaces keys in its initial pets and snapshots', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const { key } = await sandbox.keys.create({ plan: 'pro' })
  await sandbox.seed({ pets: [{ name: key, categoryId: 1 }] })
  await sandbox.snapshots.save('a')
  await sandbox.fetch('/_sandbox/requests', { method: 'DELETE' })
  await sandbox.fetch('/v1/pets', { headers: { authorization: `Bearer ${key}` } })
  await sandbox.snapshots.restore('a')
  await sandbox.fetch('/v1/pets', { headers: { authorization: `Bearer ${key}` } })
  const file = join(temporaryFolder(), 'recording.jsonl')
  writeFileSync(file, await sandbox.recording())
  expect(readFileSync(file, 'utf8')).not.toContain(key)
  expect(await replay(file)).toMatchObject({ compared: 3, notices: [] })
  expect((await replay(file)).difference).toBeUndefined()
})

it('may begin with the lowest id, and with no id left', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const file = join(temporaryFolder(), 'recording.jsonl')
  for (const id of ['0', '9223372036854775807']) {
    const body = `{"pets":[{"id":${id},"name":"Kit","categoryId":1}]}`
    const headers = { 'content-type': 'application/json' }
    await sandbox.fetch('/_sandbox/seed', { method: 'POST', headers, body })
    await sandbox.fetch('/_sandbox/requests', { method: 'DELETE' })
    await sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
    writeFileSync(file, await sandbox.recording())
    const { compared, difference } = await replay(file)
    expect({ id, compared, difference }).toEqual({ id, compared: 1, difference: undefined })
  }
})

it('has the call that drops its namespace, and none that drops another one', async () => {
  await using sandbox = await createSandbox({ listen: false })
  for (const name of ['default', 'w1']) {
    await sandbox.fetch('/v1/pets', { headers: { authorization: `Bearer psk_pro.${name}` } })
    await sandbox.fetch(`/_sandbox/namespaces/${name}`, { method: 'DELETE' })
  }
  expect(await sandbox.recording()).toContain('/_sandbox/namespaces/default')
  expect(await sandbox.recording()).not.toContain('/_sandbox/namespaces/w1')
})

it('has the requests that a rewind undid', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const send = (method: string, path: string) =>
    sandbox.fetch(`/v1${path}`, {
      method,
      headers: { authorization: 'Bearer psk_pro', 'content-type': 'application/json' },
      ...(method === 'POST' && { body: '{"name":"Kit","categoryId":1}' }),
    })
  await send('GET', '/pets')
  await send('POST', '/pets')
  await send('POST', '/pets')
  await sandbox.rewind('req_000002')
  await send('POST', '/pets')
  await send('GET', '/pets/13')
  const file = join(temporaryFolder(), 'recording.jsonl')
  writeFileSync(file, await sandbox.recording())
  const { difference, compared } = await replay(file)
  expect({ difference, compared }).toEqual({ difference: undefined, compared: 6 })
})

it('has the requests of an earlier rewind if a later one goes back further', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const create = () =>
    sandbox.fetch('/v1/pets', {
      method: 'POST',
      headers: { authorization: 'Bearer psk_pro', 'content-type': 'application/json' },
      body: '{"name":"Kit","categoryId":1}',
    })
  for (let i = 0; i < 3; i++) await create()
  await sandbox.reset('limits')
  for (const id of ['req_000003', 'req_000002', 'req_000001']) await sandbox.rewind(id)
  const file = join(temporaryFolder(), 'recording.jsonl')
  writeFileSync(file, await sandbox.recording())
  const { difference, compared } = await replay(file)
  expect({ difference, compared }).toEqual({ difference: undefined, compared: 7 })
})

it('has the same numbers of calls if one ended while the first request was waiting', async () => {
  const { sandbox, internals } = await openPlayed({})
  const late = sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_slow' } })
  await sandbox.reset('limits')
  await internals.timeline.advance(Date.now() + LONGEST_WAIT)
  await late
  await sandbox.seed({ count: 3 })
  const history = await sandbox.history()
  expect(history.map(({ id }) => id)).toEqual(['ctl_000001', 'req_000001', 'ctl_000002'])
  const file = join(temporaryFolder(), 'recording.jsonl')
  writeFileSync(file, await sandbox.recording())
  const { sandbox: replayed } = await openReplay(file, {}, { listen: false })
  expect(await replayed.history()).toEqual(history)
  await replayed.close()
  await sandbox.close()
})

it('begins after its namespace became a copy, like its history', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const copy = sandbox.namespace('copy')
  await sandbox.seed({ count: 3 })
  await copy.reset('limits')
  expect(await copy.history()).toHaveLength(1)
  await sandbox.fork('copy')
  expect(await copy.history()).toEqual([])
  await expect(copy.rewind('ctl_000001')).rejects.toThrow('The history has no point ctl_000001: it is empty.')
  await sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro.copy' } })
  const file = join(temporaryFolder(), 'copy.jsonl')
  writeFileSync(file, await copy.recording())
  const { difference, compared } = await replay(file)
  expect({ difference, compared }).toEqual({ difference: undefined, compared: 1 })
})

it('refuses options that the recording already has', async () => {
  await expect(createSandbox({ recording: 'bug.jsonl', fixture: 'busy', now: '2026-01-01' })).rejects.toThrow(
    'A recording begins with its own state and options; leave out now; fixture',
  )
})

it('writes a repeated body once, and compares it each time', async () => {
  const file = join(temporaryFolder(), 'lists.jsonl')
  const sandbox = await createSandbox({ listen: false, record: file })
  const list = () => sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
  for (let n = 0; n < 3; n++) await (await list()).text()
  await sandbox.close()
  const text = readFileSync(file, 'utf8')
  expect(text.match(/"bodyOf":1\b/g)).toHaveLength(2)
  expect(await replay(file)).toMatchObject({ compared: 3, notices: [] })
  expect((await replay(file)).difference).toBeUndefined()
  const lines = text.split('\n')
  const reply = lines.findIndex((line) => line.startsWith('{"n":1,"reply"'))
  writeFileSync(file, lines.with(reply, lines[reply]?.replace('Rex', 'Max') ?? '').join('\n'))
  expect((await replay(file)).difference).toMatchObject({
    command: 1,
    where: 'body $[0].name',
    was: '"Max"',
    is: '"Rex"',
  })
})

it('ends with a notice if no checkpoint can be written, and the sandbox continues', async () => {
  const file = join(temporaryFolder(), 'long.jsonl')
  mkdirSync(file.replace('.jsonl', '.next.jsonl'))
  const warnings: string[] = []
  const { sandbox, internals } = await openPlayed({})
  const end = await recordingsOf(internals).record((fail) =>
    recordingWriter(file, fail, (text) => warnings.push(text), 2000),
  )
  const list = () => sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
  for (let n = 0; n < 5; n++) expect((await list()).status).toBe(200)
  await end()
  await sandbox.close()
  expect(warnings).toEqual([expect.stringContaining('ends here')])
  expect((await replay(file)).difference).toBeUndefined()
})

it('continues from a checkpoint if it becomes too long, and keeps at least the last half', async () => {
  const longest = 60_000
  for (const name of ['long.jsonl', 'long.jsonl.gz']) {
    const folder = temporaryFolder()
    const file = join(folder, name)
    const warnings: string[] = []
    const options: SandboxOptions = { keys: [{ key: 'a-key-of-the-options', plan: 'pro' }] }
    const { sandbox, internals } = await openPlayed(options)
    const recordings = recordingsOf(internals)
    const end = await recordings.record((fail) =>
      recordingWriter(file, fail, (text) => warnings.push(text), longest),
    )
    // Without waits, a checkpoint is always possible; it has no earlier points to rewind to or to fork.
    const sent = withoutViews(randomRequests(5, 1000)).filter(
      ({ path, init: { headers, body } }) =>
        !/\/(faults|rewind)\b/.test(path) &&
        !(/\/fork\b/.test(path) && body?.includes('"at"')) &&
        !headers.authorization?.includes('psk_slow'),
    )
    // The file is written at the same time.
    for (let from = 0; from < sent.length; from += 25) {
      await play(internals, sent.slice(from, from + 25), from)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const was = await Promise.all(NAMESPACES.map((each) => sandbox.namespace(each).export()))
    await end()
    await sandbox.close()
    expect(warnings).toEqual([])
    expect(existsSync(file.replace('.jsonl', '.next.jsonl'))).toBe(false)
    const { result, sandbox: replayed } = await openReplay(file, {}, { listen: false })
    expect(result.difference).toBeUndefined()
    expect(result.compared).toBeGreaterThan(20)
    expect(result.commands).toBeLessThan(sent.length)
    const is = await Promise.all(NAMESPACES.map((each) => replayed.namespace(each).export()))
    expect(is.map(({ pets, nextId }) => ({ pets, nextId }))).toEqual(
      was.map(({ pets, nextId }) => ({ pets, nextId })),
    )
    await replayed.close()
    if (name.endsWith('.gz')) continue
    const [, ...lines] = readFileSync(file, 'utf8').split('\n')
    expect(lines.join('\n').length).toBeGreaterThan(longest / 2)
    expect(lines.join('\n').length).toBeLessThan(4 * longest)
    expect(statSync(file).size).toBeGreaterThan(longest / 2)
    expect(readFileSync(file, 'utf8')).not.toContain('a-key-of-the-options')
  }
})

describe('a rewind', () => {
  const openWorld = async (options: SandboxOptions = {}) => {
    const sandbox = await createSandbox({ listen: false, ...options })
    const file = join(temporaryFolder(), 'recording.jsonl')
    const send = (method = 'GET', path = '/pets') =>
      sandbox.fetch(`/v1${path}`, {
        method,
        headers: { authorization: 'Bearer psk_pro', 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{"name":"Kit","categoryId":1}' }),
      })
    const replayed = async () => {
      writeFileSync(file, await sandbox.recording())
      return replay(file)
    }
    return { sandbox, send, file, replayed, [Symbol.asyncDispose]: () => sandbox.close() }
  }

  it('keeps the reply of a request that was in progress at its point', async () => {
    vi.useRealTimers()
    await using world = await openWorld()
    const { sandbox, send, replayed } = world
    // Long, so that the others are answered before it on a busy machine too.
    await sandbox.faults.add({ match: { operationId: 'listPets' }, effect: { latency: '1s' }, times: 1 })
    const late = send()
    await send('GET', '/pets/1')
    await send('POST')
    expect(await (await late).json()).toHaveLength(13)
    await sandbox.rewind('req_000002')
    expect(await replayed()).toEqual({ commands: 5, compared: 5, notices: [] })
  })

  it('has the same branch in a recording that begins after older branches were dropped', async () => {
    await using world = await openWorld()
    await world.send()
    await world.send()
    for (let times = 0; times < 7; times++) {
      await world.sandbox.rewind('req_000002')
      await world.send('POST')
    }
    expect(await world.replayed()).toEqual({ commands: 11, compared: 11, notices: [] })
  })

  it('is not in the recording if it changed nothing, which may begin after its point', async () => {
    await using world = await openWorld()
    await world.send()
    for (let times = 0; times < 7; times++) {
      await world.send('POST')
      await world.sandbox.rewind('req_000001', 'after')
    }
    const again = await world.sandbox.rewind('req_000001', 'after')
    expect(again).not.toHaveProperty('branch')
    await world.send('POST')
    expect(await world.replayed()).toEqual({ commands: 1, compared: 1, notices: [] })
    expect((await world.sandbox.history()).map(({ id }) => id)).toEqual(['req_000001', 'req_000002'])
    const [branch] = (await world.sandbox.history('*')).flatMap(({ branch }) => branch ?? [])
    await world.sandbox.rewind({ undo: true, branch: branch as string })
  })

  it.each([
    ['before', 0],
    ['after', 30],
  ])(
    'whose undo could not be stored is not in the recording, nor is a request just %s that',
    async (_, steps) => {
      await using world = await openWorld({ db: join(temporaryFolder(), 'db.json') })
      const { sandbox, send, replayed } = world
      await send('POST')
      await sandbox.rewind('req_000001')
      const write = failing('writeSync')
      const rewound = sandbox.rewind({ undo: true }).catch((error) => error.message)
      // The microtasks after which the undo is applied, and not written yet.
      for (let step = 0; step < steps; step++) await Promise.resolve()
      expect((await send('POST')).status).toBe(503)
      expect(await rewound).toMatch('not stored')
      write.mockRestore()
      const created = (await sandbox.history('*')).filter(({ what }) => what.startsWith('POST'))
      expect(created.map(({ what }) => what).toSorted()).toEqual(['POST /v1/pets 201', 'POST /v1/pets 503'])
      await send()
      expect(await replayed()).toEqual({ commands: 1, compared: 1, notices: [] })
    },
  )

  it('has a change that could not be stored, also while it is made', async () => {
    const folder = temporaryFolder()
    const [db, record] = [join(folder, 'db.json'), join(folder, 'all.jsonl')]
    await using world = await openWorld({ db, record })
    const { sandbox, send } = world
    await send('POST')
    const write = failing('writeSync')
    expect((await send('POST')).status).toBe(503)
    await expect(sandbox.keys.create({ plan: 'pro', key: 'psk_mine' })).rejects.toThrow('not stored')
    await expect(sandbox.rewind('req_000001', 'before')).rejects.toThrow('not stored')
    write.mockRestore()
    await send()
    const headers = { authorization: 'Bearer psk_mine' }
    expect((await sandbox.fetch('/v1/pets', { headers })).status).toBe(401)
    await sandbox.close()
    expect(await replay(record)).toEqual({ commands: 6, compared: 6, notices: [] })
  })

  it.each<[string, 'before' | 'after', FaultInput['effect']]>([
    ['replaces', 'before', { status: 500 }],
    ['replaces', 'after', { status: 500 }],
    ['loses', 'after', { wire: 'reset' }],
    ['delays', 'before', { latency: '20ms' }],
    ['delays', 'after', { latency: '20ms' }],
  ])(
    'has the 503 of a request whose answer a rule %s (%s), if a key of default on which it depends could not be stored',
    async (_, when, effect) => {
      vi.useRealTimers()
      const folder = temporaryFolder()
      const record = join(folder, 'all.jsonl')
      await using world = await openWorld({ db: join(folder, 'db.json'), record })
      const { sandbox, file } = world
      const own = sandbox.namespace('w2')
      const rule = await own.faults.add({ when, effect })
      const write = failing('writeSync')
      const created = sandbox.keys.create({ plan: 'pro' }).catch((error) => error.message)
      for (let step = 0; step < 30; step++) await Promise.resolve()
      const headers = { authorization: 'Bearer psk_pro.w2', 'content-type': 'application/json' }
      const body = '{"name":"Kit","categoryId":1}'
      expect((await sandbox.fetch('/v1/pets', { method: 'POST', headers, body })).status).toBe(503)
      expect(await created).toMatch('not stored')
      write.mockRestore()
      const [entry] = await own.requests()
      const isDelayed = 'latency' in effect
      const decision = isDelayed ? `fault:${rule.id}` : 'refused:request'
      expect(entry).toMatchObject({ status: 503, decision, findings: [{ kind: 'server-error' }] })
      expect(entry?.effect?.carriedOut).toBe(isDelayed ? false : undefined)
      writeFileSync(file, await own.recording())
      expect((await replay(file)).difference).toBeUndefined()
      await sandbox.close()
      expect((await replay(record)).difference).toBeUndefined()
    },
  )

  it.each(['GET', 'POST'])(
    'refuses again a %s request that waited for a key of default which could not be stored',
    async (method) => {
      const folder = temporaryFolder()
      await using world = await openWorld({ db: join(folder, 'db.json'), limits: { free: '1/100' } })
      const { sandbox } = world
      const send = (key = 'psk_free.w2') =>
        sandbox.fetch('/v1/pets', {
          method,
          headers: { authorization: `Bearer ${key}` },
          ...(method === 'POST' && { body: '{' }),
        })
      await send()
      await sandbox.keys.list()
      const write = failing('writeSync')
      const created = sandbox.keys.create({ plan: 'pro' }).catch((error) => error.message)
      for (let step = 0; step < 30; step++) await Promise.resolve()
      expect((await send()).status).toBe(503)
      expect(await created).toMatch('not stored')
      write.mockRestore()
      const file = join(folder, 'w2.jsonl')
      writeFileSync(file, await sandbox.namespace('w2').recording())
      expect(await replay(file)).toEqual({ commands: 2, compared: 2, notices: [] })
    },
  )

  it.each(['save', 'delete'] as const)(
    'is in the recording, as all other calls, if a snapshot of the same history was replaced: %s',
    async (call) => {
      await using world = await openWorld()
      const { sandbox, send, file, replayed } = world
      await send()
      await sandbox.snapshots.save('a')
      await send('POST')
      await sandbox.snapshots[call]('a')
      await send('POST')
      await sandbox.rewind('req_000003')
      await send()
      expect(await replayed()).toEqual({ commands: 7, compared: 7, notices: [] })
      await using again = await createSandbox({ recording: file, listen: false })
      expect(await again.requests()).toHaveLength(3)
    },
  )
})

it('begins after a call that replaced a snapshot from before the history', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const send = () => sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
  await sandbox.snapshots.save('a')
  await sandbox.fetch('/_sandbox/requests', { method: 'DELETE' })
  await send()
  await sandbox.snapshots.restore('a')
  await sandbox.snapshots.save('a')
  await send()
  const file = join(temporaryFolder(), 'recording.jsonl')
  writeFileSync(file, await sandbox.recording())
  expect(await replay(file)).toEqual({ commands: 1, compared: 1, notices: [] })
})
