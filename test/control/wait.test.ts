import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { ControlError } from '../../src/client/control-error.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { api, call, sandbox, sandboxPerTest } from './client.ts'

// The clock is frozen: a wait takes real time.
sandboxPerTest()

const create = (name: string, key?: string) =>
  api('/pets', { json: { name, categoryId: 1 }, ...(key !== undefined && { key }) })
const soon = () => new Promise((resolve) => setTimeout(resolve, 20))
/** The longest wait, at whose end a test fails: it expects an early answer. */
const LONG = { within: '60s' }
const SHORT = { within: '30ms' }

describe('verify with a wait', () => {
  const kit = { operationId: 'createPet', body: { name: 'Kit' } }

  it('answers as soon as there are enough requests, including earlier ones', async () => {
    await create('Kit')
    expect(await sandbox.verify(kit, { atLeast: 1 }, LONG)).toEqual({ matched: 1 })
    const both = sandbox.verify(kit, { atLeast: 2 }, LONG)
    await soon()
    await create('Rex')
    await create('Kit', 'psk_pro.other')
    await create('Kit')
    expect(await both).toEqual({ matched: 2 })
  })

  it('fails as soon as there are too many, with the nearest ones', async () => {
    const failed = sandbox.verify(kit, { exactly: 1 }, LONG).catch((error: ControlError) => error.body)
    await soon()
    await create('Kit')
    await create('Kit')
    expect(await failed).toMatchObject({
      code: 'verification_failed',
      actual: 2,
      nearest: [{ id: 'req_000002' }, { id: 'req_000001' }],
    })
    await expect(sandbox.verify(kit, { atMost: 1 }, LONG)).rejects.toThrow('at most 1 request')
  })

  it('otherwise answers at the end of the time', async () => {
    expect(await sandbox.verify(kit, { exactly: 0 }, SHORT)).toEqual({ matched: 0 })
    await create('Rex')
    const { status, body } = await call('POST', '/requests/verify', { match: kit, ...SHORT })
    expect(status).toBe(409)
    expect(body).toMatchObject({ actual: 0, nearest: [{ id: 'req_000001' }] })
  })

  it('counts requests that the journal removed meanwhile, and none from before a reset', async () => {
    await create('Kit')
    const kits = sandbox.verify(kit, { atLeast: 2 }, LONG)
    await soon()
    await sandbox.reset('requests')
    await create('Kit')
    await create('Kit')
    expect(await kits).toEqual({ matched: 2 })

    await sandbox.reset('requests', 'limits')
    const many = sandbox.verify({ operationId: 'listPets' }, { atLeast: 1001 }, LONG)
    await soon()
    for (let i = 0; i < 1001; i++) await api('/pets', { key: 'psk_enterprise' })
    expect(await many).toEqual({ matched: 1001 })
  })

  it('answers as soon as an undo brings back enough requests', async () => {
    await create('Kit')
    await sandbox.rewind('req_000001')
    const kits = sandbox.verify(kit, { atLeast: 1 }, LONG)
    await soon()
    await call('POST', '/rewind', { undo: true })
    expect(await kits).toEqual({ matched: 1 })
  })

  it.each([
    ['61s', /within: "61s" is too long; use 60s or less/],
    ['soon', /within/],
  ])('within %s is refused', async (within, message) => {
    const { status, body } = await call('POST', '/requests/verify', { match: {}, within })
    expect([status, body.code, body.message]).toEqual([400, 'invalid_body', expect.stringMatching(message)])
  })
})

