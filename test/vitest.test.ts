import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../src/compose/sandbox.ts'
import { labelTests } from '../src/vitest.ts'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await createSandbox({ listen: false, now: '2026-11-19T12:00:00Z', freeze: true })
})
afterEach(() => sandbox.close())

const call = (path: string, key: string, init: RequestInit = {}) =>
  sandbox.fetch(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } })
const post = (name: string, key = 'psk_pro') =>
  call('/v1/pets', key, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 2 }),
  })
/** The message of a failed matcher. */
const failure = async (assertion: Promise<unknown>): Promise<string> => {
  try {
    await assertion
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('the matcher did not fail')
}

describe('toHaveReceived', () => {
  it('passes or fails by the count', async () => {
    await post('Kit')
    await post('Kat')
    await expect(sandbox).toHaveReceived({ operationId: 'createPet' })
    await expect(sandbox).toHaveReceived({ operationId: 'createPet' }, { exactly: 2 })
    await expect(sandbox).toHaveReceived({ body: { name: 'Kit' } }, { atMost: 1 })
    await expect(sandbox).not.toHaveReceived({ operationId: 'listPets' })
    await expect(sandbox).not.toHaveReceived({ operationId: 'createPet' }, { exactly: 1 })
    await expect(sandbox.namespace('w1')).not.toHaveReceived({})
  })

  it('shows the nearest requests if it fails', async () => {
    await post('Kat', 'psk_pro.w1')
    await call('/v1/pets?limit=1', 'psk_free.w1')
    const world = sandbox.namespace('w1')
    const assertion = expect(world).toHaveReceived(
      { operationId: 'createPet', body: { name: 'Kit' } },
      { exactly: 1 },
    )
    expect(await failure(assertion)).toBe(
      `In the namespace w1: Expected exactly 1 request with operationId createPet, body {"name":"Kit"}; found 0.
the nearest requests:
  2026-11-19T12:00:00.000Z req_000001 POST /v1/pets 201 [w1] (psk_pro pro) {"name":"Kat","categoryId":2}
  2026-11-19T12:00:00.000Z req_000002 GET /v1/pets?limit=1 200 [w1] (psk_free free)`,
    )
  })

  it('shows a body in one line that is safe for a terminal', async () => {
    const headers = { 'content-type': 'application/json' }
    const body = '\u001b]0;title\u0007\n::error::forged\u202e'
    await call('/v1/pets', 'psk_pro', { method: 'POST', headers, body })
    const message = await failure(
      expect(sandbox).toHaveReceived({ operationId: 'createPet' }, { exactly: 2 }),
    )
    expect(message).toContain(String.raw`\u001b]0;title\u0007\u000a::error::forged\u202e`)
    expect(message.split('\n')).toHaveLength(3)
  })

  it('shows the received requests if none was expected', async () => {
    await post('K'.repeat(500))
    const message = await failure(expect(sandbox).not.toHaveReceived({ operationId: 'createPet' }))
    expect(message).toMatch(
      /^In the namespace default: expected not at least 1 request of these:\n {2}\S+ req_000001 POST/,
    )
    await call('/v1/pets', 'psk_pro')
    expect(await failure(expect(sandbox).not.toHaveReceived({ operationId: 'createPet' }))).not.toContain(
      'GET',
    )
    const none = expect(sandbox).not.toHaveReceived({ operationId: 'getPet' }, { exactly: 0 })
    expect(await failure(none)).toBe(
      'In the namespace default: expected not exactly 0 requests, but no request matches',
    )
    expect(message).toMatch(/req_000001 POST \/v1\/pets 201 \(psk_pro pro\) \{"name":"K{191}…$/)
  })

  it('reports that there was no request at all', async () => {
    expect(await failure(expect(sandbox).toHaveReceived({}))).toMatch(/; found 0\.\nno request was received$/)
  })

  it('fails in both directions if relevant entries were removed from the journal', async () => {
    for (let i = 0; i < 1001; i++) await call('/v1/pets', 'psk_enterprise')
    const match = { operationId: 'createPet' }
    for (const assertion of [
      () => expect(sandbox).toHaveReceived(match),
      () => expect(sandbox).not.toHaveReceived(match),
    ]) {
      expect(await failure(assertion())).toContain('1 older entry of the journal is gone')
    }
  })

  it('refuses an invalid match or subject', async () => {
    expect(await failure(expect(sandbox).toHaveReceived({ operationId: 'getPets' }))).toMatch(
      /^verify\({"operationId":"getPets"}, {"atLeast":1}\): .* listPets, createPet/,
    )
    expect(await failure(expect({}).toHaveReceived({}))).toContain("expect(sandbox.namespace('worker-1'))")
    expect(await failure(expect(undefined).toHaveReceived({}))).toContain('is about a world')
    const past = sandbox.at('req_000001')
    expect(await failure(expect(past).toHaveReceived({}))).toContain('is about a world')
  })
})

it('a client that sleeps by moving the clock is tested as docs/retries.md says', async () => {
  const world = sandbox.namespace('retry')
  await world.faults.add({
    match: { operationId: 'createPet' },
    effect: { status: 503, retryAfter: 5 },
    times: 2,
  })
  const sleep = (milliseconds: number) => world.clock.advance(`${milliseconds}ms`)
  const save = async (): Promise<Response> => {
    const response = await post('Kit', world.key('pro'))
    if (response.status !== 503) return response
    await sleep(Number(response.headers.get('retry-after')) * 1000)
    return save()
  }
  expect((await save()).status).toBe(201)
  await expect(world).toHaveBackedOff()
})

describe('toHaveBackedOff', () => {
  /** Sends requests of a refused client, after these pauses. */
  async function retry(pauses: readonly string[], key = 'psk_limited') {
    await call('/v1/pets', key)
    for (const pause of pauses) {
      await sandbox.clock.advance(pause)
      await call('/v1/pets', key)
    }
  }
  const unavailable = (times: number, retryAfter: number) =>
    sandbox.faults.add({ effect: { status: 503, retryAfter }, times })

  it.each([
    ['for Retry-After', ['60s']],
    ['longer', ['61s', '1s']],
  ])('holds for a client that waits %s', async (_, pauses) => {
    await retry(pauses)
    await expect(sandbox).toHaveBackedOff()
  })

  it('fails for a client that retries early, with the requests', async () => {
    await retry(['48.8s'])
    await expect(sandbox).not.toHaveBackedOff()
    expect(await failure(expect(sandbox).toHaveBackedOff())).toBe(
      `In the namespace default: the client did not back off:
  2026-11-19T12:00:48.800Z req_000002 GET /v1/pets 429 (psk_limited free): retried 11.2 s before Retry-After had passed`,
    )
  })

  it('judges a key by its own requests only', async () => {
    await call('/v1/pets', 'psk_limited')
    await call('/v1/pets', 'psk_pro')
    await sandbox.clock.advance('60s')
    await call('/v1/pets', 'psk_limited')
    await expect(sandbox).toHaveBackedOff()
  })

  it('requires pauses that do not shrink, except after a shorter Retry-After', async () => {
    await unavailable(4, 1)
    await retry(['1s', '2s', '4s', '8s'], 'psk_pro')
    await expect(sandbox).toHaveBackedOff()
    await sandbox.reset()
    await unavailable(3, 1)
    await retry(['4s', '2s', '2s'], 'psk_pro')
    expect(await failure(expect(sandbox).toHaveBackedOff())).toMatch(
      /req_000008 .*: came 2\.0 s after a refusal, sooner than the 4\.0 s of the one before$/,
    )
    await sandbox.reset()
    await unavailable(1, 10)
    await unavailable(1, 1)
    await retry(['10s', '2s'], 'psk_pro')
    await expect(sandbox).toHaveBackedOff()
  })

  it('fails in both directions if no request was refused with Retry-After', async () => {
    await call('/v1/pets', 'psk_pro')
    const message =
      'In the namespace default: no request was refused with Retry-After, so there was no wait to check'
    expect(await failure(expect(sandbox).toHaveBackedOff())).toBe(message)
    expect(await failure(expect(sandbox).not.toHaveBackedOff())).toBe(message)
  })

  it('fails in both directions if entries were removed from the journal, unless a later client retries early', async () => {
    await retry(['1s', '1s'])
    for (let i = 0; i < 1001; i++) await call('/v1/pets', 'psk_enterprise')
    const message =
      'found 0. The number is not certain: 4 older entries of the journal are gone. Reset the part'
    expect(await failure(expect(sandbox).toHaveBackedOff())).toContain(message)
    expect(await failure(expect(sandbox).not.toHaveBackedOff())).toContain(message)
    await retry(['1s'])
    await expect(sandbox).not.toHaveBackedOff()
  })

  it('supports issued keys', async () => {
    const world = sandbox.namespace('w1')
    const { key } = await world.keys.create({ plan: 'free', key: 'my-own' })
    await sandbox.namespace('w1').faults.add({ effect: { status: 429, retryAfter: 9 }, times: 1 })
    await call('/v1/pets', key)
    await call('/v1/pets', key)
    expect(await failure(expect(world).toHaveBackedOff())).toMatch(/\(… free\): retried 9\.0 s before/)
    expect(await failure(expect(world).toHaveBackedOff())).not.toContain('my-own')
  })
})

describe('toHaveNoFindings', () => {
  it('passes if there is no finding of these kinds, and otherwise shows the findings', async () => {
    await call('/v1/pets', 'psk_limited')
    await call('/v1/pets', 'psk_limited')
    await expect(sandbox).toHaveNoFindings('duplicate', 'deprecated-call')
    await expect(sandbox).not.toHaveNoFindings('early-retry')
    expect(await failure(expect(sandbox).toHaveNoFindings('early-retry', 'banned'))).toBe(
      `In the namespace default: found 1 early retry
  2026-11-19T12:00:00.000Z req_000002 GET /v1/pets 429 (psk_limited free)`,
    )
    expect(await failure(expect(sandbox).not.toHaveNoFindings('banned'))).toBe(
      'In the namespace default: expected banned, but nothing was found',
    )
    expect(await failure(expect(sandbox).toHaveNoFindings('early' as 'banned'))).toMatch(
      /^"early" is not a kind of finding; use deprecated-call, rate-limited, early-retry/,
    )
  })
})

describe('labelTests', () => {
  labelTests(() => sandbox.namespace('w1'))

  describe('in a suite', () => {
    it('makes the name of the test the label of its namespace', async () => {
      await call('/v1/pets', 'psk_pro.w1')
      await call('/v1/pets', 'psk_pro')
      const tests = [...(await sandbox.namespace('w1').requests()), ...(await sandbox.requests())]
      expect(tests.map(({ test }) => test)).toEqual([
        'labelTests › in a suite › makes the name of the test the label of its namespace',
        undefined,
      ])
    })
  })
})
