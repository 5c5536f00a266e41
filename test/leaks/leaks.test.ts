import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
const HOSTILE = fileURLToPath(new URL('./hostile.child.ts', import.meta.url))

/** Bytes of compiled code in V8 for a sandbox. A leaked world takes 20,000. */
const NOTHING_MUCH = 16_384

it('two hundred sandboxes in one process leak no memory', { timeout: 180_000 }, async () => {
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

it('hostile requests of every kind leak little memory', { timeout: 3_600_000 }, async () => {
  const requests = process.env.PETSTORE_SOAK ? 1_000_000 : 3000
  const child = spawn(
    process.execPath,
    [
      '--expose-gc',
      '--max-old-space-size=512',
      '--import',
      import.meta.resolve('tsx'),
      HOSTILE,
      String(requests),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { sent, heapUsed, namespaces } = JSON.parse(out)
  expect(sent).toBe(requests)
  expect(namespaces).toBeLessThanOrEqual(1000)
  // The kept data reaches its bounds: 116 MB after 20,000 requests, 128 MB after 300,000 and after 1,000,000.
  expect(heapUsed).toBeLessThan(128 * 1024 * 1024)
})
