import { expect, it, vi } from 'vitest'
import worker from '../../src/edge/worker.ts'
import { brokenOff } from '../../src/web/fetch.ts'

/** A Worker whose worlds answer with an error. */
const answerTo = (error: unknown) =>
  worker.fetch(new Request('http://localhost/v1/pets', { method: 'HEAD' }), {
    WORLD: { getByName: () => ({ fetch: () => Promise.reject(error) }) },
  } as never)

it('logs a world that fails, but no injected wire fault', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const fault = await brokenOff({ status: 200, headers: [], body: '' })
    .text()
    .catch((error: unknown) => error)
  expect((await answerTo(fault)).status).toBe(503)
  expect(log).not.toHaveBeenCalled()
  expect((await answerTo(new Error('Network connection lost.'))).status).toBe(503)
  expect(log).toHaveBeenCalledOnce()
  log.mockRestore()
})
