import { expect, it, vi } from 'vitest'
import worker from '../../src/edge/worker.ts'

/** A Worker whose worlds answer with an error. */
const answerTo = (error: unknown) =>
  worker.fetch(new Request('http://localhost/v1/pets', { method: 'HEAD' }), {
    WORLD: { getByName: () => ({ fetch: () => Promise.reject(error) }) },
  } as never)

it('logs a world that fails', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect((await answerTo(new Error('Network connection lost.'))).status).toBe(503)
  expect(log).toHaveBeenCalledOnce()
  log.mockRestore()
})
