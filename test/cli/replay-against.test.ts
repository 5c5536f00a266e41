import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createProxy } from '../../src/compose/proxy.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import { replayAgainst } from '../../src/tools/replay/replay-against.ts'
import { BUILT_IN_KEYS } from '../../src/world/keys/built-in-keys.ts'
import { randomRequests } from '../past/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runCli } from './run-cli.ts'

const folder = temporaryFolder()
const at = (name: string) => join(folder, name)

const ENV = { SERVICE_KEY: 'psk_pro', OTHER_KEY: 'psk_free' }
const KEYS = ['--key', 'psk_pro=SERVICE_KEY']
const { signal } = new AbortController()

type Api = (method: string, path: string, key?: string, body?: unknown, headers?: object) => Promise<Response>

const apiOf =
  (sandbox: Sandbox): Api =>
  async (method, path, key, body, headers) => {
    const response = await sandbox.fetch(`/v1${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    await response.clone().arrayBuffer()
    return response
  }

async function record(
  name: string,
  act: (api: Api, sandbox: Sandbox) => Promise<unknown>,
  options: SandboxOptions = {},
): Promise<string> {
  const sandbox = await createSandbox({ listen: false, record: at(name), ...options })
  await act(apiOf(sandbox), sandbox)
  await sandbox.close()
  return at(name)
}

/** A server that is not an Animal Store; `paths`: its requests. */
async function serve(listener: RequestListener) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    paths,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const against = (file: string, baseUrl: string, ...more: string[]) =>
  runCli(['replay', file, '--against', baseUrl, ...KEYS, ...more], ENV, folder)

/** Requests 1 to 8. */
const suite = async (api: Api) => {
  await api('GET', '/pets?limit=5', 'psk_pro')
  const { id } = (await (await api('POST', '/pets', 'psk_pro', { name: 'Kit', categoryId: 2 })).json()) as {
    id: number
  }
  await api('GET', `/pets/${id}`, 'psk_pro')
  await api('POST', '/pets', 'psk_pro', { id, name: 'Tom', categoryId: 2 })
  await api('GET', '/pets/999999', 'psk_pro')
  await api('POST', '/pets', 'psk_pro', { name: 7 })
  await api('GET', '/pets')
  await api('POST', '/pets', 'psk_pro_that_nobody_has', { name: 'Kit', categoryId: 2 })
}

let recording = ''
beforeAll(async () => {
  recording = await record('suite.jsonl', suite)
})

describe('replay --against', () => {
  it('exits with 0 if the service answers as recorded', async () => {
    await using service = await createSandbox({ port: 0 })
    const { code, out, err } = await against(recording, service.baseUrl)
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `Sent 8 requests to ${service.baseUrl}. All 8 responses agree with the recording.\n`,
      err: '',
    })
    expect(
      (await service.requests()).map(({ method, path, status }) => `${method} ${path} ${status}`),
    ).toEqual([
      'GET /v1/pets 200',
      'POST /v1/pets 201',
      'GET /v1/pets/13 200',
      'POST /v1/pets 201',
      'GET /v1/pets/999999 404',
      'POST /v1/pets 400',
      'GET /v1/pets 401',
      'POST /v1/pets 401',
    ])
  })

  it('requests pets by the ids that they have in the service', async () => {
    const { pets } = JSON.parse(readFileSync('fixtures/default.json', 'utf8')) as { pets: { id: number }[] }
    const moved = { pets: pets.map((pet) => ({ ...pet, id: pet.id + 400 })) }
    writeFileSync(at('moved.json'), JSON.stringify(moved))
    await using service = await createSandbox({ port: 0, fixture: at('moved.json') })
    const { code, out } = await against(recording, service.baseUrl)
    expect(out).toContain('All 8 responses agree')
    expect(code).toBe(0)
    const journal = await service.requests()
    expect(journal[2]).toMatchObject({ path: '/v1/pets/413', status: 200 })
    expect(journal[3]?.request.body).toBe('{"id":413,"name":"Tom","categoryId":2}')
  })

  it('reaches a service through the proxy with which the recording was made', async () => {
    await using recorded = await createSandbox({ port: 0 })
    const proxy = await createProxy(recorded.baseUrl, { port: 0 })
    await (await fetch(`${proxy.baseUrl}/pets`, { headers: { authorization: 'Bearer psk_pro' } })).text()
    writeFileSync(at('behind.jsonl'), await recorded.recording())
    const { code, out, err } = await against(at('behind.jsonl'), proxy.baseUrl)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('The response agrees with the recording.')
    await proxy.close()
  })

  it('names the first difference, continues, and exits with 3', async () => {
    await using service = await createSandbox({ port: 0, decisions: { 'create.status': 'available' } })
    const { code, out } = await against(recording, service.baseUrl, '--report', 'junit=against.xml')
    expect(
      out,
    ).toBe(`Sent 8 requests to ${service.baseUrl}. The first difference is the response to command 2, req_000002: POST /v1/pets
  body $.status
    was: nothing
    is:  "available"
2 more responses differ.
`)
    expect(code).toBe(3)
    expect(readFileSync(at('against.xml'), 'utf8')).toContain('failures="1"')
  })

  it('stops after a status that differs', async () => {
    await using service = await createSandbox({ port: 0, faults: [{ effect: { status: 429 } }] })
    const { code, out } = await against(recording, service.baseUrl, '--json')
    expect(JSON.parse(out)).toMatchObject({
      service: service.baseUrl,
      commands: 1,
      compared: 1,
      differing: 1,
      difference: { command: 1, requestId: 'req_000001', where: 'status', was: '200', is: '429' },
      notices: ['7 requests after that response: not sent, since its status differs.'],
    })
    expect(code).toBe(3)
    expect(await service.requests()).toHaveLength(1)
  })

  it('stops at --until', async () => {
    await using service = await createSandbox({ port: 0 })
    const { out } = await against(recording, service.baseUrl, '--until', 'req_000002')
    expect(out).toContain('Sent 2 requests')
  })

  it('never sends control calls, and skips requests that only a sandbox can answer', async () => {
    const file = await record('faults.jsonl', async (api, sandbox) => {
      for (let i = 0; i < 3; i++) await api('POST', '/pets', 'psk_flaky', { name: 'Flaky', categoryId: 1 })
      await sandbox.faults.add({ effect: { status: 503, message: 'Back at noon.' }, times: 1 })
      await api('POST', '/pets', 'psk_pro', { name: 'Never', categoryId: 1 })
      await sandbox.faults.add({ effect: { status: 503 }, when: 'after', times: 1 })
      await api('POST', '/pets', 'psk_pro', { name: 'Lost', categoryId: 1 })
      await api('GET', '/pets', 'psk_limited')
      await api('GET', '/pets', 'psk_expired')
      await api('GET', '/pets', 'psk_pro', undefined, { prefer: 'code=503' })
      await api('GET', '/store/orders', 'psk_pro')
      await sandbox.fetch('/nowhere')
      await api('GET', '/pets', 'psk_pro')
    })
    await using service = await createSandbox({ port: 0 })
    const { code, out } = await against(file, service.baseUrl, '--key', 'psk_flaky=SERVICE_KEY')
    expect(
      out,
    ).toBe(`The sandbox was changed by control calls, which are not sent (POST /_sandbox/faults): responses that depend on them may differ.
2 requests skipped: answered by a fault.
1 request skipped: answered by a trigger key.
1 request skipped: answered as the header Prefer asked.
1 request skipped: that the interface does not describe.
1 request skipped: outside /v1.
Sent 5 requests to ${service.baseUrl}. All 4 responses agree with the recording.
`)
    expect(code).toBe(0)
    const { pets } = await service.export()
    expect(pets.map(({ name }) => name).slice(12)).toEqual(['Flaky', 'Flaky', 'Lost'])
  })

  it('finds no difference between a sandbox and its own random recordings', async () => {
    const keys = new Map(Object.keys(BUILT_IN_KEYS).map((key) => [key, 'psk_pro']))
    for (let seed = 1; seed <= 10; seed++) {
      const file = await record(`random-${seed}.jsonl`, async (_, sandbox) => {
        for (const { path, init } of randomRequests(seed, 150)) {
          const isAlike = path.startsWith('/v1')
            ? !/\.|psk_slow|psk_empty/.test(init.headers.authorization ?? '')
            : path.includes('/faults') && /"status":503/.test(init.body ?? '')
          if (isAlike) await sandbox.fetch(path, init).then((response) => response.text())
        }
      })
      await using service = await createSandbox({ port: 0 })
      const { difference, compared } = await replayAgainst(file, service.baseUrl, { keys, signal })
      expect({ seed, difference }).toEqual({ seed, difference: undefined })
      expect(compared).toBeGreaterThan(5)
    }
  })

  it('waits between the requests as recorded with --paced', async () => {
    const text = readFileSync(recording, 'utf8').replace(
      /\{"n":(\d),"at":\d+/g,
      (_, n: string) => `{"n":${n},"at":${Number(n) * 10_000}`,
    )
    writeFileSync(at('slow.jsonl'), text)
    await using service = await createSandbox({ port: 0 })
    const waits: string[] = []
    const replayed = (paced: boolean) =>
      replayAgainst(at('slow.jsonl'), service.baseUrl, {
        signal,
        keys: new Map([['psk_pro', 'psk_pro']]),
        paced,
        until: 3,
        async sleep(milliseconds) {
          waits.push(`${Math.round(milliseconds / 1000)} s after ${(await service.requests()).length}`)
        },
      })
    expect(await replayed(true)).toMatchObject({ commands: 3, compared: 3, differing: 0 })
    expect(waits.splice(0)).toEqual(['10 s after 1', '10 s after 2'])
    await replayed(false)
    expect(waits).toEqual([])
  })
})

describe('the keys of a replay --against', () => {
  it('are listed if they are missing', async () => {
    const file = await record('keys.jsonl', async (api) => {
      await api('GET', '/pets', 'psk_pro.w1')
      await api('GET', '/pets', 'psk_free')
      await api('GET', '/pets', 'psk_pro')
    })
    await using service = await createSandbox({ port: 0 })
    const none = await runCli(['replay', file, '--against', service.baseUrl], ENV)
    expect(none).toEqual({
      code: 2,
      out: '',
      err: 'petstore-sandbox: The recording uses the keys psk_pro, psk_free. Name an environment variable with a key of the service for each: --key psk_pro=SERVICE_PSK_PRO --key psk_free=SERVICE_PSK_FREE\n',
    })
    expect(await service.requests()).toEqual([])
    const all = await against(file, service.baseUrl, '--key', 'psk_free=$OTHER_KEY')
    expect(all.out).toContain('requests of 2 namespaces go to one service')
    expect(all.code).toBe(0)
    expect((await service.requests()).map(({ key }) => key)).toEqual(['psk_pro', 'psk_free', 'psk_pro'])
  })

  it('are quoted for a shell, since a recording may come from anywhere', async () => {
    const file = await record('quoted.jsonl', (api) => api('GET', '/pets', 'psk_pro'))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('psk_pro', "a$(id)'b"))
    const { err } = await runCli(['replay', file, '--against', 'http://localhost:9/v1'], ENV)
    expect(err).toContain("--key 'a$(id)'\\''b=SERVICE_A__ID__B'\n")
  })

  it.each([
    ['psk_pro=psk_live_4f8a', 'there is no environment variable of that name'],
    ['psk_pro=sk-live-4f8a', 'not a key of the recording and the name'],
    ['psk_live_4f8a', 'not a key of the recording and the name'],
    ['psk_pro=EMPTY', 'there is no environment variable of that name, or it is empty'],
    [
      'psk_pro=TWO',
      '--key psk_pro=TWO: the API key is not valid; use visible ASCII characters without spaces',
    ],
  ])('--key %s is refused without repeating it', async (flag, message) => {
    const { code, err } = await runCli(
      ['replay', recording, '--against', 'http://localhost:9/v1', '--key', flag],
      {
        EMPTY: '',
        TWO: 'psk_live_4f8a b',
      },
    )
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    expect(err).not.toContain('4f8a')
  })

  it.each([0, 480])('are not shown if the service repeats them, after %s characters', async (before) => {
    await using service = await serve(({ headers }, response) => {
      const text = ' '.repeat(before) + headers.authorization
      response.setHeader('content-type', 'application/json').end(JSON.stringify(text))
    })
    const { code, out } = await runCli(
      ['replay', recording, '--against', service.baseUrl, ...KEYS, '--until', '1'],
      { SERVICE_KEY: 'a-key-that-is-real' },
    )
    expect(code).toBe(3)
    expect(out).toMatch(/is: {2}" *Bearer …/)
    expect(out).not.toContain('a-key-that')
  })
})

describe('the service of a replay --against', () => {
  it('may be on another machine only with --yes', async () => {
    for (const url of [
      'http://petstore.invalid/v1',
      'http://127.0.0.1.nip.invalid/v1',
      'http://10.0.0.1/v1',
    ]) {
      const { code, err } = await against(recording, url)
      expect({ code, err }).toEqual({
        code: 2,
        err: `petstore-sandbox: "${url}" is on another machine, and the requests may change its data; add --yes to allow it\n`,
      })
    }
    const { code, err } = await against(recording, 'http://petstore.invalid/v1', '--yes')
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('did not answer') })
  })

  it.each([
    [['--against', 'localhost:4010'], 'is not a valid base URL'],
    [['--against', 'http://localhost:4010/api'], 'ends in /v1'],
    [
      ['--against', 'http://localhost:4010/v1', '--port', '0'],
      "option '--against <baseUrl>' cannot be used with option '-p, --port <number>'",
    ],
    [
      ['--against', 'http://localhost:4010/v1', '--host', '0.0.0.0'],
      "option '--against <baseUrl>' cannot be used with option '-H, --host <host>'",
    ],
    [['--host', '0.0.0.0'], '--host needs --port <number>'],
    [['--paced'], '--paced needs --against <baseUrl>'],
    [KEYS, '--key needs --against <baseUrl>'],
    [['--yes'], '--yes needs --against <baseUrl>'],
  ])('%s is wrong usage', async (flags, message) => {
    const { code, err } = await runCli(['replay', recording, ...flags], ENV)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
  })

  it('may be given by its origin', async () => {
    await using service = await createSandbox({ port: 0 })
    const { code, out } = await against(recording, new URL(service.baseUrl).origin)
    expect(out).toContain(`to ${service.baseUrl}.`)
    expect(code).toBe(0)
  })

  it('that does not answer is an error', async () => {
    const { code, err } = await against(recording, 'http://localhost:9/v1')
    expect({ code, err }).toEqual({
      code: 1,
      err: 'petstore-sandbox: The service at http://localhost:9 did not answer: connection refused: no service listens there (GET /pets?limit=5, command 1 of the recording). Check that the service is running and that the address is correct\n',
    })
  })

  it('cannot redirect to another address', async () => {
    await using other = await serve((_, response) => response.end('[]'))
    await using service = await serve((_, response) =>
      response.writeHead(302, { location: `${other.baseUrl}/pets` }).end(),
    )
    const { code, out } = await against(recording, service.baseUrl)
    expect(out).toContain('  status\n    was: 200\n    is:  302\n')
    expect(code).toBe(3)
    expect({ there: service.paths, elsewhere: other.paths }).toEqual({
      there: ['GET /v1/pets?limit=5'],
      elsewhere: [],
    })
  })

  it('that never completes its answer causes a timeout', async () => {
    await using service = await serve((_, response) => response.writeHead(200).write('['))
    const replayed = replayAgainst(recording, service.baseUrl, {
      signal,
      keys: new Map([['psk_pro', 'psk_pro']]),
      timeout: 100,
    })
    await expect(replayed).rejects.toThrow(
      `${service.baseUrl} sent no complete response within 100 ms (GET /pets?limit=5, command 1 of the recording)`,
    )
  })

  it('that sends an endless answer is read up to a limit', async () => {
    await using endless = await serve((_, response) => {
      const more = () => {
        while (response.write(' '.repeat(1_000_000)));
        response.once('drain', more)
      }
      more()
    })
    const { code, err } = await against(recording, endless.baseUrl)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('larger than 64 MiB') })
    await using large = await serve((_, response) =>
      response.setHeader('content-type', 'application/json').end(' '.repeat(9_000_000)),
    )
    const { code: differs, out } = await against(recording, large.baseUrl, '--until', '1')
    expect(out).toContain('is:  not readable: it is larger than 8 MiB')
    expect(differs).toBe(3)
  })
})

it('a recording can only cause requests to /v1 of the service, whatever it contains', async () => {
  const [head, ...lines] = readFileSync(recording, 'utf8').split('\n')
  const line = lines.find((each) => each.includes('"reply"')) ?? ''
  const targets = [
    ...['//other.invalid/v1/pets', 'http://other.invalid/admin', '/v1/../admin', '/v1/%2e%2e/admin'],
    ...[
      '/v1/%252e%252e/admin',
      '/v1/..\\admin',
      '/v1/..;/admin',
      '/v12/pets',
      '/v1/pets\r\nx: y',
      '/_sandbox/reset',
    ],
    'http://other.invalid/v1/pets?limit=5',
  ]
  const requests: unknown[] = [
    ...targets.map((target) => ({ method: 'GET', target, headers: ['Authorization', 'Bearer psk_pro'] })),
    { method: 'GET', target: '/v1/pets', headers: ['Bad name', 'x'] },
    { method: 'CONNECT', target: '/v1/pets', headers: [] },
    {
      method: 'GET',
      target: '/v1/pets?limit=5',
      headers: [
        ...[
          'Authorization',
          'Bearer psk_pro',
          'Cookie',
          'cut',
          'Host',
          'other.invalid',
          'Content-Length',
          '9',
        ],
        ...['Transfer-Encoding', 'chunked', 'X-Api-Key', 'cut', 'Accept-Encoding', 'gzip', 'X-Kept', 'yes'],
      ],
    },
  ]
  const foreign = requests.flatMap((request, i) => [
    JSON.stringify({ n: i + 1, at: 0, request }),
    line.replace(/"n":\d+/, `"n":${i + 1}`),
  ])
  writeFileSync(at('foreign.jsonl'), [head, ...foreign, ''].join('\n'))
  const seen: object[] = []
  await using sandbox = await createSandbox({ listen: false })
  await using service = await serve(async ({ url = '', headers }, response) => {
    seen.push(headers)
    const {
      status,
      headers: given,
      body,
    } = await sandbox.fetch(url, { headers: { authorization: 'Bearer psk_pro' } })
    response.writeHead(status, Object.fromEntries(given)).end(body && (await new Response(body).text()))
  })
  const { code, out } = await against(at('foreign.jsonl'), service.baseUrl)
  expect(service.paths).toEqual(['GET /v1/pets?limit=5', 'GET /v1/pets?limit=5'])
  expect(seen[1]).toEqual({
    host: new URL(service.baseUrl).host,
    authorization: 'Bearer psk_pro',
    'x-kept': 'yes',
    connection: 'close',
  })
  expect(out).toContain('All 2 responses agree')
  expect(code).toBe(0)
})
