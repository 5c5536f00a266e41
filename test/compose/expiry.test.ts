import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Core, openCore } from '../../src/compose/core.ts'
import { startExpiry } from '../../src/compose/expiry.ts'
import { createSandbox } from '../../src/index.ts'
import { DAY, MINUTE } from '../../src/time/instant.ts'
import { type Request, requestWith } from '../../src/world/traffic/message.ts'
import { temporaryFolder } from '../support/folder.ts'

it('drops a namespace that was unused for that time, but never default; reads by the control API do not count as use', async () => {
  let now = Date.UTC(2026, 0, 1)
  let due: { readonly after: number; readonly act: () => unknown } | undefined
  const timer = (after: number, act: () => unknown) => {
    due = { after, act }
    return () => {
      due = undefined
    }
  }
  const { core, internals } = await openCore({ clock: () => now })
  const settings = { expire: 7 * DAY, controlToken: undefined }
  const stop = startExpiry(settings, internals.handle, internals, timer, () => now)
  const names = async (): Promise<string[]> => {
    now += due?.after ?? 0
    await due?.act()
    return internals.worlds.all().map(({ name }) => name)
  }
  const list = (key: string) => core.fetch('/v1/pets', { headers: { authorization: `Bearer ${key}` } })

  for (const name of ['w1', 'w2', 'w3']) await list(`psk_free.${name}`)
  expect(due?.after).toBe(MINUTE)
  now += 3 * DAY
  await list('psk_free.w2')
  await core.fetch('/_sandbox/clock?namespace=w3', { method: 'POST', body: '{"advance":"1s"}' })
  for (const path of ['requests?namespace=w1', 'export?namespace=w1', 'namespaces'])
    await core.fetch(`/_sandbox/${path}`)
  await list('not-a-key.w1')
  now += 4 * DAY - 2 * MINUTE
  expect(await names()).toEqual(['default', 'w1', 'w2', 'w3'])
  expect(await names()).toEqual(['default', 'w2', 'w3'])
  now += 3 * DAY
  expect(await names()).toEqual(['default'])
  stop()
  expect(due).toBeUndefined()
  await core.close()
})

/** A core with two namespaces that were unused for long, and what its next look for such ones does. */
async function withUnused(handled?: (core: Core, target: string) => Promise<unknown>) {
  let now = Date.UTC(2026, 0, 1)
  let act = (): unknown => undefined
  const timer = (_: number, given: () => unknown) => {
    act = given
    return () => {}
  }
  const { core, internals } = await openCore({ clock: () => now })
  for (const name of ['w1', 'w2']) await list(core, name)
  const handle = async (request: Request) => {
    const reply = await internals.handle(request)
    await handled?.(core, request.target)
    return reply
  }
  startExpiry({ expire: 7 * DAY, controlToken: undefined }, handle, internals, timer, () => now)
  now += 8 * DAY
  return { core, internals, look: () => act(), names: () => internals.worlds.all().map(({ name }) => name) }
}

const list = (core: Core, namespace: string) =>
  core.fetch('/v1/pets', { headers: { authorization: `Bearer psk_free.${namespace}` } })

it('keeps a namespace that gets a request while the control API is loaded for the drop', async () => {
  const { core, look, names } = await withUnused()
  const looked = look()
  await list(core, 'w1')
  await looked
  expect(names()).toEqual(['default', 'w1'])
  await core.close()
})

it('keeps a namespace that gets a request while another one is dropped', async () => {
  const { core, look, names } = await withUnused(async (core, target) => {
    if (target.endsWith('/w1')) await list(core, 'w2')
  })
  await look()
  expect(names()).toEqual(['default', 'w2'])
  await core.close()
})

it('keeps a namespace with a request that waits for the end of a rewind', async () => {
  const { core, internals, look, names } = await withUnused()
  const { timeline } = internals
  let end = () => {}
  const rewind = timeline.run(timeline.now(), () => new Promise<void>((resolve) => (end = resolve)), true)
  const waiting = list(core, 'w1')
  const looked = look()
  await internals.handle(requestWith('GET', '/_sandbox/health', ['Host', 'localhost']))
  end()
  await Promise.all([rewind, waiting, looked])
  expect(names()).toEqual(['default', 'w1', 'w2'])
  await look()
  expect(names()).toEqual(['default', 'w1'])
  await core.close()
})

it('goes on if the control API cannot be loaded', async () => {
  const { core, look, names } = await withUnused(() => Promise.reject(new Error('no such file')))
  await look()
  expect(names()).toEqual(['default', 'w1', 'w2'])
  await core.close()
})

const folder = temporaryFolder()

it('keeps a namespace that is answering a request', async () => {
  await using sandbox = await createSandbox({ expire: '1s', listen: false })
  const w1 = sandbox.namespace('w1')
  await w1.faults.add({ effect: { hold: { until: 'released' } } })
  const reply = sandbox.fetch('/v1/pets', { headers: { authorization: `Bearer ${w1.key()}` } })
  await new Promise((resolve) => setTimeout(resolve, 2500))
  const [hold] = await w1.holds.list()
  await w1.holds.release(hold?.id ?? '')
  expect((await reply).status).toBe(200)
})

it('drops its files too', async () => {
  const db = join(folder, 'db.json')
  const sandbox = await createSandbox({ db, expire: '1s', listen: false, controlToken: 'a-long-token' })
  const w1 = sandbox.namespace('w1')
  await w1.seed({ count: 3 })
  const files = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).join(' ')
  // On a busy machine it may have expired before they are looked for.
  const filesAfterUse = async () => {
    await w1.snapshots.save('mine')
    return files()
  }
  await expect.poll(filesAfterUse).toContain('mine')
  await expect.poll(files).not.toContain('mine')
  await sandbox.close()
  expect(existsSync(db) ? readFileSync(db, 'utf8') : '').not.toContain('w1')
})

it('refuses an invalid or too short duration', async () => {
  await expect(createSandbox({ expire: 'soon', listen: false })).rejects.toThrow(
    'Option expire: "soon" is not a valid duration',
  )
  await expect(createSandbox({ expire: '10ms', listen: false })).rejects.toThrow(
    'Option expire: "10ms" is too short; use 1s or more',
  )
})
