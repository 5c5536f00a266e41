import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { anyCall, type ControlClient, connectControl } from '../../src/client/control.ts'

it('a call by operationId sends the query and the body like a named call', async () => {
  const calls: unknown[][] = []
  const call = async (...given: unknown[]) => {
    calls.push(given)
    return { value: 7 }
  }
  const any = anyCall({ call } as unknown as ControlClient)
  const body = { within: '45s' }
  expect(await any('POST', '/requests/wait', { query: { namespace: 'w1' }, body })).toBe(7)
  await any('GET', '/clock')
  expect(calls).toEqual([
    ['POST', '/requests/wait', { query: { namespace: 'w1' }, body }],
    ['GET', '/clock'],
  ])
})

/** A client at a point of the history, and the requests that it sends. */
function clientAt(point: Parameters<ControlClient['at']>[0]) {
  const sent: string[] = []
  const fetch = async ({ method, url }: Request) => {
    sent.push(`${method} ${url.replace(/^.*_sandbox/, '')}`)
    return Response.json({})
  }
  const client = connectControl({ url: 'http://localhost', namespace: 'default', fetch })
  return { client: client.at(point), sent }
}

it('reads of every namespace are sent with the point; writes are not', async () => {
  const { client, sent } = clientAt({ at: 'req_000001', side: 'before' })
  await client.call('GET', '/keys', { query: { namespace: 'x' } } as never)
  await client.in('w1').call('GET', '/clock')
  await client.call('POST', '/reset', { body: {} } as never)
  expect(sent).toEqual([
    'GET /keys?namespace=x&at=req_000001&side=before',
    'GET /clock?namespace=w1&at=req_000001&side=before',
    'POST /reset?namespace=default',
  ])
})

it('the sandbox chooses the side if none is given', async () => {
  const { client, sent } = clientAt({ at: 'req_000001' })
  await client.call('GET', '/clock')
  expect(sent).toEqual(['GET /clock?namespace=default&at=req_000001'])
})

it('its first call over the network uses its own namespace, whose key can be the token', async () => {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url.replace('/_sandbox', ''))
    response.end(JSON.stringify({ status: 'ok', version: '0.0.0' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const namespace of ['w1', '*'])
    await connectControl({ url, namespace, token: 'psk_pro.w1' }).call('GET', '/report')
  expect(asked).toEqual([
    '/health?namespace=w1',
    '/report?namespace=w1',
    '/health?namespace=default',
    '/report?namespace=*',
  ])
  server.close()
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

it('names NO_PROXY if Node uses the proxy of the environment, which may refuse this machine', async () => {
  const cause = new DOMException('Request was cancelled.', 'Error')
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })))
  const problem = () =>
    connectControl({ url: 'http://localhost:4010', namespace: 'default' })
      .call('GET', '/clock')
      .catch(({ message }: Error) => message)
  expect(await problem()).not.toContain('NO_PROXY')
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  expect(await problem()).toBe(
    'No sandbox answers at http://localhost:4010 (Request was cancelled.). Start one with petstore-sandbox, or say where it is with --url or PETSTORE_SANDBOX_URL. NODE_USE_ENV_PROXY is set: add the host of the sandbox to NO_PROXY',
  )
})

it('does not advise to start a sandbox on a port that another program has', async () => {
  const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(connectControl({ url, namespace: 'default' }).call('GET', '/clock')).rejects.toThrow(
    /\(HPE_\w+\)\. Another program is there: say where the sandbox is with --url$/,
  )
  server.close()
})

it('says after some seconds that the sandbox does not answer, such as a stopped process', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const notices: string[] = []
  const onSilence = (notice: string) => notices.push(notice)
  const client = connectControl({ url, namespace: 'default', timeout: 4000, onSilence })
  await expect(client.call('GET', '/clock')).rejects.toThrow('has not answered within 4 s')
  const said = [`${url} has not answered for 3 s; waiting up to 4 s`]
  expect(notices).toEqual(said)
  server.removeAllListeners('request').on('request', (_, response) => {
    response.end(JSON.stringify({ status: 'ok', version: '0.0.0' }))
  })
  const answered = connectControl({ url, namespace: 'default', onSilence })
  await answered.call('GET', '/clock')
  await answered.call('GET', '/clock')
  await new Promise((resolve) => setTimeout(resolve, 3100))
  expect(notices).toEqual(said)
  server.closeAllConnections()
  server.close()
})

it.each(['', '.', '..'])(
  'a call with the name "%s", which an address would drop, is refused',
  async (name) => {
    const { client, sent } = clientAt({ at: 'req_000001' })
    const call = client.call('DELETE', '/snapshots/{name}', { params: {}, path: { name } } as never)
    await expect(call).rejects.toThrow(
      `name: "${name}" is not valid; use a text of at least one character, other than . and ..`,
    )
    expect(sent).toEqual([])
  },
)

it('a lone surrogate, which no address can have, becomes U+FFFD', async () => {
  const { client, sent } = clientAt({ at: '\ud800' })
  await client.call('GET', '/snapshots/{name}', { path: { name: '\udfff😀' } })
  expect(sent).toEqual(['GET /snapshots/%EF%BF%BD%F0%9F%98%80?namespace=default&at=%EF%BF%BD'])
})
