import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openReplay } from '../../../src/compose/replay.ts'
import { createSandbox } from '../../../src/compose/sandbox.ts'
import { runCli } from '../../cli/run-cli.ts'
import { temporaryFolder } from '../../support/folder.ts'

const entry = (second: number, request: object) => ({
  startedDateTime: `2026-11-22T10:00:${String(second).padStart(2, '0')}.000Z`,
  request: { method: 'GET', headers: [], ...request },
})

/** A HAR of a browser: several hosts, unordered, without keys, with header fields of HTTP/2. */
const BROWSER = {
  log: {
    entries: [
      entry(2, {
        method: 'POST',
        url: 'https://api.shop.example/v1/pets',
        headers: [
          { name: ':authority', value: 'api.shop.example' },
          { name: 'content-type', value: 'application/json' },
          { name: 'content-length', value: '999' },
        ],
        bodySize: 29,
        postData: { text: '{"name":"Kit","categoryId":2}' },
      }),
      entry(1, {
        url: 'https://api.shop.example/v1/pets?limit=2',
        headers: [{ name: 'Authorization', value: 'Bearer a-key-of-the-real-service' }],
      }),
      entry(3, {
        url: 'http://localhost:4010/v1/pets',
        headers: [{ name: 'Authorization', value: 'Bearer psk_free.tab' }],
      }),
      entry(0, { url: 'https://cdn.shop.example/app.js' }),
      entry(4, { method: 'POST', url: 'https://api.shop.example/v1/pets', bodySize: 10 }),
      // As Playwright writes it with `content: 'omit'` or `'attach'`.
      entry(5, {
        method: 'POST',
        url: 'https://api.shop.example/v1/pets?5',
        bodySize: 9,
        postData: { text: '' },
      }),
      // As with `mode: 'minimal'`.
      entry(6, {
        method: 'POST',
        url: 'https://api.shop.example/v1/pets?6',
        bodySize: -1,
        postData: { text: '' },
      }),
      {
        startedDateTime: 'noon',
        request: { method: 'GET', url: 'https://api.shop.example/v1/pets', headers: [] },
      },
      null,
    ],
  },
}

