import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replay } from '../../src/compose/replay.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { CHROMIUM_FLAGS, chromiumPath, hasChromium } from './chromium.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

const CONFIG = `
import { defineConfig } from '@playwright/test'
export default defineConfig({
  // A busy machine needs longer than 30 s. What hangs is reported before the test around it ends.
  timeout: 300_000,
  workers: 1,
  reporter: [['line'], ['json', { outputFile: 'results.json' }]],
  use: {
    apiUrls: ['http://api.example.com/v1'],
    sandboxOptions: { fixture: 'empty', now: '2026-11-19T12:00:00Z', freeze: true },
    launchOptions: ${JSON.stringify({ executablePath: chromiumPath, args: CHROMIUM_FLAGS })},
  },
})
`

/** Helpers for the tests: open a page of any origin, and call the API from it. */
const PAGE = `
import { expect, test } from 'petstore-sandbox/playwright'
const open = async (page, url = 'http://localhost:7777/') => {
  await page.context().route('http://localhost:7777/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>app</h1>' }))
  await page.goto(url)
}
const call = (page, key, path = '/pets', url = 'http://api.example.com/v1') =>
  page.evaluate(async ([address, authorization]) => {
    const response = await fetch(address, authorization ? { headers: { authorization } } : {})
    return response.status + ' ' + (await response.text())
  }, [url + path, key && 'Bearer ' + key])
`

interface Outcome {
  readonly status: string
  readonly attachments: readonly { readonly name: string; readonly body?: string; readonly path?: string }[]
}

interface Spec {
  readonly title: string
  readonly tests: readonly { readonly results: readonly Outcome[] }[]
}

