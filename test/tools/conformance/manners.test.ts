import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { LONGEST_WAIT } from '../../../src/tools/conformance/client.ts'
import { check, EVERYTHING, idsOf, resultOf } from './check.ts'
import { type FaultyOptions, KEY, startFaultyService } from './faulty-service.ts'

const isPost = (request: string) => request.startsWith('POST')
const refusal = (status: number, headers: Readonly<Record<string, string>>) => ({
  status,
  headers,
  body: `{"code":"e","message":"later","status":${status}}`,
})

/** Runs the checks against a service whose clock advances while the runner sleeps; also returns each sleep. */
async function checkPatiently(options: FaultyOptions, flags: { readonly allowWrites?: boolean } = {}) {
  await using service = await startFaultyService(options)
  const sleeps: number[] = []
  const sleep = async (milliseconds: number) => {
    sleeps.push(milliseconds)
    service.skip(milliseconds)
  }
  const report = await check({ baseUrl: service.baseUrl, ...flags, sleep })
  return { report, sleeps, requests: service.requests }
}

describe('a run without flags', () => {
  it('only reads, and uses less than half of the smallest plan', async () => {
    const { report, requests } = await checkPatiently({ limit: 60 })
    expect(requests.filter(isPost)).toEqual([])
    expect(requests.length).toBeLessThan(30)
    expect(report).toMatchObject({ requests: requests.length, unchecked: null })
    expect(resultOf(report, 'create').reason).toBe('it needs --allow-writes')
    expect(resultOf(report, 'exhaust-limit').reason).toContain('--exhaust-limits')
    expect(resultOf(report, 'retry-after').outcome).toBe('skipped')
  })
})