describe('waiting for a request', () => {
  const wait = (body: object) => call('POST', '/requests/wait', body)

  it('returns the first match of the journal, or the first one after a given request', async () => {
    for (const name of ['Kit', 'Rex', 'Kit']) await create(name)
    const match = { body: { name: 'Kit' } }
    expect((await wait({ match })).body.id).toBe('req_000001')
    expect((await wait({ match, after: 'req_000001' })).body.id).toBe('req_000003')
    const { status, body } = await wait({ match, after: 'req_000003', ...SHORT })
    expect([status, body.code, body.nearest[0].id]).toEqual([409, 'not_received', 'req_000003'])
    expect(body.message).toContain('within 30ms after req_000003')
    expect((await wait({ match, after: 'req_000009' })).status).toBe(404)
  })

  it('is answered by a later request of this namespace', async () => {
    const found = wait({ match: { operationId: 'createPet', status: 201 }, ...LONG })
    await soon()
    await create('Elsewhere', 'psk_pro.w1')
    await create('Kit')
    expect(JSON.parse((await found).body.request.body).name).toBe('Kit')
  })

  it('the module continues after its own last result, also if the ids begin again', async () => {
    const match = { operationId: 'createPet' }
    await create('1')
    await create('2')
    const names: string[] = []
    const next = async () => {
      names.push(JSON.parse((await sandbox.waitFor(match, LONG)).request.body).name)
    }
    await next()
    await next()
    const third = next()
    await soon()
    await create('3')
    await third
    await sandbox.reset('requests')
    await create('4')
    await next()
    const { id = '' } = (await sandbox.requests()).at(-1) ?? {}
    await sandbox.rewind(id)
    await create('5')
    expect((await sandbox.requests()).at(-1)).toMatchObject({ id })
    await next()
    expect(names).toEqual(['1', '2', '3', '4', '5'])
    const error = await sandbox.waitFor(match, SHORT).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ControlError)
    expect(String(error)).toMatch(/ was received within .*\nNearest:\n {2}\S+ req_\d+ POST \/v1\/pets 201/)
  })
})

it('a client that has closed only its sending side gets the answer', async () => {
  await using served = await createSandbox({ port: 0 })
  // The control API is loaded now, so that the wait begins at once.
  await served.report()
  const body = JSON.stringify({ match: { operationId: 'createPet' }, ...LONG })
  const head = `POST /_sandbox/requests/wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`
  const socket = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true }).end(head + body)
  const answer = text(socket)
  await soon()
  const headers = { Authorization: 'Bearer psk_pro' }
  await served.fetch('/v1/pets', { method: 'POST', headers, body: '{}' })
  expect(await answer).toMatch(/^HTTP\/1\.1 200 .*"operationId":"createPet"/s)
  socket.destroy()
})

describe('a finished wait leaves no timers', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  /** Waits without timers of its own. */
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve))
  }
  const path = '/_sandbox/requests/wait'
  const body = JSON.stringify({ match: { operationId: 'createPet' }, ...LONG })

  it('if it is answered or aborted, in process', async () => {
    const left = new AbortController()
    let refused = 0
    const waiting = Array.from({ length: 1100 }, () =>
      sandbox
        .fetch(path, { method: 'POST', body, signal: left.signal })
        .then(({ status }) => {
          if (status === 503) refused++
        })
        .catch(() => 'left'),
    )
    // At most a thousand calls wait.
    await until(() => refused === 100)
    await expect(sandbox.verify({ status: 418 }, { exactly: 0 }, LONG)).rejects.toThrow(
      'There are 1,000 calls that wait for requests, which is the limit.',
    )
    expect(timers()).toBeGreaterThanOrEqual(1000)
    left.abort()
    const outcomes = await Promise.all(waiting)
    expect(outcomes.filter((outcome) => outcome === 'left')).toHaveLength(1000)
    await until(() => timers() < 100)
    const answered = sandbox.waitFor({ operationId: 'createPet' }, LONG)
    await create('Kit')
    await answered
    expect(timers()).toBeLessThan(100)
  })

  it('if its connection is closed; a sandbox that closes answers waiting calls', async () => {
    await using served = await createSandbox({ port: 0 })
    const send = () => {
      // A connection that arrives during the close is refused.
      const socket = connect(served.port, '127.0.0.1').on('error', () => {})
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      return socket
    }
    // Many, so that other timers do not matter.
    const many = 100
    const before = timers()
    const sockets = Array.from({ length: many }, send)
    await until(() => timers() > before + many - 10)
    for (const socket of sockets) socket.resetAndDestroy()
    await until(() => timers() < before + many / 4)

    let answers = 0
    const last = Array.from({ length: many }, () =>
      send().on('data', (chunk) => {
        if (String(chunk).includes('The sandbox was closed while the call waited.')) answers++
      }),
    )
    await until(() => timers() > before + many - 10)
    await served.close()
    await until(() => answers > many / 2)
    for (const socket of last) socket.destroy()
  })
})