describe('a HAR of a browser', () => {
  const save = (content: unknown): string => {
    const file = join(temporaryFolder(), 'shop.har')
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return file
  }

  it('becomes requests at their instants, after which the sandbox continues', async () => {
    const { sandbox } = await openReplay(save(BROWSER), {}, { listen: false })
    const seen = await sandbox.requests()
    expect(
      seen.map(({ at, method, path, query, status, key }) => [at, method, path + query, status, key]),
    ).toEqual([
      ['2026-11-22T10:00:01.000Z', 'GET', '/v1/petslimit=2', 200, 'psk_pro'],
      ['2026-11-22T10:00:02.000Z', 'POST', '/v1/pets', 201, 'psk_pro'],
    ])
    expect((await sandbox.export()).pets.at(-1)).toMatchObject({ id: 13, name: 'Kit' })
    expect(await sandbox.namespace('tab').requests()).toHaveLength(1)
    await sandbox.close()
  })

  it('is replayed on the command line, which lists the skipped entries', async () => {
    const { code, out } = await runCli(['replay', save(BROWSER)])
    expect(
      out,
    ).toBe(`A HAR has no state: its requests begin with the fixture default, and their responses are not compared.
2 requests without a key of the sandbox got psk_pro.
Skipped 6 entries: GET https://cdn.shop.example/app.js (not to /v1); POST https://api.shop.example/v1/pets (the HAR lacks its body, or a part of it); POST https://api.shop.example/v1/pets?5 (the HAR lacks its body, or a part of it); POST https://api.shop.example/v1/pets?6 (the HAR lacks its body, or a part of it); GET https://api.shop.example/v1/pets (no instant); entry 9 (no request)
Replayed 3 commands. No response was compared.
`)
    expect(code).toBe(0)
  })

  it('is refused without a request to replay, with what was skipped', async () => {
    const { code, err } = await runCli(['replay', save({ log: { entries: [{}] } })])
    expect(err).toMatch(/ has no request to replay\. Skipped 1 entry: entry 1 \(no request\); save one/)
    expect(code).toBe(2)
  })

  it('may also be a HAR of the sandbox', async () => {
    await using sandbox = await createSandbox({ port: 0 })
    const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
    for (const name of ['Kit', 'Tom'])
      await fetch(`${sandbox.baseUrl}/pets`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name, categoryId: 2 }),
      })
    const journal = await fetch(`${sandbox.controlUrl}/requests`, {
      headers: { accept: 'application/har+json' },
    })
    const replayed = await openReplay(save(await journal.text()), {}, { listen: false })
    expect((await replayed.sandbox.export()).pets).toEqual((await sandbox.export()).pets)
    await replayed.sandbox.close()
  })

  it('has neither a request nor a response of the sandbox whose body is longer than the journal keeps', async () => {
    await using sandbox = await createSandbox({ port: 0 })
    const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'n'.repeat(20_000), categoryId: 2 })
    await fetch(`${sandbox.baseUrl}/pets`, { method: 'POST', headers, body })
    await fetch(`${sandbox.baseUrl}/pets`, { headers })
    const accept = 'application/har+json'
    const journal = await fetch(`${sandbox.controlUrl}/requests`, { headers: { accept } })
    const file = save(await journal.text())
    const { code, out } = await runCli(
      ['replay', file, '--against', sandbox.baseUrl, '--key', 'psk_pro=KEY'],
      { KEY: 'psk_pro' },
    )
    expect(out).toMatch(/Skipped 1 entry: POST \S+ \(the HAR lacks its body, or a part of it\)/)
    expect(out).toContain('The response agrees with the recording.')
    expect(code).toBe(0)
  })

  it('is sent to another service, whose replies are compared with those of the browser', async () => {
    await using service = await createSandbox({ port: 0 })
    const url = 'https://api.shop.example/v1/pets'
    const reply = (status: number, text?: string) => ({
      status,
      headers: [{ name: 'Content-Type', value: 'application/json; charset=utf-8' }],
      content: { size: 9, ...(text !== undefined && { text }) },
    })
    const kit = { method: 'POST', url, postData: { text: '{"name":"Kit","categoryId":2}' } }
    const json = { headers: [{ name: 'Content-Type', value: 'application/json' }] }
    const answered = (second: number, request: object, response: object) => ({
      ...entry(second, request),
      response,
    })
    const entries = [
      answered(1, { ...kit, ...json }, reply(201, '{"id":70,"name":"Kit","categoryId":2}')),
      // The id of the service replaces 70.
      answered(2, { url: `${url}/70` }, reply(200, '{"id":70,"name":"Kit","categoryId":2}')),
      // The HAR has no body to compare.
      answered(3, { url: `${url}/70` }, reply(200)),
      answered(4, { url }, { status: 0, headers: [] }),
      entry(5, { url }),
    ]
    const send = (more: object[]) =>
      runCli(
        [
          ...['replay', save({ log: { entries: [...entries, ...more] } })],
          ...['--against', service.baseUrl, '--key', 'psk_pro=SERVICE_KEY'],
        ],
        { SERVICE_KEY: 'psk_free' },
      )
    expect(await send([])).toMatchObject({
      code: 0,
      out: `A HAR has no state: responses differ if the service has other pets than the one that the browser used.
5 requests without a key of the sandbox got psk_pro.
2 requests skipped: without a recorded response.
Sent 3 requests to ${service.baseUrl}. All 3 responses agree with the recording.
`,
    })
    const other = answered(6, { url: `${url}/70` }, reply(200, '{"id":70,"name":"Tom","categoryId":2}'))
    const { code, out } = await send([other])
    expect(out).toMatch(/\$\.name.*Tom.*Kit/s)
    expect(code).toBe(3)
  })

  it('has no Blob that a page sent with Playwright: only the Content-Length shows that there was a body', async () => {
    const headers = [{ name: 'Content-Length', value: '30' }]
    const url = 'http://localhost:4010/v1/pets'
    const sent = entry(2, { method: 'POST', url, headers, bodySize: 0 })
    const { out } = await runCli(['replay', save({ log: { entries: [entry(1, { url }), sent] } })])
    expect(out).toContain(`Skipped 1 entry: POST ${url} (the HAR lacks its body, or a part of it)\n`)
    expect(out).toContain('Replayed 1 command.')
  })

  it('has the status -1, from Playwright, for a request without a response', async () => {
    await using service = await createSandbox({ port: 0 })
    const url = `${service.baseUrl}/pets`
    const headers = [{ name: 'Authorization', value: 'Bearer psk_pro' }]
    const [whole, aborted] = [1, 2].map((second) => entry(second, { url, headers }))
    const entries = [
      { ...aborted, response: { status: -1, headers: [], content: { size: -1 } } },
      { ...whole, response: { status: 200, headers: [], content: { size: 9 } } },
    ]
    const against = ['--against', service.baseUrl, '--key', 'psk_pro=KEY']
    const { code, out } = await runCli(['replay', save({ log: { entries } }), ...against], { KEY: 'psk_pro' })
    expect(out).toContain('1 request skipped: without a recorded response.\n')
    expect(code).toBe(0)
  })

  it('gets no key for a request that was answered with 401', async () => {
    const url = 'http://localhost:4010/v1/pets'
    const postData = { text: '{"name":"Kit","categoryId":2}' }
    const sent = entry(1, { method: 'POST', url, postData })
    const file = save({ log: { entries: [{ ...sent, response: { status: 401, headers: [] } }] } })
    const { sandbox, result } = await openReplay(file, {}, { listen: false })
    expect(await sandbox.requests()).toMatchObject([{ status: 401, reason: { code: 'missing_api_key' } }])
    expect(result.notices.join()).not.toContain('psk_pro')
    await sandbox.close()
  })

  it('may have texts in Base64, which are sent and compared like others', async () => {
    await using service = await createSandbox({ port: 0 })
    const [url, headers] = [`${service.baseUrl}/pets`, [{ name: 'Content-Type', value: 'application/json' }]]
    const encoded = (text: string) => ({ text: btoa(text), encoding: 'base64' })
    const postData = encoded('{"name":"Kit","categoryId":2}')
    const content = encoded('{"id":13,"name":"Tom","categoryId":2}')
    const sent = entry(1, { method: 'POST', url, headers, bodySize: 29, postData })
    const entries = [{ ...sent, response: { status: 201, headers, content } }]
    const { code, out } = await runCli(
      ['replay', save({ log: { entries } }), '--against', service.baseUrl, '--key', 'psk_pro=KEY'],
      { KEY: 'psk_pro' },
    )
    expect(out).toMatch(/\$\.name.*Tom.*Kit/s)
    expect(code).toBe(3)
  })

  it.each([
    ['{"log":{"entries":[\n x]}}', 'it is not JSON ('],
    ['{"log":{}}', 'it has no log.entries'],
    ['null', 'it has no log.entries'],
  ])('is refused with the reason if it is %s', async (text, reason) => {
    const { code, err } = await runCli(['replay', save(text)])
    expect(err).toContain(`is not a HAR: ${reason}`)
    expect(err.trimEnd()).not.toContain('\n')
    expect(code).toBe(2)
  })

  it('is refused in words if it cannot be read', async () => {
    const { code, err } = await runCli(['replay', 'missing.har'])
    expect(err).toMatch(/missing\.har cannot be read: there is no such file; check its path\n$/)
    expect(code).toBe(2)
  })

  it('may have a byte order mark, and members of any type: those that are not as HAR has them are left out', async () => {
    const url = 'http://localhost:4010/v1/pets'
    const odd = [null, {}, { name: null, value: 'x' }, { name: 5, value: 'x' }, { name: 'X-Odd', value: {} }]
    const entries = [
      { ...entry(1, { url, headers: odd }), response: { status: 200, headers: odd, content: { text: {} } } },
      { ...entry(2, { url, postData: null }), response: { status: '200', headers: [], content: null } },
      entry(3, { url: { toString: 1 } }),
      { ...entry(4, { url }), startedDateTime: { toString: 1 } },
    ]
    const { code, out } = await runCli(['replay', save(`\uFEFF${JSON.stringify({ log: { entries } })}`)])
    expect(out).toContain(`Skipped 2 entries: entry 3 (no request); GET ${url} (no instant)\n`)
    expect(out).toContain('Replayed 2 commands.')
    expect(code).toBe(0)
  })
})