describe('a run that writes', () => {
  it('stays within the smallest plan, and adds three animals', async () => {
    await using service = await startFaultyService({ limit: 60, pets: 1 })
    const report = await check({ baseUrl: service.baseUrl, allowWrites: true })
    expect(idsOf(report, 'failed')).toEqual([])
    const list = await fetch(`${service.baseUrl}/pets`, {
      headers: { authorization: 'Bearer a-key-of-the-test' },
    })
    expect(await list.json()).toHaveLength(4)
  })

  it('waits for the next window before it uses one up', async () => {
    const { report, sleeps } = await checkPatiently({ limit: 15 }, { allowWrites: true })
    expect(idsOf(report, 'failed')).toEqual([])
    expect(resultOf(report, 'retry-after').reason).toContain('no 429')
    expect(sleeps.length).toBeGreaterThan(1)
    expect(Math.max(...sleeps)).toBeLessThanOrEqual(LONGEST_WAIT)
  })

  it('does not use up a long window', async () => {
    const { report, sleeps, requests } = await checkPatiently(
      { limit: 30, seconds: 3600 },
      { allowWrites: true },
    )
    expect(sleeps).toEqual([])
    expect(idsOf(report, 'failed')).toEqual([])
    expect(resultOf(report, 'refused-not-stored').reason).toMatch(/^3 of 30 requests are left until 20/)
    const counted = requests.length - 6 // requests without a valid key
    expect(counted).toBe(27)
  })

  it('uses up what is left of a long window only to check its limit', async () => {
    await using service = await startFaultyService({ limit: 30, seconds: 3600 })
    const report = await check({ baseUrl: service.baseUrl, ...EVERYTHING })
    expect(idsOf(report, 'failed')).toEqual([])
    expect(report.unchecked).toMatch(
      /^3 of 30 requests are left until 20.*; only the checks of --exhaust-limits/,
    )
    expect(resultOf(report, 'refused-not-stored').reason).toBe(report.unchecked)
    for (const id of ['exhaust-limit', 'exhaust-remaining', 'retry-after'])
      expect(resultOf(report, id).outcome).toBe('passed')
    expect(resultOf(report, 'exhaust-recovers').reason).toContain('too long to wait')
  })

  it('announces no wait after it was stopped', async () => {
    await using service = await startFaultyService({ limit: 200 })
    const stopping = new AbortController()
    const waits: string[] = []
    let isOver = false
    const report = await check({
      baseUrl: service.baseUrl,
      ...EVERYTHING,
      signal: stopping.signal,
      onWait: (_, why) => waits.push(why),
      sleep: async () => {},
      async fetch(input, init) {
        // The request of exhaust-others, after which exhaust-recovers would wait.
        if (isOver) stopping.abort(new Error('Stopped'))
        const response = await fetch(input, init)
        isOver = response.status === 429
        return response
      },
    })
    expect(waits).toEqual([])
    for (const id of ['exhaust-others', 'exhaust-recovers'])
      expect(resultOf(report, id).reason).toBe('Stopped')
    expect(report.unchecked).toBe('Stopped')
  })

  it('accepts the Retry-After of a ban that is a thousand times the rest of the window', async () => {
    const reset = () => `${Math.ceil(Date.now() / 1000) + 4}`
    await using service = await startFaultyService({
      instead: (_, number) =>
        refusal(429, { 'Retry-After': number === 1 ? '4' : '3600', 'X-RateLimit-Reset': reset() }),
    })
    const report = await check({ baseUrl: service.baseUrl, sleep: async () => {} })
    expect(resultOf(report, 'retry-after')).toMatchObject({ outcome: 'passed', failures: [] })
  })

  it('does not wait twice for a stopped clock', async () => {
    await using service = await startFaultyService({ limit: 20 })
    let sleeps = 0
    const sleep = async () => {
      sleeps += 1
    }
    const report = await check({ baseUrl: service.baseUrl, allowWrites: true, sleep })
    expect(sleeps).toBe(1)
    expect(idsOf(report, 'failed')).toEqual([])
    expect(resultOf(report, 'create-listed').reason).toContain('its clock seems to be stopped')
  })

  it('does not wait for each request if Remaining is the number of used ones', async () => {
    let ahead = 0
    let used = 0
    const headers = () => ({
      'X-RateLimit-Limit': '300',
      'X-RateLimit-Remaining': `${++used}`,
      'X-RateLimit-Reset': `${Math.ceil((Date.now() + ahead) / 1000) + 60}`,
    })
    await using service = await startFaultyService({
      instead: () => ({ status: 200, body: '[]', headers: headers() }),
    })
    let sleeps = 0
    const sleep = async (milliseconds: number) => {
      sleeps++
      ahead += milliseconds
      used = 0
      service.skip(milliseconds)
    }
    const report = await check({ baseUrl: service.baseUrl, sleep })
    expect(sleeps).toBe(1)
    expect(report.unchecked).toBe(resultOf(report, 'limit-n').reason)
    expect(report.unchecked).toMatch(
      /^1 of 300 requests are left until 20.*, and waiting for this window did not help$/,
    )
  })

  it('waits for each request if that takes a second, because the limit refills', async () => {
    let now = Math.ceil(Date.now() / 1000)
    let left = 8
    await using service = await startFaultyService({
      instead: () => ({
        status: 200,
        body: '[]',
        headers: {
          Date: new Date(now * 1000).toUTCString(),
          'X-RateLimit-Limit': '60',
          'X-RateLimit-Remaining': `${--left}`,
          'X-RateLimit-Reset': `${now + 1}`,
        },
      }),
    })
    const sleep = async () => {
      left++
      now++
    }
    await check({ baseUrl: service.baseUrl, sleep })
    expect(service.requests.length).toBeGreaterThan(15)
  })

  it('waits for each request if the limit is two', async () => {
    const { report, sleeps } = await checkPatiently({ limit: 2 })
    expect(idsOf(report, 'failed')).toEqual([])
    expect(sleeps.length).toBeGreaterThan(10)
  })
})

describe('an unexpected refusal', () => {
  it.each([
    ['429 and seconds', 429, () => '7'],
    ['503 and a date', 503, () => new Date(Date.now() + 7000).toUTCString()],
  ])('is followed by a wait if it is short: %s', async (_, status, retryAfter) => {
    const { report, sleeps } = await checkPatiently({
      instead: (__, number) => (number === 4 ? refusal(status, { 'Retry-After': retryAfter() }) : undefined),
    })
    expect(idsOf(report, 'failed')).toEqual([])
    expect(sleeps).toHaveLength(1)
    expect(sleeps[0]).toBeGreaterThan(5000)
    expect(sleeps[0]).toBeLessThan(8000)
  })

  it.each([
    ['a long Retry-After', { 'Retry-After': '3600' }, /3600 s: too long to wait/],
    ['no Retry-After', {}, /without a readable Retry-After/],
    ['one that is none', { 'Retry-After': 'soon' }, /without a readable Retry-After/],
  ])('skips all later checks with the key: %s', async (_, headers, reason) => {
    const isKeyed = (authorization = '') => authorization.endsWith('-test')
    let keyed = 0
    const { report } = await checkPatiently({
      instead: (request, number) => {
        if (isKeyed(request.headers.authorization)) keyed += 1
        return number === 4 ? refusal(429, headers) : undefined
      },
    })
    expect(keyed).toBe(4)
    expect(resultOf(report, 'get-unknown').reason).toMatch(reason)
    expect(resultOf(report, 'missing-key-listPets').outcome).toBe('passed')
    expect(report.unchecked).toMatch(reason)
  })

  it('leaves nothing to check if it is the first answer', async () => {
    const { report } = await checkPatiently({ instead: () => refusal(429, { 'Retry-After': '3600' }) })
    expect(report.unchecked).toContain('too long to wait')
  })
})

