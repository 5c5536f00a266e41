import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

/** Of each sandbox, in bytes: what V8 learns about the code. A world that is kept costs 20,000. */
const NOTHING_MUCH = 16_384

it('two hundred sandboxes in one process leave nothing behind', { timeout: 180_000 }, async () => {
  const child = spawn(process.execPath, ['--expose-gc', '--import', import.meta.resolve('tsx'), CHILD], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { before, after, alive } = JSON.parse(out)
  expect(alive).toBe(0)
  expect(after.resources).toEqual(before.resources)
  expect(after.listeners).toEqual(before.listeners)
  expect(after.heap - before.heap).toBeLessThan(200 * NOTHING_MUCH)
})
