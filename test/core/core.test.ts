import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { CoreOptions } from '../../src/compose/core.ts'
import { replay } from '../../src/compose/replay.ts'
import { createMemoryStore } from '../../src/world/memory-store.ts'
import { createCoreOfTheWeb } from '../support/bundled-core.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder()

const pro = { authorization: 'Bearer psk_pro' }
const free = { authorization: 'Bearer psk_free' }
const post = (headers: HeadersInit, name: string): RequestInit => ({
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify({ name, categoryId: 1 }),
})

it('its uptime is not negative after the clock of the machine was set back', async () => {
  let now = Date.now()
  const createCore = await createCoreOfTheWeb()
  const core = await createCore({ clock: () => now })
  onTestFinished(() => core.close())
  now -= 3_600_000
  expect(await (await core.fetch('/_sandbox/health')).json()).toMatchObject({ uptimeSeconds: 0 })
})

it('applies its past again, and its recording replays in Node', async () => {
  const createCore = await createCoreOfTheWeb()
  const core = await createCore({ seed: 7, now: '2026-11-19T12:34:56Z' })
  onTestFinished(() => core.close())
  const world = core.namespace()
  const sizes: number[] = []
  for (let n = 0; n < 150; n++) {
    await core.fetch('/v1/pets', n % 3 === 0 ? post(pro, `pet ${n}`) : { headers: free })
    if (n % 50 === 49) await world.clock.advance('61s')
    sizes.push((await world.export()).pets.length)
  }
  const points = (await world.requests({ limit: 1000 })).map(({ id }) => id)
  expect(points).toHaveLength(150)
  for (const n of [0, 63, 64, 101, 149])
    expect((await world.at(points[n] as string).export()).pets, points[n]).toHaveLength(sizes[n] as number)
  await world.rewind(points[100] as string)
  expect((await world.export()).pets).toHaveLength(sizes[99] as number)
  const file = join(folder, 'web.jsonl')
  writeFileSync(file, await (await core.fetch('/_sandbox/recording')).text())
  const { difference, compared } = await replay(file)
  expect({ difference, isWhole: compared > 150 }).toEqual({ difference: undefined, isWhole: true })
})

it('generates pets, reads overlays and serves its document as YAML', async () => {
  const createCore = await createCoreOfTheWeb()
  const text =
    'overlay: 1.0.0\nactions:\n  - target: $.info\n    update: { title: The Other Store }\n  - target: $.nowhere\n    update: {}\n'
  const warnings: string[] = []
  const core = await createCore({
    origin: 'https://try.example',
    overlays: [{ name: 'o.yaml', text }],
    warn: (warning) => warnings.push(warning),
  })
  onTestFinished(() => core.close())
  const { pets } = await core.namespace('w1').seed({ count: 5, seed: 42 })
  expect(pets).toBe(5)
  const yaml = await (await core.fetch('/openapi.yaml')).text()
  expect(yaml).toContain('title: The Other Store')
  expect(yaml).toContain('https://try.example/v1')
  expect(warnings).toEqual([expect.stringContaining('$.nowhere')])
})

it('names the functions that need Node', async () => {
  const createCore = await createCoreOfTheWeb()
  const core = await createCore()
  onTestFinished(() => core.close())
  const response = await core.fetch('/v1/pets', { headers: { ...pro, prefer: 'dynamic=true' } })
  expect(response.status).toBe(501)
  expect(await response.json()).toMatchObject({ message: expect.stringContaining('the core does not have') })
  const undeclared = await core.fetch('/v1/pets', { headers: { ...pro, prefer: 'code=302' } })
  expect(await undeclared.json()).toMatchObject({
    status: 400,
    message: expect.stringContaining('declares no 302'),
  })
  const ping = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"method":"ping"}' }
  const { paths } = await (await core.fetch('/_sandbox/openapi.json')).json()
  expect((await core.fetch('/_sandbox/mcp', ping)).status).toBe(501)
  expect(Object.keys(paths['/mcp'].post.responses)).toContain('501')
  await expect(createCore({ fixture: 'nope' })).rejects.toThrow('"nope" is not a fixture; use default')
})

const STORE = createMemoryStore()

const CIRCULAR: { self?: object } = {}
CIRCULAR.self = CIRCULAR

it.each([
  [{ clock: 5 as never }, 'Option clock: this is not a function'],
  [{ overlays: [null] as never }, 'Option overlays: this is not a list of overlays'],
  [{ store: {} as never }, 'Option store: this is not a store; give an object with found, connect,'],
  [{ store: { ...STORE, connect: 5 } as never }, 'Option store: this is not a store'],
  [{ store: { ...STORE, found: {} } as never }, 'Option store: this is not a store'],
  [{ store: { ...STORE, snapshots: {} } as never }, 'Option store: this is not a store'],
  [{ limits: new Map([['free', '6/100']]) as never }, 'Option limits: "{}" is not a valid pair'],
  [{ platform: 5 as never }, 'Option platform: this is not an object'],
  [{ platform: new Map() as never }, 'Option platform: this is not an object'],
  [{ port: 4010 } as CoreOptions, 'createCore: there is no option "port". Options: limits, decisions,'],
  [{ expire: '7d' } as CoreOptions, 'createCore: there is no option "expire"'],
  [{ fixture: '__proto__' }, '"__proto__" is not a fixture; use default, empty,'],
  [{ latency: CIRCULAR as never }, 'a value that contains itself or is nested too deeply'],
  [{ controlToken: 't', controlOrigins: CIRCULAR as never }, 'a value that contains itself or is nested too'],
  [
    { seed: CIRCULAR as never },
    'Option seed: a value that contains itself or is nested too deeply is not a valid',
  ],
  [{ origin: '' }, 'Option origin: "" is not a valid origin; use <scheme>://'],
  [{ origin: 'try.example' }, 'Option origin: "try.example" is not a valid origin; use <scheme>://'],
])('refuses the options %o', async (options, message) => {
  const createCore = await createCoreOfTheWeb()
  await expect(createCore(options)).rejects.toThrow(message)
})

it('does not answer after it is closed', async () => {
  const createCore = await createCoreOfTheWeb()
  const core = await createCore()
  await core.close()
  await expect(core.fetch('/v1/pets', { headers: pro })).rejects.toThrow('closed')
})

it('does not answer a request whose body ends after it is closed', async () => {
  const createCore = await createCoreOfTheWeb()
  const core = await createCore()
  let end = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      end = () => {
        controller.enqueue(new TextEncoder().encode('{"name":"Kit","categoryId":1}'))
        controller.close()
      }
    },
  })
  const init = { ...post(pro, ''), body, duplex: 'half' }
  const answered = core.fetch('/v1/pets', init)
  await core.close()
  end()
  await expect(answered).rejects.toThrow('closed')
})