describe('a service that cannot be checked', () => {
  it('causes an error if it is unreachable', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    await expect(check({ baseUrl: `http://127.0.0.1:${port}/v1` })).rejects.toThrow(
      'connection refused: no service listens there',
    )
  })

  it('causes an error if its bodies are not what their Content-Encoding says', async () => {
    await using service = await startFaultyService({
      instead: () => ({ ...refusal(200, { 'Content-Encoding': 'gzip' }), body: '[]' }),
    })
    await expect(check({ baseUrl: service.baseUrl })).rejects.toThrow(
      'its body is not what its Content-Encoding says',
    )
  })

  it('gets no more requests after it has stopped', async () => {
    const service = await startFaultyService()
    const report = await check({
      baseUrl: service.baseUrl,
      onResult: ({ id }) => (id === 'limit-1' ? service[Symbol.asyncDispose]() : undefined),
    })
    expect(idsOf(report, 'failed')).toEqual(['limit-100-complete', 'limit-n'])
    expect(resultOf(report, 'limit-n').failures[0]).toMatchObject({ request: 'GET /pets?limit=3' })
    expect(resultOf(report, 'get-unknown').reason).toBe('the service stopped answering')
  })

  it('fails one check if it refuses the key', async () => {
    await using service = await startFaultyService()
    const report = await check({ baseUrl: service.baseUrl, key: 'another-key', ...EVERYTHING })
    expect(idsOf(report, 'failed')).toEqual(['key-accepted'])
    expect(resultOf(report, 'limit-1').reason).toContain('give another with --key')
    expect(resultOf(report, 'missing-key-listPets').outcome).toBe('passed')
  })

  it('does not show by the page of a gateway whether it accepts the key', async () => {
    const html = {
      status: 403,
      body: '<title>Just a moment</title>',
      headers: { 'Content-Type': 'text/html' },
    }
    await using service = await startFaultyService({ instead: () => html })
    const report = await check({ baseUrl: service.baseUrl })
    expect(resultOf(report, 'key-accepted').reason).toBe('a response with 403 does not show it')
    expect(resultOf(report, 'list-answers').failures[0]?.received).toContain('403 text/html <title>Just a')
  })

  it.each([302, 307, 500])('does not show by %d whether it accepts the key', async (status) => {
    await using service = await startFaultyService({
      instead: ({ headers }) =>
        headers.authorization
          ? { status, headers: { Location: 'http://elsewhere.test/' }, body: '' }
          : undefined,
    })
    const report = await check({ baseUrl: service.baseUrl, ...EVERYTHING })
    expect(resultOf(report, 'key-accepted')).toMatchObject({
      outcome: 'skipped',
      reason: `a response with ${status} does not show it`,
    })
    expect(idsOf(report, 'failed')).toContain('list-answers')
  })

  it('fails one check if its address is wrong', async () => {
    await using service = await startFaultyService()
    const report = await check({ baseUrl: service.baseUrl.replace('/v1', '/v2'), ...EVERYTHING })
    expect(idsOf(report, 'failed')).toEqual(['list-answers'])
    expect(resultOf(report, 'base-address').outcome).toBe('skipped')
    expect(resultOf(report, 'limit-1').reason).toContain('/v2 the base URL?')
  })
})

it('no check passes without a response to its subject', async () => {
  await using service = await startFaultyService({
    instead: ({ url = '' }) =>
      url.includes('limit=') || /\/pets\//.test(url) ? undefined : { status: 200, body: '[]' },
    unmarked: true,
  })
  const report = await check({
    baseUrl: service.baseUrl,
    fetch: async (input, init) => {
      const { status, body } = await fetch(input, init)
      return new Response(body, { status, headers: { 'content-type': 'application/json' } })
    },
  })
  const passed = idsOf(report, 'passed')
  for (const id of [
    'limit-positive',
    'limit-reset',
    'limit-counting',
    'deprecation-header',
    'sunset-header',
    'retry-after',
  ]) {
    expect(passed).not.toContain(id)
  }
})

