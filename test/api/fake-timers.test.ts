import { type RequestOptions, request } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder()

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }

const statusOf = (url: string, options: RequestOptions, body = ''): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers, agent: false, ...options }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
      .on('error', reject)
      .end(body)
  })

it('the sandbox answers and stores changes while a test in the same process fakes all timers', async () => {
  const sandbox = await createSandbox({ port: 0, db: join(folder, 'db.json') })
  vi.useFakeTimers()
  expect(await statusOf(`${sandbox.baseUrl}/pets`, {})).toBe(200)
  const body = JSON.stringify({ name: 'Kit', categoryId: 2 })
  expect(await statusOf(`${sandbox.baseUrl}/pets`, { method: 'POST' }, body)).toBe(201)
  const listed = await sandbox.fetch('/v1/pets', { headers })
  expect(await listed.json()).toHaveLength(13)
  await sandbox.close()
})

it('the sandbox answers if the test has faked all timers before it loads the sandbox', async () => {
  vi.useFakeTimers()
  vi.resetModules()
  const loaded = await import('../../src/compose/sandbox.ts')
  const sandbox = await loaded.createSandbox({ port: 0 })
  await sandbox.faults.add({ effect: { latency: '1ms' } })
  expect(await statusOf(`${sandbox.baseUrl}/pets`, {})).toBe(200)
  await sandbox.close()
})

it('the sandbox starts in a test environment that replaces AbortController, such as happy-dom', async () => {
  /** A signal that Node does not know. */
  class Signal {
    aborted = false
    readonly #events = new EventTarget()
    addEventListener = this.#events.addEventListener.bind(this.#events)
    removeEventListener = this.#events.removeEventListener.bind(this.#events)
    dispatchEvent = this.#events.dispatchEvent.bind(this.#events)
  }
  class Controller {
    readonly signal = new Signal()
    abort() {
      this.signal.aborted = true
      this.signal.dispatchEvent(new Event('abort'))
    }
  }
  vi.stubGlobal('AbortController', Controller)
  const sandbox = await createSandbox({ port: 0 })
  vi.unstubAllGlobals()
  expect(await statusOf(`${sandbox.baseUrl}/pets`, {})).toBe(200)
  const events = await sandbox.fetch('/_sandbox/events')
  await sandbox.close()
  expect(await events.text()).toMatch(/^event: state/)
})
