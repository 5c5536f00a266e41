import { expect, it, vi } from 'vitest'
import { MAX_BACKLOG } from '../../src/web/backlog.ts'
import { createFetch, responseOf } from '../../src/web/fetch.ts'
import type { Request } from '../../src/world/traffic/message.ts'

const MIB = 1024 * 1024

/** A response whose stream nobody reads yet, and a function that sends texts of one MiB to it. */
async function streaming() {
  let send: (text: string) => void = () => {}
  let isStopped = false
  const stream = (sending: (text: string) => void) => {
    send = sending
    return () => {
      isStopped = true
    }
  }
  const { signal } = new AbortController()
  const response = await responseOf({ status: 200, headers: [], body: undefined, stream }, signal, signal)
  return {
    body: response.body as ReadableStream<Uint8Array>,
    send(many: number) {
      for (let sent = 0; sent < many; sent++) send('x'.repeat(MIB))
    },
    isStopped: () => isStopped,
  }
}

it('data that waits for slow readers has a common limit: beyond it the slowest one is cut off', async () => {
  const [slowest, other, reading] = [await streaming(), await streaming(), await streaming()]
  slowest.send(18)
  other.send(12)
  // What was read no longer counts.
  const reader = reading.body.getReader()
  for (let sent = 0; sent < 60; sent++) {
    const read = reader.read()
    reading.send(1)
    await read
  }
  expect(slowest.isStopped()).toBe(false)
  other.send(MAX_BACKLOG / MIB - 29)
  expect([slowest, other, reading].map(({ isStopped }) => isStopped())).toEqual([true, false, false])
  await expect(slowest.body.getReader().read()).rejects.toThrow('You read too slowly and are cut off')
  await other.body.cancel()
  await reader.cancel()
})

it('an empty body is none, also for a request whose body is not read', async () => {
  const received: object[] = []
  const handle = ({ body, tooLarge }: Request) => {
    received.push({ body, tooLarge })
    return { status: 401, headers: [], body: undefined }
  }
  const { signal } = new AbortController()
  const fetch = createFetch(handle, () => undefined, signal)
  await fetch('/v1/pets', { method: 'POST', body: '' })
  await fetch('/v1/pets', { method: 'POST', body: '{}' })
  expect(received).toEqual([
    { body: undefined, tooLarge: false },
    { body: undefined, tooLarge: true },
  ])
})

it('a body arrives where a Request has no stream of it, as in Firefox', async () => {
  const bodies: (string | undefined)[] = []
  const fetch = createFetch(
    ({ body }) => {
      bodies.push(body && new TextDecoder().decode(body))
      return { status: 204, headers: [], body: undefined }
    },
    () => 10,
    new AbortController().signal,
  )
  const spy = vi.spyOn(Request.prototype, 'body', 'get').mockReturnValue(undefined as never)
  await fetch(new Request('http://localhost/v1/pets', { method: 'POST', body: 'Kit' }))
  // A read is handled in the turn of the call.
  const read = fetch('/v1/pets')
  spy.mockRestore()
  expect(bodies).toEqual(['Kit', undefined])
  await read
})

it('streams where a test environment has no class for streams, such as jsdom in a VM of Vitest', async () => {
  vi.stubGlobal('ReadableStream', undefined)
  // The Response of such an environment is that of Node, which knows the class.
  vi.stubGlobal('Response', function known(this: object, body: ReadableStream) {
    Object.assign(this, { body })
  })
  async function* slices() {
    yield* ['a', 'é']
  }
  const { signal } = new AbortController()
  const reply = { status: 200, headers: [], body: undefined, slices: slices() }
  const { body } = await responseOf(reply, signal, signal)
  vi.unstubAllGlobals()
  expect(await new Response(body).text()).toBe('aé')
})
