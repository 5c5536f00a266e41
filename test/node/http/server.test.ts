import { expect, test } from 'vitest'
import { serve } from '../../../src/node/http/serve.ts'
import type { Handle, Reply } from '../../../src/world/traffic/message.ts'

const reply = (headers: string[]): Reply => ({ status: 200, headers, body: 'here' })

const long = (slices: AsyncIterable<string>): Reply => ({ ...reply([]), body: undefined, slices })

/** A server that answers so, and the failures that it reports. */
async function serving(handle: Handle) {
  const failures: unknown[] = []
  const refuse = () => reply([])
  const deps = { handle, refuse, bodyLimit: () => 0, breaks: () => false }
  const onFailure = (error: unknown) => failures.push(error)
  return { http: await serve({ ...deps, onFailure }, '127.0.0.1', 0), failures }
}

test('an answer that cannot be sent ends only its own connection', async () => {
  const { http, failures } = await serving(({ target }) =>
    reply(target === '/bad' ? ['X-Broken', 'line\nfeed'] : []),
  )
  const send = (path: string) => fetch(http.origin + path).then((response) => response.text())
  const answers = await Promise.allSettled(['/a', '/bad', '/b', '/bad', '/c'].map(send))
  await http.close(1000)
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  const named = expect.stringContaining('X-Broken')
  expect(failures.map(String)).toEqual([named, named])
})

test('an error in the making of a long answer ends its connection, and is not lost', async () => {
  async function* slices() {
    yield 'first'
    throw new Error('no more')
  }
  const { http, failures } = await serving(() => long(slices()))
  await expect(fetch(http.origin).then((response) => response.text())).rejects.toThrow()
  await http.close(1000)
  expect(failures.map(String)).toEqual(['Error: no more'])
})

test('a client that leaves during a long answer is no failure of the sandbox', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  async function* slices() {
    try {
      for (;;) yield 'x'.repeat(100_000)
    } finally {
      end()
    }
  }
  const { http, failures } = await serving(() => long(slices()))
  const leaving = new AbortController()
  await fetch(http.origin, { signal: leaving.signal })
  leaving.abort()
  await ended
  await http.close(1000)
  expect(failures).toEqual([])
})
