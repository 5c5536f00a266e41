import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { openCore } from '../../src/compose/core.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { Secrets } from '../../src/world/keys/secrets.ts'
import { controlOf } from '../control/client.ts'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
const HOSTILE = fileURLToPath(new URL('./hostile.child.ts', import.meta.url))

/** Bytes of compiled code in V8 for a sandbox. A leaked world takes 20,000. */
const NOTHING_MUCH = 16_384

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  for (let turn = 0; turn < 10; turn++) {
    await setImmediate()
    gc()
  }
}

it('two hundred sandboxes in one process leak no memory', async () => {
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

it('the history keeps requests and control calls without their connections', async () => {
  const sandbox = await createSandbox({ listen: false })
  const sent = async (method: string, path: string, body?: string) => {
    const headers = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
    const request = new Request(`http://localhost${path}`, { method, headers, body: body ?? null })
    await sandbox.handler(request, { address: '127.0.0.1' })
    return new WeakRef(request)
  }
  const requests = [
    await sent('POST', '/_sandbox/clock', '{"advance":"1s"}'),
    await sent('POST', '/_sandbox/seed', '{"count":2}'),
    await sent('POST', '/v1/pets', '{"name":"Kit","categoryId":2}'),
    await sent('OPTIONS', '/v1/pets'),
  ]
  expect(await sandbox.history()).toHaveLength(3)
  await collectGarbage()
  expect(requests.map((request) => request.deref()?.url)).toEqual(requests.map(() => undefined))
  await sandbox.close()
})

it('a call that waits for requests does not keep those that the journal drops meanwhile', async () => {
  const { core, internals } = await openCore({})
  const control = controlOf(core.fetch)
  await core.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
  const entry = () => new WeakRef(internals.worlds.default.journal.entries()[0] as object)
  const kept = entry()
  const match = { status: 418 }
  const waiting = [
    control('POST', '/requests/wait', { match, within: '60s' }),
    control('POST', '/requests/verify', { match, times: { atLeast: 1 }, within: '60s' }),
  ]
  await internals.pause()
  await control('DELETE', '/requests')
  await collectGarbage()
  expect(kept.deref()).toBeUndefined()
  await core.close()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([503, 503])
})

it('a dropped namespace leaves memory, also one with a rule that breaks connections', async () => {
  const { core, internals } = await openCore({})
  const control = controlOf(core.fetch)
  const rule = { effect: { wire: 'reset' }, match: { path: '/none' } }
  for (const name of ['default', 'w1']) await control('POST', `/faults?namespace=${name}`, rule)
  const dropped = new WeakRef(internals.worlds.get('w1', 0))
  expect((await control('DELETE', '/namespaces/w1')).status).toBe(204)
  await collectGarbage()
  expect(dropped.deref()?.name).toBeUndefined()
  await core.close()
})

it('a secret that gets a pseudonym does not keep the text in which it was found', async () => {
  const { pseudonyms } = new Secrets()
  const textOf = (n: number) =>
    `{"key":"0000-${n}-0000-own","password":"word-${n}-0000","x":"${'y'.repeat(100_000)}"}`
  pseudonyms.text(textOf(0))
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let n = 1; n <= 300; n++) for (const _ of ['new', 'known']) pseudonyms.text(textOf(n))
  await collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * 1024 * 1024)
  expect(pseudonyms.text(textOf(1))).toBe(pseudonyms.text(textOf(1)))
})

it('hostile requests of every kind leak little memory', async () => {
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