describe('the result of a run', () => {
  it('has the request, the response and the expectation', async () => {
    await using service = await startFaultyService({ defect: 'missing-key-200' })
    const report = await check({ baseUrl: `${service.baseUrl}/` })
    expect(resultOf(report, 'missing-key-listPets')).toMatchObject({
      section: '5, 7',
      title: 'a missing key is 401 on listPets',
      failures: [
        {
          request: 'GET /pets (no key)',
          received: expect.stringMatching(/^200 application\/json \[\{"id":1,.*…$/),
          expected: '401 with an Error body',
        },
      ],
    })
  })

  it('never contains the key or terminal control characters', async () => {
    await using service = await startFaultyService({
      instead: ({ headers }) => ({ status: 200, body: `"\u001b[2J${headers.authorization}"` }),
    })
    const text = JSON.stringify(await check({ baseUrl: service.baseUrl }))
    expect(text).toContain('[2JBearer …')
    expect(text).not.toContain('a-key-of-the-test')
    expect(text).not.toContain('\\u001b')
  })

  it('does not contain the key as the id of a pet', async () => {
    const body = `{"id":"${KEY}","name":"Rex","categoryId":1}`
    await using service = await startFaultyService({
      instead: ({ method }) => (method === 'POST' ? { status: 201, body } : undefined),
    })
    const report = await check({ baseUrl: service.baseUrl, allowWrites: true })
    expect(resultOf(report, 'create-readable').failures[0]?.request).toBe('GET /pets/…')
    expect(resultOf(report, 'create-listed').failures[0]?.expected).toBe(
      'the created pet, id "…", among them',
    )
    expect(JSON.stringify(report)).not.toContain(KEY)
  })

  it('is complete and short if the id of a pet is long and no valid Unicode', async () => {
    const body = `{"id":"\\ud800${'x'.repeat(5000)}","name":"Rex","categoryId":1}`
    await using service = await startFaultyService({
      instead: ({ method }) => (method === 'POST' ? { status: 201, body } : undefined),
    })
    const report = await check({ baseUrl: service.baseUrl, allowWrites: true })
    const [failure] = resultOf(report, 'create-readable').failures
    expect(failure?.request).toMatch(/^GET \/pets\/%EF%BF%BDx{50,200}…$/)
    expect(idsOf(report, 'failed')).toContain('pet-schema')
  })

  it('has the observed behaviour if the interface leaves it open', async () => {
    await using service = await startFaultyService({ unmarked: true })
    const report = await check({ baseUrl: service.baseUrl })
    expect(resultOf(report, 'limit=0')).toMatchObject({
      outcome: 'observed',
      observations: ['not specified by the interface; observed: status 400 (e400) for GET /pets?limit=0'],
    })
    expect(resultOf(report, 'sunset-header')).toMatchObject({
      outcome: 'observed',
      observations: ['not specified by the interface; observed: no Sunset header'],
    })
  })

  it('accepts the removal of getPet from its last day on', async () => {
    const ahead = Date.UTC(2030, 11, 5, 12) - Date.now()
    const gone = (url = '') => /\/pets\//.test(url)
    await using service = await startFaultyService({
      ahead,
      instead: ({ url, headers }) =>
        gone(url) && headers.authorization?.endsWith('-test') ? refusal(410, {}) : undefined,
    })
    const report = await check({ baseUrl: service.baseUrl, allowWrites: true })
    expect(idsOf(report, 'failed')).toEqual([])
    expect(resultOf(report, 'get-known').observations).toEqual([
      'getPet answers 410: it is past 5 December 2030',
    ])
  })
})

it('ignores the spaces around a header value', async () => {
  const server = createServer((_, response) => {
    const reset = Math.ceil(Date.now() / 1000) + 60
    response.setHeader('Content-Type', 'application/json ')
    response.setHeader('X-RateLimit-Limit', ' 60 ')
    response.setHeader('X-RateLimit-Remaining', ' 50 ')
    response.setHeader('X-RateLimit-Reset', ` ${reset}\t`)
    response.end('[]')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const report = await check({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` })
  expect(resultOf(report, 'limit-headers').outcome).toBe('passed')
  server.closeAllConnections()
  server.close()
})

it('reads an endless body up to a limit', async () => {
  const server = createServer((_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ')
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', write)
    write()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  await expect(check({ baseUrl })).rejects.toThrow('its body is larger than 64 MiB, which is the limit')
  server.closeAllConnections()
  server.close()
})
