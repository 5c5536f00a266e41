import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openCore } from '../../src/compose/core.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import { chance } from '../../src/time/chance.ts'
import { KEPT_BYTES } from '../../src/world/budget.ts'
import { Pets } from '../../src/world/pets/collection.ts'
import { asAfterCrash } from '../node/store/folder.ts'
import { temporaryFolder } from '../support/folder.ts'
import { controlOf, failing } from './client.ts'

const START = Date.UTC(2026, 10, 21, 12)

/** A request of one of the two APIs. */
interface Command {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface Executed extends Command {
  /** Milliseconds after the start. */
  readonly at: number
  readonly reply: string
  readonly before: State
  readonly after: State
  /** Its point of history; undefined if it changed nothing. */
  readonly point: string | undefined
}

type State = Readonly<Record<string, string>>

const KEYS = ['psk_pro', 'psk_free', 'psk_flaky', 'psk_banned', 'psk_limited', 'psk_mine']

/** The calls that read the state at a point. */
const VIEWS = [
  '/export',
  '/pets',
  '/keys',
  '/clock',
  '/faults',
  '/report',
  ...KEYS.map((key) => `/keys/${key}/limits`),
]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

async function begin(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({ listen: false, now: '2026-11-21T12:00:00Z', ...options })
  await controlOf(sandbox.fetch)('PUT', '/snapshots/start')
  return sandbox
}

async function send({ fetch }: Sandbox, { method, path, headers = {}, body }: Command): Promise<string> {
  try {
    const response = await fetch(path, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return `${response.status}\n${JSON.stringify([...response.headers])}\n${await response.text()}`
  } catch (error) {
    return `lost: ${(error as Error).name}`
  }
}

/** The current state, or that at a point. */
async function stateOf(sandbox: Sandbox, at?: string, side = 'after'): Promise<State> {
  const state: Record<string, string> = {}
  const query = at === undefined ? '' : `?at=${at}&side=${side}`
  for (const path of VIEWS)
    state[path] = await send(sandbox, { method: 'GET', path: `/_sandbox${path}${query}` })
  return state
}

/** The journal without real times, which a rewind does not change. */
const journalOf = async (sandbox: Sandbox) =>
  (await send(sandbox, { method: 'GET', path: '/_sandbox/requests' })).replaceAll(
    /"receivedAt":"[^"]*",/g,
    '',
  )

const historyOf = async ({ fetch }: Sandbox) =>
  (await controlOf(fetch)('GET', '/history')).body as {
    id: string
    at: string
    what: string
    line?: string[]
  }[]

async function run(sandbox: Sandbox, command: Command, at: number, base = START): Promise<Executed> {
  vi.setSystemTime(base + at)
  const before = await stateOf(sandbox)
  const known = await historyOf(sandbox)
  const reply = await send(sandbox, command)
  const points = await historyOf(sandbox)
  const point = points.length > known.length ? points.at(-1)?.id : undefined
  return { ...command, at, reply, before, after: await stateOf(sandbox), point }
}

const pick = <T>(items: readonly T[], draw: () => number): T => items[Math.floor(draw() * items.length)] as T

/** `showsReal`: whether commands may also let the clock show real time, which a rewind does not change. */
function commandOf(draw: () => number, n: number, showsReal: boolean): Command {
  const key = () => ({ authorization: `Bearer ${pick([...KEYS, 'psk_empty', 'psk_nobody'], draw)}` })
  const control = (method: string, path: string, body?: unknown): Command => ({
    method,
    path: `/_sandbox${path}`,
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  })
  const api = (method: string, path: string, body?: unknown): Command => ({
    method,
    path: `/v1${path}`,
    headers: key(),
    ...(body !== undefined && { body }),
  })
  const some = pick(
    [
      () => api('GET', `/pets?limit=${1 + Math.floor(draw() * 20)}`),
      () => api('GET', '/pets?status=sold&colour=red'),
      () => api('GET', `/pets/${Math.floor(draw() * 20)}`),
      () => api('POST', '/pets', { name: pick(['Kit', 'Rex'], draw), categoryId: 1, status: 'sold', age: 3 }),
      () => api('POST', '/pets', { name: `Pet ${n}`, categoryId: 2, status: 'available' }),
      () => api('POST', '/pets', { name: 7 }),
      () => api('GET', '/nowhere'),
      () => control('POST', '/seed', { pets: [{ name: `Seeded ${n}`, categoryId: 1, status: 'sold' }] }),
      () =>
        control('POST', '/seed', {
          pets: [
            { name: 'One more', categoryId: 1 },
            { name: 'Another', categoryId: 1 },
          ],
          mode: 'append',
        }),
      () => control('POST', '/reset', {}),
      () =>
        control('POST', '/reset', {
          only: [pick(['pets', 'keys', 'requests', 'faults', 'clock', 'bans'], draw)],
        }),
      () => control('POST', '/clock', { advance: pick(['1s', '61s', '1d'], draw) }),
      () => control('POST', '/clock', { set: '2026-11-21T11:00:00Z' }),
      () => control('POST', '/clock', { frozen: draw() < 0.5 }),
      () => (showsReal ? control('DELETE', '/clock') : api('GET', '/pets')),
      () => control('POST', '/faults', { effect: { status: 503 }, probability: 0.5, times: 3 }),
      () =>
        control('POST', '/faults', { effect: { latency: '1ms-2ms' }, match: { method: 'GET' }, for: '5m' }),
      () => control('POST', '/faults', { effect: { wire: 'reset' }, when: 'after', times: 1 }),
      () => control('DELETE', '/faults'),
      () => control('PUT', '/label', { label: `test ${n}` }),
      () => control('PUT', '/keys/psk_pro/limits', { remaining: Math.floor(draw() * 3) }),
      () => control('PUT', '/keys/psk_free/ban', { seconds: 5 }),
      () => control('DELETE', '/keys/psk_free/ban'),
      () => control('POST', '/keys', { plan: 'free', key: 'psk_mine' }),
      () => control('DELETE', '/keys/psk_mine'),
      () => control('POST', '/snapshots/start/restore'),
    ],
    draw,
  )
  return (
    draw() < 0.5
      ? pick([() => api('GET', '/pets'), () => api('POST', '/pets', { name: 'Kit', categoryId: 1 })], draw)
      : some
  )()
}

async function runRandom(sandbox: Sandbox, seed: number, length: number): Promise<Executed[]> {
  const draw = chance(seed, 'history')
  const commands: Executed[] = []
  for (let n = 0, at = 0; n < length; n++) {
    at += Math.floor(draw() * 20_000)
    commands.push(await run(sandbox, commandOf(draw, n, seed % 2 === 0), at))
  }
  return commands
}

async function checkViews(sandbox: Sandbox, commands: readonly Executed[]): Promise<number> {
  const now = await stateOf(sandbox)
  let checked = 0
  for (const [n, { point, before, after, method, path }] of commands.entries()) {
    // After a reset two requests may have one id, which then means the later one.
    if (point === undefined || commands.findLastIndex((executed) => executed.point === point) !== n) continue
    const label = `${n} ${method} ${path} ${point}`
    expect(await stateOf(sandbox, point, 'before'), `before ${label}`).toEqual(before)
    expect(await stateOf(sandbox, point, 'after'), `after ${label}`).toEqual(after)
    checked++
  }
  expect(await stateOf(sandbox), 'a view changes nothing').toEqual(now)
  return checked
}

async function checkRewind(
  sandbox: Sandbox,
  commands: readonly Executed[],
  from: number,
  later: number,
): Promise<void> {
  const { point = '', at } = commands[from] as Executed
  const base = START + later
  vi.setSystemTime(base + at)
  const reply = await controlOf(sandbox.fetch)('POST', '/rewind', { to: point })
  expect(reply.status).toBe(200)
  for (const executed of commands.slice(from)) {
    const { method, path, headers, body } = executed
    const again = await run(
      sandbox,
      { method, path, ...(headers && { headers }), ...(body !== undefined && { body }) },
      executed.at,
      base,
    )
    const label = `${commands.indexOf(executed)} ${method} ${path} after going back to ${point}`
    expect(again.before, label).toEqual(executed.before)
    expect(again.reply, label).toBe(executed.reply)
    expect(again.after, label).toEqual(executed.after)
    expect(again.point, label).toBe(executed.point)
  }
}

const lastOfItsId = (commands: readonly Executed[], n: number) =>
  commands[n]?.point !== undefined &&
  commands.findLastIndex((executed) => executed.point === commands[n]?.point) === n

describe('time travel', () => {
  for (const where of ['memory', 'a data file']) {
    it(`shows the original state at every point of random histories, before and after, in ${where}`, async () => {
      for (const seed of where === 'memory' ? [1, 2] : [3]) {
        await using sandbox = await begin(where === 'memory' ? {} : { db: `${temporaryFolder()}/db.json` })
        const executed = await runRandom(sandbox, seed, 40)
        expect(await checkViews(sandbox, executed)).toBeGreaterThan(15)
      }
    })

    it(`rewinds to any point, after which the same commands have the same replies, in ${where}`, async () => {
      for (const seed of where === 'memory' ? [11, 12] : [13]) {
        await using sandbox = await begin(where === 'memory' ? {} : { db: `${temporaryFolder()}/db.json` })
        const executed = await runRandom(sandbox, seed, 40)
        const journal = await journalOf(sandbox)
        const draw = chance(seed, 'points')
        for (let times = 0; times < 4; times++) {
          const from = Math.floor(draw() * executed.length)
          if (!lastOfItsId(executed, from)) continue
          await checkRewind(sandbox, executed, from, seed % 2 === 0 ? 0 : (times + 1) * 86_400_000)
          expect(await journalOf(sandbox)).toBe(journal)
        }
      }
    })
  }

  it('names the oldest point if one is unknown, and ends with the journal', async () => {
    await using sandbox = await begin()
    const call = controlOf(sandbox.fetch)
    expect((await call('GET', '/export?at=req_000001')).body).toMatchObject({ code: 'history_gone' })
    await api(sandbox)
    await sandbox.fetch(`/v1/pets?limit=1&key=psk_${'secret'.repeat(4)}`, {
      headers: { authorization: 'Bearer psk_pro' },
    })
    const gone = await call('POST', '/rewind', { to: 'req_000009' })
    expect(gone.status).toBe(404)
    expect(gone.body.message).toContain('The oldest point is req_000001')
    expect(gone.body.message).toMatch(/; a request is listed once it is answered\.$/)
    const noCall = await call('POST', '/rewind', { to: 'ctl_000009' })
    expect(noCall.body.message).toMatch(/ or GET \/_sandbox\/history\.$/)
    expect(await historyOf(sandbox)).toMatchObject([
      { id: 'req_000001', at: '2026-11-21T12:00:00.000Z', what: 'GET /v1/pets 200' },
      { id: 'req_000002', at: '2026-11-21T12:00:00.000Z', what: 'GET /v1/pets?limit=1&key=psk_… 200' },
    ])
    await call('DELETE', '/requests')
    expect((await call('GET', '/history')).headers.get('x-sandbox-history')).toBe('the requests were cleared')
    expect(await historyOf(sandbox)).toEqual([])
    expect((await call('GET', '/clock?at=req_000001')).status).toBe(404)
    await api(sandbox)
    const told = async (id: string) => (await call('GET', `/clock?at=${id}`)).body.message
    expect(await told('req_000001')).toContain('because the requests were cleared')
    expect(await told('req_000009')).not.toContain('because')
  })

  it('keeps the last 1,000 requests reachable, and returns the reason for the limit', async () => {
    await using sandbox = await begin()
    const call = controlOf(sandbox.fetch)
    await call('POST', '/reset', {})
    for (let n = 0; n < 700; n++) await api(sandbox, 'psk_enterprise')
    await call('POST', '/reset', {})
    for (let n = 0; n < 700; n++) await api(sandbox, 'psk_enterprise')
    const points = await historyOf(sandbox)
    expect(points.filter(({ id }) => id.startsWith('req_'))).toHaveLength(1000)
    expect(points[0]?.id).toBe('req_000401')
    const { headers } = await call('GET', '/history')
    expect(headers.get('x-sandbox-history')).toBe('it reaches back 1,000 requests')
    expect((await call('GET', '/report?at=ctl_000002&side=before')).body.requests).toBe(700)
  })

  it.each(['memory', 'a data file'])(
    'forks a namespace, now or at an earlier point, in %s',
    async (where) => {
      const options = where === 'memory' ? {} : { db: `${temporaryFolder()}/db.json` }
      const sandbox = await begin(options)
      const call = controlOf(sandbox.fetch)
      await post(sandbox, 'Kit')
      await post(sandbox, 'Rex')
      expect((await call('POST', '/fork', { into: 'w2', at: 'req_000001' })).body).toEqual({
        namespace: 'w2',
        key: 'psk_pro.w2',
      })
      expect((await call('POST', '/fork', { into: 'w3' })).status).toBe(201)
      const before = await send(sandbox, { method: 'GET', path: '/_sandbox/export?at=req_000001' })
      const now = await send(sandbox, { method: 'GET', path: '/_sandbox/export' })
      const forked = (name: string) =>
        send(sandbox, { method: 'GET', path: `/_sandbox/export?namespace=${name}` })
      expect([await forked('w2'), await forked('w3')]).toEqual([before, now])
      const again = await post(sandbox, 'Rex', 'psk_pro.w2')
      expect(again.headers.get('x-request-id')).toBe('req_000002')
      const taken = await call('POST', '/fork', { into: 'w2' })
      expect([taken.status, taken.body.message]).toEqual([409, expect.stringContaining('namespaces drop w2')])
      // A drop would only reset `default`.
      expect((await call('POST', '/fork?namespace=w2', { into: 'default' })).body).toEqual({
        code: 'conflict',
        message: 'The namespace default has changed already. Fork into another one.',
        status: 409,
      })
      expect((await call('POST', '/fork', { into: 'w2', at: 'req_000099' })).status).toBe(404)
      expect((await call('POST', '/fork', { into: 'default' })).status).toBe(409)
      expect(await forked('w2')).toBe(now)
      await sandbox.close()
      if (where === 'memory') return
      await using reopened = await createSandbox({ listen: false, ...options })
      expect(await send(reopened, { method: 'GET', path: '/_sandbox/export?namespace=w3' })).toBe(now)
    },
  )

  it('restores keys in a copy of default that were revoked after that point', async () => {
    await using sandbox = await begin()
    const call = controlOf(sandbox.fetch)
    await call('POST', '/keys', { plan: 'pro', key: 'psk_mine' })
    await api(sandbox)
    for (const key of ['psk_pro', 'psk_mine', 'psk_expired']) await call('DELETE', `/keys/${key}`)
    await call('POST', '/fork', { into: 'w2', at: 'req_000001' })
    await call('POST', '/fork', { into: 'w3' })
    const statuses = (name: string) =>
      Promise.all(
        ['psk_pro', 'psk_mine', 'psk_expired'].map(
          async (key) => (await api(sandbox, `${key}.${name}`)).status,
        ),
      )
    expect(await statuses('w2')).toEqual([200, 200, 401])
    expect(await statuses('w3')).toEqual([401, 401, 401])
  })

  it('shows the keys of default that a namespace inherited then, and its own key of the same name', async () => {
    await using sandbox = await createSandbox({ listen: false, log: 'silent' })
    const world = sandbox.namespace('w1')
    await world.keys.create({ plan: 'pro', key: 'twice_0001' })
    const headers = { authorization: `Bearer ${world.key('business')}` }
    await sandbox.fetch('/v1/pets', { headers })
    await sandbox.keys.create({ plan: 'free', key: 'twice_0001' })
    await sandbox.keys.create({ plan: 'free', key: 'later_0001' })
    await sandbox.keys.revoke('psk_business')
    const [{ id } = { id: '' }] = await world.requests()
    const then = await world.at(id).keys.list()
    expect(then.find(({ key }) => key === 'psk_business')).toMatchObject({ revoked: false })
    expect(then.some(({ key }) => key.startsWith('later'))).toBe(false)
    expect(await world.at(id).limits('psk_business')).toMatchObject({ minute: { remaining: 999 } })
    const now = await world.keys.list()
    expect(now.find(({ key }) => key === 'psk_business')).toMatchObject({ revoked: true })
    expect(now.filter(({ key }) => key.startsWith('twice')).map(({ key, plan }) => [key, plan])).toEqual([
      ['twice_0001.w1', 'pro'],
    ])
  })

  it('the module reads, rewinds and forks', async () => {
    await using sandbox = await begin()
    await post(sandbox, 'Kit')
    await post(sandbox, 'Rex')
    expect((await sandbox.history()).map(({ id }) => id)).toEqual(['req_000001', 'req_000002'])
    expect((await sandbox.at('req_000001').report()).requests).toBe(1)
    expect((await sandbox.at('req_000001', 'before').limits()).minute.remaining).toBe(300)
    const fork = await sandbox.fork('w2', 'req_000001')
    expect((await fork.export()).pets.at(-1)).toMatchObject({ name: 'Kit' })
    expect(await sandbox.rewind('req_000002')).toMatchObject({ pets: 13 })
    const past = sandbox.at('req_000001')
    expect(await past.export()).toEqual(await sandbox.export())
    // In JavaScript, a call that acts would act on the present.
    expect(Object.keys(past).toSorted()).toEqual(['clock', 'export', 'faults', 'keys', 'limits', 'report'])
    expect(Object.keys(past.clock)).toEqual(['now'])
  })

  it.each(['memory', 'a data file'])('undoes a rewind, and the undo, in %s', async (where) => {
    const options = where === 'memory' ? {} : { db: `${temporaryFolder()}/db.json` }
    const sandbox = await begin(options)
    const call = controlOf(sandbox.fetch)
    for (const name of ['Kit', 'Rex', 'Max']) await post(sandbox, name)
    await sandbox.clock.advance('1h')
    const seen = async () => [await stateOf(sandbox), await journalOf(sandbox), await historyOf(sandbox)]
    const first = await seen()
    expect(await sandbox.rewind('req_000002')).toMatchObject({ pets: 13, branch: 'branch_1' })
    await post(sandbox, 'Other')
    const second = await seen()
    expect((await sandbox.history('*')).map(({ id, branch }) => `${id} ${branch ?? ''}`)).toEqual([
      'req_000001 ',
      'req_000002 ',
      'req_000002 branch_1',
      'req_000003 branch_1',
      'ctl_000001 branch_1',
      'branch_1 ',
    ])
    expect(await sandbox.rewind({ undo: true })).toMatchObject({ pets: 15, branch: 'branch_2' })
    expect(await seen()).toEqual(first)
    expect((await sandbox.at('req_000002').export()).pets.at(-1)).toMatchObject({ name: 'Rex' })
    await sandbox.rewind({ undo: true })
    expect(await seen()).toEqual(second)
    const now = await sandbox.export()
    expect((await call('POST', '/rewind', { undo: true, branch: 'branch_9' })).body).toMatchObject({
      code: 'history_gone',
      message: 'There is no branch_9; branches: branch_3.',
    })
    expect((await call('GET', '/history?branch=branch_9')).status).toBe(404)
    for (const body of [{}, { undo: true, to: 'req_000001' }, { to: 'req_000001', branch: 'branch_1' }])
      expect((await call('POST', '/rewind', body)).status).toBe(400)
    await sandbox.close()
    if (where === 'memory') return
    await using reopened = await createSandbox({ listen: false, ...options })
    expect(await reopened.export()).toEqual(now)
  })

  it('undoes a rewind of all requests after the next one, also if a preflight came before them', async () => {
    await using sandbox = await begin()
    await sandbox.fetch('/v1/pets', { method: 'OPTIONS' })
    await post(sandbox, 'Kit')
    const [first] = await sandbox.history()
    await sandbox.rewind(first?.id as string)
    await post(sandbox, 'Rex')
    expect(await sandbox.rewind({ undo: true })).toMatchObject({ pets: 13, branch: 'branch_2' })
    expect((await sandbox.export()).pets.at(-1)).toMatchObject({ name: 'Kit' })
    expect((await sandbox.history('branch_2')).map(({ id }) => id).slice(1)).toEqual([first?.id, 'branch_2'])
  })

  it('undoes nothing, and makes no branch, if its point is the present', async () => {
    await using sandbox = await begin()
    for (const name of ['Kit', 'Rex', 'Max']) await post(sandbox, name)
    const toPresent = async () => (await sandbox.rewind('req_000003', 'after')).branch
    expect([await toPresent(), await toPresent()]).toEqual([undefined, undefined])
    await sandbox.fetch('/v1/pets', { method: 'OPTIONS' })
    expect(await toPresent()).toBeUndefined()
    await sandbox.rewind('req_000002')
    await sandbox.rewind({ undo: true })
    expect(await toPresent()).toBeUndefined()
    await sandbox.keys.create({ plan: 'free' })
    expect(await toPresent()).toBe('branch_3')
  })

  it('undoes a request that was in progress at its point and ended after it', async () => {
    await using sandbox = await begin()
    const hold = { until: { operationId: 'listPets' } }
    await sandbox.faults.add({ effect: { hold }, match: { method: 'POST' } })
    const held = post(sandbox, 'Kit')
    await expect.poll(() => sandbox.holds.list()).toHaveLength(1)
    await api(sandbox)
    expect((await held).status).toBe(201)
    const past = await stateOf(sandbox, 'req_000002')
    expect(await sandbox.rewind('req_000002', 'after')).toMatchObject({ pets: 12, branch: 'branch_1' })
    expect(await stateOf(sandbox)).toEqual(past)
    expect(await sandbox.rewind({ undo: true })).toMatchObject({ pets: 13 })
  })

  it('rewinds although the limit of memory is reached, and keeps nothing to undo then', async () => {
    const { core, internals } = await openCore({})
    const call = controlOf(core.fetch)
    for (let count = 0; count < 2; count++)
      await core.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
    const { budget } = internals.worlds
    // There is room for the call, but not for the branch.
    budget.reserve(KEPT_BYTES - budget.bytes - 5000)
    const { status, body } = await call('POST', '/rewind', { to: 'req_000002' })
    expect([status, Object.keys(body)]).toEqual([200, ['now', 'pets']])
    expect((await call('GET', '/keys/psk_pro/limits')).body.minute.remaining).toBe(299)
    expect((await call('POST', '/rewind', { undo: true })).body.code).toBe('history_gone')
    await core.close()
  })

  it('has the limits as they were, also those that were forgotten for new keys of other namespaces', async () => {
    const keys = Array.from({ length: 300 }, (_, i) => ({ key: `psk_mine_${i}`, plan: 'pro' as const }))
    const { core, internals } = await openCore({ keys })
    const call = controlOf(core.fetch)
    const list = (key: number) =>
      core.fetch('/v1/pets', { headers: { authorization: `Bearer psk_mine_${key}` } })
    const remaining = async (at = '') => {
      const { minute } = (await call('GET', `/keys/psk_mine_1/limits${at}`)).body
      return minute.remaining
    }
    for (let key = 0; key < 290; key++) await list(key)
    await list(0)
    const use = (namespace: string, keys: number) => {
      const { meters } = internals.worlds.get(namespace, START)
      for (let key = 0; key < keys; key++) meters.writable(`psk_other_${key}`)
    }
    for (let i = 0; i < 50; i++) use(`other-${i}`, 4000)
    // The last of them forgot some at the bound. Small namespaces forget none, and take what is left.
    for (let i = 0; i < 3; i++) use(`small-${i}`, 255)
    const known = (await call('GET', '/history')).body.at(-1).id
    await list(290)
    const forgotten = (await call('GET', '/history')).body.at(-1).id
    await list(1)
    const last = (await call('GET', '/history')).body.at(-1).id
    await list(2)
    const at = (id: string) => remaining(`?at=${id}&side=after`)
    expect([await at(known), await at(forgotten), await at(last), await remaining()]).toEqual([
      299, 300, 299, 299,
    ])
    expect((await call('GET', '/keys/psk_mine_0/limits')).body.minute.remaining).toBe(298)
    await core.close()
  })

  it('takes no more memory than the limit, whatever was rewound and dropped before', async () => {
    const { core, internals } = await openCore({})
    const { budget } = internals.worlds
    const call = controlOf(core.fetch)
    const create = (key: string, name: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      return core.fetch('/v1/pets', {
        method: 'POST',
        headers,
        body: JSON.stringify({ name, categoryId: 1 }),
      })
    }
    const before = budget.bytes
    for (let n = 1; n <= 5; n++) await create('psk_pro.w1', `pet ${n}`)
    const point = { to: 'req_000003', side: 'after' }
    expect((await call('POST', '/rewind?namespace=w1', point)).status).toBe(200)
    await create('psk_pro.w1', 'later')
    expect((await call('DELETE', '/namespaces/w1')).status).toBe(204)
    expect(budget.bytes).toBe(before)
    budget.reserve(KEPT_BYTES - budget.bytes - 50_000)
    for (let n = 0; n < 100; n++) await create('psk_pro', `pet ${n}`)
    expect(budget.bytes).toBeLessThanOrEqual(KEPT_BYTES)
    await core.close()
  })

  it('keeps the rewind that drops the oldest branch', async () => {
    await using sandbox = await begin({ limits: { pro: 'unlimited/unlimited' } })
    const list = () => sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
    const last = async () => (await sandbox.history()).at(-1)?.id as string
    await list()
    await list()
    await sandbox.rewind(await last())
    // Its branch begins before the oldest request of the journal then.
    for (let count = 0; count < 1050; count++) await list()
    expect(await sandbox.rewind(await last())).toMatchObject({ branch: 'branch_2' })
    expect(await sandbox.rewind({ undo: true })).toMatchObject({ branch: 'branch_3' })
  })

  it('rewinds to before a seed, a reset, a revoke, a clock change and a drop of default', async () => {
    await using sandbox = await begin()
    const call = controlOf(sandbox.fetch)
    await post(sandbox, 'Kit')
    for (const [method, path, body, words, line] of [
      ['POST', '/seed', { count: 5 }, 'seeded 5 pets', 'seed --count 5'],
      [
        ...(['POST', '/seed', { count: 4, status: { sold: 1, pending: 3 }, mode: 'append' }] as const),
        ...(['added 4 pets', 'seed --count 4 --status sold=1,pending=3 --add'] as const),
      ],
      ['POST', '/reset', {}, 'reset all but the keys', 'reset'],
      ['DELETE', '/keys/psk_pro', undefined, 'psk_pro revoked', 'keys revoke psk_pro'],
      ['POST', '/clock', { advance: '1d' }, 'clock +1d', 'clock advance 1d'],
      [
        ...(['DELETE', '/namespaces/default', undefined] as const),
        ...(['namespace default dropped', 'namespaces drop default'] as const),
      ],
    ] as const) {
      const before = await stateOf(sandbox)
      await call(method, path, body)
      expect(await stateOf(sandbox)).not.toEqual(before)
      const [{ id, what, line: shown }] = (await call('GET', '/history')).body.slice(-1)
      expect([what, shown?.join(' ')]).toEqual([words, line])
      await sandbox.rewind(id)
      expect(await stateOf(sandbox)).toEqual(before)
    }
  })

  it('names the caller of a control call, also after a replay, with no key in it', async () => {
    const sandbox = await begin()
    const call = controlOf(sandbox.fetch)
    const { key } = await sandbox.keys.create({ plan: 'pro' })
    const agents = ['curl/8.5.0', `my-tool/1.0 (${key})`, `robot-${key}`, 'x'.repeat(1000), '']
    for (const agent of agents) await call('POST', '/clock', { advance: '1s' }, { 'user-agent': agent })
    await call(
      'POST',
      '/clock',
      { advance: '1s' },
      { 'X-Sandbox-Caller': 'page', 'user-agent': 'Mozilla/5.0' },
    )
    await sandbox.fetch('/v1/pets')
    const callersOf = async ({ history }: Sandbox) => (await history()).map(({ caller }) => caller)
    const callers = ['module', 'curl/8.5.0', 'my-tool/1.0', 'robot-psk_…', 'x'.repeat(64), undefined]
    expect(await callersOf(sandbox)).toEqual([...callers, 'page', undefined])

    const recording = `${temporaryFolder()}/callers.jsonl`
    fs.writeFileSync(recording, await sandbox.recording())
    const replayed = await createSandbox({ listen: false, recording })
    expect(await callersOf(replayed)).toEqual([...callers, 'page', undefined])
  })

  it('shows no command line of which a word is masked', async () => {
    await using sandbox = await begin()
    const call = controlOf(sandbox.fetch)
    await call('POST', '/keys', { plan: 'pro', key: 'a-chosen-secret' })
    await call('PUT', '/keys/a-chosen-secret/limits', { remaining: 1 })
    await call('DELETE', '/keys/a-chosen-secret')
    const lines = (await call('GET', '/history')).body.map(({ line }: { line?: string[] }) => line?.join(' '))
    expect(lines).toEqual(['keys create pro', undefined, undefined])
  })

  it('shows no key of a fault rule that no namespace knows', async () => {
    await using sandbox = await begin()
    for (const key of ['psk_free', 'secret-of-a-service'])
      await sandbox.faults.add({ match: { key }, effect: { status: 503 } })
    const until = { key: 'secret-of-a-service' }
    await sandbox.faults.add({ effect: { hold: { until } } })
    const points = await historyOf(sandbox)
    expect(JSON.stringify(points)).not.toContain('secret-of-a-service')
    expect(points.map(({ what, line }) => [what, line?.join(' ')])).toEqual([
      ['rule added: any request of psk_free 503', 'faults add --key psk_free --status 503'],
      ['rule added: any request of … 503', undefined],
      ['rule added: any request held until any request of …', undefined],
    ])
  })

  it('shows the last point after a rewind to it, and forks from it, with its own time', async () => {
    await using sandbox = await begin()
    for (let n = 0; n < 2; n++) {
      vi.setSystemTime(Date.now() + 1000)
      await post(sandbox, 'Kit')
    }
    const then = await stateOf(sandbox, 'req_000001')
    vi.setSystemTime(Date.now() + 1000)
    await sandbox.rewind('req_000001', 'after')
    expect(await stateOf(sandbox, 'req_000001')).toEqual(then)
    await sandbox.fork('w2', 'req_000001')
    expect((await sandbox.namespace('w2').clock.now()).now).toBe('2026-11-21T12:00:01.000Z')
  })

  it('shows inherited keys as they were, also after they were revoked', async () => {
    await using sandbox = await begin()
    const call = controlOf(sandbox.fetch)
    await call('POST', '/keys', { plan: 'pro', key: 'psk_mine' })
    await api(sandbox, 'psk_mine.w1')
    const then = (await call('GET', '/keys?namespace=w1')).body
    await call('POST', '/reset', { only: ['keys'] })
    expect((await call('GET', '/keys?namespace=w1&at=req_000001')).body).toEqual(then)
  })

  it('contains no issued key', async () => {
    await using sandbox = await begin()
    const { key } = await sandbox.keys.create({ plan: 'pro' })
    await sandbox.keys.revoke(key)
    const points = await historyOf(sandbox)
    expect(JSON.stringify(points)).not.toContain(key)
    const revoked = { what: 'pro key 1 revoked', keyName: 'pro key 1' }
    expect(points).toMatchObject([{ what: 'pro key 1 issued' }, revoked])
  })

  it('names a key that a path has with the suffix of its namespace', async () => {
    await using sandbox = await begin()
    const call = controlOf(sandbox.fetch)
    await call('DELETE', '/keys/psk_free.w1/limits?namespace=w1')
    const { key } = await sandbox.namespace('w1').keys.create({ plan: 'free' })
    await call('DELETE', `/keys/${key}?namespace=w1`)
    expect(await sandbox.namespace('w1').history()).toMatchObject([
      { what: 'psk_free refilled', keyName: 'psk_free' },
      { what: 'own free key 1 issued' },
      { what: 'own free key 1 revoked', keyName: 'own free key 1' },
    ])
  })

  it('has the actual state after a change that could not be stored', async () => {
    const folder = temporaryFolder()
    await using sandbox = await begin({ db: `${folder}/db.json` })
    await post(sandbox, 'Kit')
    const write = failing('writeSync')
    expect((await post(sandbox, 'Rex')).status).toBe(503)
    write.mockRestore()
    const failed = await stateOf(sandbox)
    expect(await stateOf(sandbox, 'req_000002')).toEqual(failed)
    expect((await post(sandbox, 'Max')).status).toBe(201)
    expect(await stateOf(sandbox, 'req_000003', 'before')).toEqual(failed)
    await sandbox.rewind('req_000002', 'after')
    expect(await stateOf(sandbox)).toEqual(failed)
  })

  it('rewinds to before a drop of default that could not be stored', async () => {
    await using sandbox = await begin({ db: `${temporaryFolder()}/db.json`, freeze: true })
    await post(sandbox, 'Kit')
    const before = await stateOf(sandbox)
    const write = failing('writeSync')
    const drop = { method: 'DELETE', path: '/_sandbox/namespaces/default' }
    expect(await send(sandbox, drop)).toMatch(/^503/)
    write.mockRestore()
    const { id = '', what } = (await historyOf(sandbox)).at(-1) ?? {}
    expect(what).toBe('not stored: namespace default dropped')
    expect(await stateOf(sandbox, id, 'before')).toEqual(before)
    await sandbox.rewind(id)
    expect(await stateOf(sandbox)).toEqual(before)
  })

  it('has no state after a request that ended after a change that could not be stored', async () => {
    await using sandbox = await begin({ db: `${temporaryFolder()}/db.json` })
    await sandbox.faults.add({ effect: { hold: { until: 'released' } }, match: { method: 'POST' }, times: 1 })
    const held = post(sandbox, 'Kit')
    await expect.poll(() => sandbox.holds.list()).toHaveLength(1)
    const write = failing('writeSync')
    expect((await post(sandbox, 'Rex')).status).toBe(503)
    write.mockRestore()
    await post(sandbox, 'Max')
    await sandbox.holds.release('hold_1')
    expect((await held).status).toBe(201)
    // The present is the state after it.
    expect(await stateOf(sandbox, 'req_000001')).toEqual(await stateOf(sandbox))
    expect(await sandbox.rewind('req_000001', 'after')).not.toHaveProperty('branch')
    await post(sandbox, 'Tom')
    const why = /no state after req_000001, because a change could not be stored, or/
    await expect(sandbox.at('req_000001').export()).rejects.toThrow(why)
    await expect(sandbox.rewind('req_000001', 'after')).rejects.toThrow(why)
    await sandbox.at('req_000001', 'before').export()
  })

  it('has new points after a drop that could not be stored, although a request was in progress', async () => {
    await using sandbox = await begin({ db: `${temporaryFolder()}/db.json` })
    const world = sandbox.namespace('w1')
    await world.faults.add({ effect: { hold: { until: 'released' } }, match: { method: 'POST' } })
    const held = post(sandbox, 'Kit', 'psk_pro.w1')
    await expect.poll(() => world.holds.list()).toHaveLength(1)
    await world.keys.create({ plan: 'pro' })
    const write = failing('writeSync')
    const drop = { method: 'DELETE', path: '/_sandbox/namespaces/w1' }
    expect(await send(sandbox, drop)).toMatch(/^503/)
    write.mockRestore()
    expect((await held).status).toBe(503)
    await world.reset('faults')
    await post(sandbox, 'Kit', 'psk_pro.w1')
    expect((await world.history()).map(({ what }) => what)).toEqual(['reset faults', 'POST /v1/pets 201'])
  })

  it('visits no pets to read or to rewind, whatever their number', async () => {
    await using sandbox = await begin()
    await sandbox.seed({ count: 20_000 })
    await post(sandbox, 'Kit')
    const walked = vi.spyOn(Pets.prototype, 'values')
    const put = vi.spyOn(Pets.prototype, 'put')
    await sandbox.at('req_000001', 'before').report()
    await sandbox.rewind('req_000001')
    expect(walked).not.toHaveBeenCalled()
    expect(put.mock.calls.length).toBeLessThan(5)
    vi.restoreAllMocks()
  })

  it('a rewind ends requests in progress with 503, and they change nothing', async () => {
    await using sandbox = await begin()
    await api(sandbox)
    await sandbox.faults.add({ effect: { hold: { until: 'released' } }, match: { method: 'POST' } })
    const held = post(sandbox, 'Kit')
    await expect.poll(() => sandbox.holds.list()).toHaveLength(1)
    await controlOf(sandbox.fetch)('POST', '/rewind', { to: 'req_000001', side: 'after' })
    expect((await held).status).toBe(503)
    expect(await sandbox.requests()).toHaveLength(1)
    expect((await post(sandbox, 'Kit')).headers.get('x-request-id')).toBe('req_000002')
  })

  it('a restart has the rewound state, also after pets were replaced', async () => {
    const db = `${temporaryFolder()}/db.json`
    const sandbox = await begin({ db })
    await post(sandbox, 'Kit')
    const states: string[] = []
    const call = controlOf(sandbox.fetch)
    for (const to of ['req_000002', 'ctl_000001', 'req_000001']) {
      await call('POST', '/seed', { count: 30 })
      await post(sandbox, 'Rex')
      await call('POST', '/keys', { plan: 'pro', key: `psk_${to}` })
      expect((await call('POST', '/rewind', { to })).body).toMatchObject({ pets: expect.any(Number) })
      states.push(await send(sandbox, { method: 'GET', path: '/_sandbox/export' }))
    }
    await sandbox.close()
    await using reopened = await createSandbox({ listen: false, db })
    expect(await send(reopened, { method: 'GET', path: '/_sandbox/export' })).toBe(states.at(-1))
    expect((await controlOf(reopened.fetch)('GET', '/history')).headers.get('x-sandbox-history')).toBe(
      'the data file contains pets and keys, but no requests',
    )
    expect(new Set(states).size).toBe(3)
  })

  it('a rewind after which pets were replaced is durable', async () => {
    const folder = temporaryFolder()
    await using sandbox = await begin({ db: `${folder}/db.json` })
    const call = controlOf(sandbox.fetch)
    await post(sandbox, 'Only', 'psk_empty')
    await call('POST', '/seed', { count: 20_000 })
    await post(sandbox, 'Kit')
    await call('POST', '/seed', { fixture: 'sold-out' })
    expect((await call('POST', '/rewind', { to: 'req_000002' })).status).toBe(200)
    const listed = async ({ fetch }: Sandbox) =>
      (await fetch('/v1/pets', { headers: { authorization: 'Bearer psk_empty' } })).json()
    const [pets, only] = [await sandbox.export(), await listed(sandbox)]
    expect(only).toMatchObject([{ name: 'Only' }])
    const db = `${asAfterCrash(folder)}/db.json`
    await using reopened = await createSandbox({ listen: false, db })
    expect([await reopened.export(), await listed(reopened)]).toEqual([pets, only])
  })
})

const api = ({ fetch }: Sandbox, key = 'psk_pro') =>
  fetch('/v1/pets', { headers: { authorization: `Bearer ${key}` } })

const post = ({ fetch }: Sandbox, name: string, key = 'psk_pro') =>
  fetch('/v1/pets', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1 }),
  })
