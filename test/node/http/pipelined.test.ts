import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Pipelined } from '../../../src/node/http/pipelined.ts'
import { serve } from '../../../src/node/http/serve.ts'
import type { Handle } from '../../../src/world/traffic/message.ts'
import { sendRaw } from './raw.ts'

/** Counts the calls in each turn of the event loop. */
function perTurn() {
  let inTurn = 0
  const counted = {
    most: 0,
    count() {
      if (inTurn++ > 0) return
      setImmediate(() => {
        counted.most = Math.max(counted.most, inTurn)
        inTurn = 0
      })
    },
  }
  return counted
}

async function serving(handle: Handle) {
  const refused = { status: 400, headers: ['Content-Length', '0'], body: undefined }
  const deps = { refuse: () => refused, bodyLimit: () => 1000, breaks: () => false }
  const onFailure = (error: unknown) => expect(error).toBeUndefined()
  const http = await serve({ ...deps, handle, onFailure }, '127.0.0.1', 0)
  onTestFinished(() => http.close(0))
  return http
}

const HEAD = 'HTTP/1.1\r\nHost: x\r\n'
const LAST = `GET /last ${HEAD}Connection: close\r\n\r\n`

test('of a flood of pipelined requests, few are carried out in a turn of the event loop; all are, in order', async () => {
  const targets: string[] = []
  const turns = perTurn()
  const http = await serving(({ target }) => {
    targets.push(target)
    turns.count()
    return { status: 200, headers: ['Content-Length', '0'], body: undefined }
  })
  const sent = Array.from({ length: 5000 }, (_, i) =>
    i % 3 === 0 ? `POST /${i} ${HEAD}Content-Length: 1\r\n\r\nx` : `GET /${i} ${HEAD}\r\n`,
  )
  const text = await sendRaw(http.port, sent.join('') + LAST)
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(5001)
  expect(targets).toEqual([...sent.map((_, i) => `/${i}`), '/last'])
  expect(turns.most).toBeLessThanOrEqual(16)
})

test('while a client does not read, its pipelined requests are not carried out', async () => {
  let answered = 0
  const body = 'x'.repeat(100_000)
  const http = await serving(({ target }) => {
    if (target === '/other') return { status: 200, headers: ['Content-Length', '0'], body: undefined }
    answered++
    return { status: 200, headers: ['Content-Length', String(body.length)], body }
  })
  const socket = connect(http.port, '127.0.0.1').pause()
  socket.write(`GET / ${HEAD}\r\n`.repeat(2000) + LAST)
  const other = () => sendRaw(http.port, `GET /other ${HEAD}Connection: close\r\n\r\n`)
  for (let sent = 0; sent < 50; sent++) await other()
  // The system takes a few megabytes.
  expect(answered).toBeLessThan(500)
  let received = 0
  for await (const chunk of socket) received += chunk.length
  expect(answered).toBe(2001)
  expect(received).toBeGreaterThan(2001 * body.length)
})

test('while requests with bodies wait for their responses, nothing more is read of their connection', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const http = await serving(async ({ target }) => {
    if (target !== '/other') await released
    return { status: 200, headers: ['Content-Length', '0'], body: undefined }
  })
  const socket = connect(http.port, '127.0.0.1').setEncoding('utf8')
  const request = `POST / ${HEAD}X-Long: ${'x'.repeat(8000)}\r\nContent-Length: 1\r\n\r\nx`
  // More than the system takes.
  socket.write(request.repeat(4000) + LAST)
  for (let sent = 0; sent < 200; sent++)
    await sendRaw(http.port, `GET /other ${HEAD}Connection: close\r\n\r\n`)
  expect(socket.writableLength).toBeGreaterThan(0)
  release()
  let text = ''
  for await (const part of socket) text += part
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(4001)
})

test.each([
  [1, false],
  [1, true],
  [16, true],
  [100, false],
  [100, true],
])(
  'what is not HTTP behind %i pending requests is answered after them; half-closed: %s',
  async (requests, isEnded) => {
    const http = await serving(async () => {
      for (let turns = 0; turns < 20; turns++) await turn()
      return { status: 200, headers: ['Content-Length', '0'], body: undefined }
    })
    const socket = connect(http.port, '127.0.0.1').setEncoding('utf8')
    socket.write(`${`GET / ${HEAD}\r\n`.repeat(requests)}NONSENSE\r\n\r\n`)
    if (isEnded) socket.end()
    let text = ''
    for await (const part of socket) text += part
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(requests)
    expect(text.lastIndexOf('HTTP/1.1 200')).toBeLessThan(text.indexOf('HTTP/1.1 400'))
  },
)

test('after long bodies in a turn of the event loop, the other requests wait for the next one', async () => {
  const body = 'x'.repeat(2 * 1024 * 1024)
  const turns = perTurn()
  const http = await serving(() => {
    turns.count()
    return { status: 200, headers: ['Content-Length', String(body.length)], body }
  })
  const text = await sendRaw(http.port, `GET / ${HEAD}\r\n`.repeat(12) + LAST)
  expect(text.length).toBeGreaterThan(13 * body.length)
  expect(turns.most).toBeLessThanOrEqual(9)
})

test('behind a response that hangs, reading continues after a while, since only reading shows that the client has disconnected', async () => {
  const socket = new Socket().resume()
  const pipelined = new Pipelined(socket, 1)
  pipelined.last = new ServerResponse(new IncomingMessage(socket))
  for (let sent = 0; sent < 17; sent++) pipelined.add(() => {})
  await once(socket, 'pause')
  await once(socket, 'resume')
  expect(socket.isPaused()).toBe(false)
})