describe.skipIf(!hasChromium)('petstore-sandbox/playwright', () => {
  let workspace: Workspace
  let project: string
  beforeAll(() => {
    workspace = createWorkspace()
    project = workspace.project('playwright')
    writeFileSync(join(project, 'playwright.config.ts'), CONFIG)
    writeFileSync(join(project, 'cats.csv'), 'name,categoryId\nTom,2\nMia,2\n')
  })
  afterAll(() => workspace?.remove())

  /** Runs these tests; returns the result of each. */
  async function run(
    tests: string,
    env?: NodeJS.ProcessEnv,
  ): Promise<{ results: (Outcome & Pick<Spec, 'title'>)[]; text: string }> {
    writeFileSync(join(project, 'test/animals.spec.ts'), PAGE + tests)
    const { text } = await workspace.run(project, 'npx playwright test', env)
    const { suites } = JSON.parse(readFileSync(join(project, 'results.json'), 'utf8'))
    const specs: readonly Spec[] = [
      ...suites[0].specs,
      ...(suites[0].suites ?? []).flatMap((each: { specs: readonly Spec[] }) => each.specs),
    ]
    const results = specs.map(({ title, tests: [test] }) => ({ title, ...(test?.results.at(-1) as Outcome) }))
    return { results, text }
  }

  it('sends requests of the API, and no others, to its namespace, with a key of that namespace', async () => {
    const { results, text } = await run(`
test('keys', async ({ page, world, sandbox }) => {
  await open(page)
  for (const key of ['psk_free', 'my-key-of-production', 'psk_limited', 'psk_expired', world.key('business')])
    await call(page, key)
  expect(await call(page)).toContain('missing_api_key')
  expect((await world.requests())[0].test).toBe('keys')
  expect((await world.requests()).map(({ key, plan, status }) => [key, plan, status])).toEqual([
    ['psk_free', 'free', 200], ['psk_pro', 'pro', 200], ['psk_limited', 'free', 429], ['psk_expired', null, 401],
    ['psk_business', 'business', 200],
  ])
  await expect(world).toHaveReceived({ operationId: 'listPets', status: 200 }, { exactly: 3 })
  await expect(sandbox.namespace('default')).toHaveReceived({ status: 401 }, { exactly: 1 })
})
test('the address of the namespace, and the routes of a test', async ({ page, world, sandbox }) => {
  await page.goto(sandbox.origin + '/openapi.json')
  expect(await call(page, 'psk_pro', '/pets', world.baseUrl)).toBe('200 []')
  await page.route('**/v1/pets', (route) => route.fulfill({ status: 418, body: 'teapot' }))
  expect(await call(page, 'psk_pro')).toBe('418 teapot')
  await expect(world).toHaveReceived({}, { exactly: 1 })
})
test('requests to other addresses are unchanged', async ({ page, world }) => {
  await open(page)
  await page.route('http://other.example.com/**', async (route) =>
    route.fulfill({ body: String(await route.request().headerValue('authorization')), headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization' } }))
  expect(await call(page, 'psk_pro', '/v1/pets', 'http://other.example.com')).toBe('200 Bearer psk_pro')
  await expect(world).not.toHaveReceived({})
})
test('the clock of the page follows that of the namespace', async ({ page, world }) => {
  await open(page)
  expect(await page.evaluate(() => new Date().toISOString())).toMatch(/^2026-11-19T12:0/)
  await page.evaluate(() => { setTimeout(() => { document.title = 'rung' }, 60_000) })
  expect(await world.clock.advance('61s')).toEqual({ now: '2026-11-19T12:01:01.000Z', frozen: true })
  await expect(page).toHaveTitle('rung')
  await world.clock.set('2030-12-05T00:00:00Z')
  expect(await call(page, 'psk_pro', '/pets/1')).toContain('endpoint_removed')
  expect(await page.evaluate(() => new Date().getFullYear())).toBe(2030)
  await world.reset('clock')
  expect(await page.evaluate(() => new Date().toISOString())).toMatch(/^2026-11-19T12:0/)
  await world.clock.advance('2h')
  const { id } = (await world.history()).at(-1)!
  await world.rewind(id)
  expect(await page.evaluate(() => new Date().toISOString())).toMatch(/^2026-11-19T12:0/)
})
test('timers fire during a clock step, and once during a very long one', async ({ page, world }) => {
  await open(page)
  await page.evaluate(() => {
    let left = 60
    const tick = () => { document.title = 'retry in ' + left--; if (left >= 0) setTimeout(tick, 1000) }
    tick()
  })
  await world.clock.advance('45s')
  await expect(page).toHaveTitle(/^retry in 1[45]$/)
  await world.clock.advance('16s')
  await expect(page).toHaveTitle('retry in 0')
  await page.evaluate(() => { let days = 0; setInterval(() => { document.title = 'tick ' + ++days }, 1000) })
  await world.clock.advance('30d')
  await expect(page).toHaveTitle('tick 1')
})
test.describe('with a fixture of its own', () => {
  test.use({ fixture: './cats.csv' })
  test('starts with the pets of a file', async ({ page, world }) => {
    await open(page)
    expect(await call(page, 'psk_pro')).toContain('"name":"Tom"')
    expect(await world.seed({ fixture: 'cats.csv', mode: 'append' })).toEqual({ pets: 4 })
    expect(await world.seed({ fixture: 'sold-out' })).toEqual({ pets: 12 })
    await expect(world.seed({ fixture: 'dogs.csv' })).rejects.toThrow('is not a built-in fixture')
  })
})
test('an API elsewhere, and a wire fault', async ({ page, world }) => {
  await open(page)
  await world.faults.add({ effect: { wire: 'reset' }, times: 1 })
  await expect(call(page, 'psk_pro')).rejects.toThrow('Failed to fetch')
  expect(await call(page, 'psk_pro')).toBe('200 []')
})
test('service workers are blocked', async ({ page, context }) => {
  await page.route('**/sw.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  await open(page)
  await page.evaluate(() => navigator.serviceWorker.register('/sw.js')).catch(() => undefined)
  expect(context.serviceWorkers()).toEqual([])
})
`)
    expect(
      results.map(({ title, status }) => [title, status]),
      text,
    ).toEqual([
      ['keys', 'passed'],
      ['the address of the namespace, and the routes of a test', 'passed'],
      ['requests to other addresses are unchanged', 'passed'],
      ['the clock of the page follows that of the namespace', 'passed'],
      ['timers fire during a clock step, and once during a very long one', 'passed'],
      ['an API elsewhere, and a wire fault', 'passed'],
      ['service workers are blocked', 'passed'],
      ['starts with the pets of a file', 'passed'],
    ])
  })

  it('attaches the journal to a failed test, with its findings', async () => {
    const { results, text } = await run(`
test('an early retry', async ({ page, world }) => {
  await open(page)
  await call(page, 'psk_limited')
  await call(page, 'psk_limited')
  await expect(world).toHaveNoFindings('early-retry')
})
test('fine', async ({ page }) => {
  await open(page)
  await call(page, 'psk_pro')
})
`)
    expect(results.map(({ status }) => status)).toEqual(['failed', 'passed'])
    expect(text).toContain('found 1 early retry\n')
    const hars = results.map(({ attachments }) => attachments.find(({ name }) => name.endsWith('.har')))
    const { log } = JSON.parse(Buffer.from(hars[0]?.body ?? '', 'base64').toString())
    expect(log.entries.map(({ response }: { response: { status: number } }) => response.status)).toEqual([
      429, 429,
    ])
    expect(hars[1]).toBeUndefined()
    const recording = results[0]?.attachments.find(({ name }) => name.endsWith('.jsonl'))
    const file = join(project, /npx petstore-sandbox replay (test-results\/\S+)/.exec(text)?.[1] ?? '')
    expect(recording?.path).toBe(file)
    const { commands, difference } = await replay(file)
    expect(difference).toBeUndefined()
    expect(commands).toBeGreaterThanOrEqual(2)
  })

  it('uses the running sandbox, and leaves there only the namespaces of failed tests', async () => {
    await using sandbox = await createSandbox({ port: 0 })
    const url = new URL(sandbox.baseUrl).origin
    const { results, text } = await run(
      `
test('passes', async ({ page, sandbox }) => {
  expect(sandbox.origin).toBe('${url}')
  await open(page)
  expect((await call(page, 'psk_pro')).length).toBeGreaterThan(100)
})
test('fails', async ({ page }) => {
  await open(page)
  await call(page, 'psk_pro')
  expect(1).toBe(2)
})
`,
      { PETSTORE_SANDBOX_URL: url },
    )
    expect(
      results.map(({ status }) => status),
      text,
    ).toEqual(['passed', 'failed'])
    const namespaces = await (await fetch(`${url}/_sandbox/namespaces`)).json()
    const names = namespaces.map((each: { name?: string }) => each.name ?? each)
    expect(names).toEqual(['default', expect.stringMatching(/^fails-[0-9a-f]{12}-0-0$/)])
  })

  it('refuses an address of the running sandbox without a scheme', async () => {
    const { text } = await run("test('passes', ({ world }) => {})", {
      PETSTORE_SANDBOX_URL: 'localhost:4010',
    })
    expect(text).toContain(
      'PETSTORE_SANDBOX_URL: "localhost:4010" is not a valid base URL; use one such as http',
    )
  })
})
