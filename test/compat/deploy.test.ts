import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { hasChromium, launchChromium } from '../e2e/chromium.ts'
import { temporaryFolder } from '../support/folder.ts'
import { endOf, hasWorkerd, runWorkerd } from '../support/workerd.ts'
import { here } from './run.ts'

const folder = temporaryFolder()

it('writes only to new and empty folders', async () => {
  mkdirSync(join(folder, 'mine'))
  writeFileSync(join(folder, 'mine', 'worker.js'), 'mine')
  expect((await runCli(['deploy', 'cloudflare', "it's mine"], {}, folder)).out).toContain(
    "cd 'it'\\''s mine' && npx",
  )
  expect(await runCli(['deploy', 'cloudflare', 'mine'], {}, folder)).toMatchObject({
    code: 2,
    err: expect.stringContaining('The folder mine is not empty, and nothing is overwritten'),
  })
})

it('writes the settings that make it public', async () => {
  for (const [where, file, variable] of [
    ['cloudflare', 'wrangler.jsonc', '{ "PETSTORE_SANDBOX_PUBLIC": "true" }'],
    ['cluster', 'config.capnp', '(name = "PETSTORE_SANDBOX_PUBLIC", text = "true")'],
  ] as const) {
    expect(await runCli(['deploy', where, `open-${where}`, '--public'], {}, folder)).toMatchObject({
      code: 0,
    })
    expect(readFileSync(join(folder, `open-${where}`, file), 'utf8')).toContain(variable)
    await runCli(['deploy', where, `closed-${where}`], {}, folder)
    expect(readFileSync(join(folder, `closed-${where}`, file), 'utf8')).not.toContain(variable)
  }
})

describe.skipIf(!hasWorkerd)('on one machine', () => {
  let running: Awaited<ReturnType<typeof runWorkerd>>
  let origin: string
  beforeAll(async () => {
    const { code, out } = await runCli(['deploy', 'cluster'], {}, folder)
    expect([code, out]).toEqual([0, expect.stringContaining('config.capnp single')])
    const args = ['config.capnp', 'single', '--socket-addr', 'http=127.0.0.1:0']
    running = await runWorkerd(args, ['http'], {
      cwd: join(folder, 'petstore'),
      // Its configuration includes the cluster, which only the newer version supports.
      of: import.meta.url,
      env: { PETSTORE_SANDBOX_LIMITS: 'free=3/10' },
    })
    origin = `http://127.0.0.1:${running.ports.get('http')}`
  })
  afterAll(() => endOf(running.process, 'SIGKILL'))

  it('reads its environment variables', async () => {
    const response = await fetch(`${origin}/v1/pets`, { headers: { authorization: 'Bearer psk_free.w1' } })
    expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, '3'])
  })

  it.skipIf(!hasChromium)('serves the page, which shows new requests', async () => {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      const errors: string[] = []
      page.on('pageerror', ({ message }) => errors.push(message))
      await page.goto(`${origin}/_sandbox/`)
      await page.getByRole('heading').first().waitFor()
      await fetch(`${origin}/v1/pets/7`, { headers: { authorization: 'Bearer psk_pro' } })
      await page.getByText('/v1/pets/7').first().waitFor()
      await page.goto(`${origin}/_sandbox/#/requests?namespace=*`)
      await page.getByText('does not know the events and tests of the others').waitFor()
      await page.getByText('/v1/pets/7').first().waitFor()
      expect(errors).toEqual([])
    } finally {
      await browser.close()
    }
  })
})

it.skipIf(!hasWorkerd || !hasChromium)(
  'the page of a world in a public sandbox opens with its key',
  async () => {
    await runCli(['deploy', 'cluster', 'public', '--public'], {}, folder)
    const args = ['config.capnp', 'single', '--socket-addr', 'http=127.0.0.1:0']
    const cwd = join(folder, 'public')
    const { process, ports } = await runWorkerd(args, ['http'], { cwd, of: import.meta.url })
    const origin = `http://127.0.0.1:${ports.get('http')}`
    const browser = await launchChromium()
    try {
      const made = await fetch(`${origin}/_sandbox/worlds`, { method: 'POST' })
      const { key } = (await made.json()) as { key: string }
      await fetch(`${origin}/v1/pets/7`, { headers: { authorization: `Bearer ${key}` } })
      const page = await browser.newPage()
      await page.goto(`${origin}/_sandbox/`)
      await page.getByLabel('Control token').fill(key)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('/v1/pets/7').first().waitFor()
      await page.getByRole('button', { name: '+61 s' }).click()
      await page.getByText('Clock +61s.').waitFor()
    } finally {
      await browser.close()
      await endOf(process, 'SIGKILL')
    }
  },
)

it('writes a folder that wrangler accepts', async () => {
  expect(await runCli(['deploy', 'cloudflare', 'cloud'], {}, folder)).toMatchObject({ code: 0 })
  const wrangler = here('node_modules/wrangler/bin/wrangler.js')
  // wrangler needs a newer Node than the sandbox.
  const { status, stdout, stderr } = spawnSync(
    'npx',
    ['--yes', '--package=node@24', '--', 'node', wrangler, 'deploy', '--dry-run'],
    { cwd: join(folder, 'cloud'), env: { ...process.env, WRANGLER_SEND_METRICS: 'false' }, encoding: 'utf8' },
  )
  const text = stdout + stderr
  expect(text).toMatch(/env\.WORLD \(World\)/)
  expect(text).toMatch(/env\.ASSETS/)
  // wrangler only warns of unknown members.
  expect(text).not.toMatch(/WARNING|ERROR/)
  expect(status).toBe(0)
})
