import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createSandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'

declare const gc: () => void

const folder = mkdtempSync(join(tmpdir(), 'petstore-leaks-'))

/** Uses a sandbox in ways that could leak: event streams, late and missing answers, namespaces. */
async function useSandbox(options: SandboxOptions, nth: number): Promise<WeakRef<object>> {
  const sandbox = await createSandbox(options)
  const call = (path: string, key = 'psk_pro', init: RequestInit = {}) =>
    sandbox.fetch(`/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
  await call('/pets', `psk_pro.w${nth}`, { method: 'POST', body: '{"name":"Kit","categoryId":1}' })
  await sandbox.faults.add({ match: { operationId: 'getPet' }, effect: { latency: '1h' } })
  await sandbox.namespace('late').clock.advance('1d')
  const late = call('/pets/1')
  const followed = await sandbox.fetch('/_sandbox/events')
  if (options.listen !== false) await overSocket(sandbox.baseUrl)
  await sandbox.close()
  await late
  await followed.text()
  return new WeakRef(sandbox)
}

/** Uses node:http, since the built-in fetch keeps memory for every origin that it has called. */
async function overSocket(baseUrl: string): Promise<void> {
  const headers = { authorization: 'Bearer psk_pro' }
  const send = (path: string) => request(`${baseUrl}${path}`, { headers, agent: false }).end()
  const [answer] = await once(send('/pets'), 'response')
  await text(answer)
  // It is never answered, and ends with the sandbox.
  send('/pets/1').on('error', () => {})
}

async function useSandboxes(from: number, to: number): Promise<WeakRef<object>[]> {
  const references: WeakRef<object>[] = []
  for (let nth = from; nth < to; nth++) {
    const options = nth % 3 === 0 ? { port: 0 } : { listen: false }
    references.push(
      await useSandbox(nth % 10 === 0 ? { ...options, db: join(folder, `${nth}.json`) } : options, nth),
    )
  }
  return references
}

async function settled() {
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    gc()
  }
  return {
    resources: process.getActiveResourcesInfo().sort(),
    listeners: process
      .eventNames()
      .map((name) => `${String(name)} ${process.listenerCount(name)}`)
      .sort(),
    heap: process.memoryUsage().heapUsed,
  }
}

await useSandboxes(0, 150)
const before = await settled()
const references = await useSandboxes(150, 350)
const after = await settled()
const alive = references.filter((reference) => reference.deref() !== undefined).length
rmSync(folder, { recursive: true })
process.stdout.write(JSON.stringify({ before, after, alive }))
