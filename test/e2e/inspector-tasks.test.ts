import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { replay } from '../../src/compose/replay.ts'
import { type Program, start, stopAll } from '../support/program.ts'
import { hasChromium, launchChromium } from './chromium.ts'

/** Tasks of a user of the inspector, without a mouse. */
describe.skipIf(!hasChromium)('the inspector by keyboard alone', () => {
  let browser: Browser
  let page: Page
  let program: Program

  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    const flags = ['--now', '2026-11-19T12:34:56Z', '--freeze', '--set', 'ban.enabled=false']
    program = await start(['--port', '0', '--memory', '--log', 'silent', '--limits', 'free=2/100', ...flags])
    await send('/pets', { key: 'psk_pro', test: 'adds a pet' })
    await send('/pets', { key: 'psk_pro', test: 'adds a pet', body: { name: 'Kit', categoryId: 1 } })
    for (let i = 0; i < 4; i++) await send('/pets', { key: 'psk_free', test: 'retries' })
    const context = await browser.newContext({
      viewport: { width: 1440, height: 860 },
      permissions: ['clipboard-read', 'clipboard-write'],
      acceptDownloads: true,
    })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(`${program.origin}/_sandbox/`)
    await page.locator('[data-row]').nth(2).waitFor()
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(`${page.url()}:\n${await page.innerText('body')}`)
    await page?.context().close()
    await stopAll()
  })

  const send = (path: string, { key, test, body }: { key: string; test?: string; body?: object }) =>
    fetch(program.baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(test && { baggage: `test.name=${encodeURIComponent(test)}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
      .then((response) => response.text())
      // The fault rule lost the answer.
      .catch(() => '')
  const control = async (path: string) => (await fetch(`${program.origin}/_sandbox${path}`)).json()
  const names = async () => (await control('/pets')).map(({ name }: { name: string }) => name)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** The accessible name of the focused element. */
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: element } = document
      const label = (element as HTMLInputElement | null)?.labels?.[0]?.textContent
      return (element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '').trim()
    })
  /** Presses Tab until an element of this name has the focus, which may still have to be read from the sandbox. */
  async function reach(name: string | RegExp): Promise<void> {
    const seen: string[] = []
    const until = Date.now() + 60_000
    while (Date.now() < until) {
      const now = await focused()
      if (typeof name === 'string' ? now === name : name.test(now)) return
      seen.push(now)
      await press('Tab')
    }
    expect.fail(
      `Tab does not reach ${name}; it reaches ${[...new Set(seen)].map((each) => each.slice(0, 30)).join(' | ')}`,
    )
  }
  /** Opens the row to which the keys move the focus. */
  async function openRow(...keys: string[]): Promise<void> {
    await press(...keys)
    await page.locator('[data-row]:focus').waitFor()
    await press('Enter')
  }
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor()

  it('shows why a request was refused', async () => {
    await openRow('j')
    await page
      .locator('.why', { hasText: 'The limit of 2 requests per minute of psk_free is used up' })
      .waitFor()
  })

  it('goes back to before a request, and undoes that', async () => {
    await press('/')
    await page.keyboard.type('method:POST')
    await openRow('Enter')
    await page.locator('.detail h2', { hasText: 'POST' }).waitFor()
    await reach('Rewind to before')
    await press('Enter')
    // The page receives the change a little later than the sandbox makes it.
    await see('Back before req_000002.')
    expect(await names()).not.toContain('Kit')
    await press('u')
    await expect.poll(names).toContain('Kit')
  })

  it('stores the next createPet and loses its answer', async () => {
    await reach('createPet: stored, answer lost')
    await press('Enter')
    await see('waits, 0 of 1')
    expect(await send('/pets', { key: 'psk_pro', body: { name: 'Ghost', categoryId: 1 } })).toBe('')
    expect(await names()).toContain('Ghost')
  })

  it('shows the requests of one test', async () => {
    await press('g', 'o')
    await reach('adds a pet')
    await press('Enter')
    await expect.poll(() => page.locator('[data-row]').count()).toBe(2)
  })

  it('copies a request as curl', async () => {
    await openRow('j')
    await reach('Copy as curl for bash, zsh, fish, or as …')
    await press('Enter')
    await expect.poll(copied).toMatch(/^curl .*\/v1\/pets/)
  })

  it('shows the keys that retried too early', async () => {
    await press('g', 'o')
    const early = page.getByRole('region', { name: 'Early retries' })
    // The clock is frozen: the retry came in the instant of the refusal.
    await early.getByRole('row', { name: 'psk_free 1 60.0 s' }).waitFor()
  })

  it('shows how the quota falls', async () => {
    await reach(/^Values:/)
    const values = page.locator(':focus')
    const attribute = (name: string) => values.getAttribute(name)
    // The timeline begins with the first request, at the latest ten seconds after it.
    for (const left of [/298 of 300/, /(299|300) of 300/]) {
      while (!left.test((await attribute('aria-valuetext')) ?? '')) {
        const last = await attribute('aria-valuenow')
        await press('ArrowLeft')
        // The next key would skip a value that is not drawn yet.
        await expect.poll(() => attribute('aria-valuenow')).not.toBe(last)
      }
    }
  })

  it('seeds 500 pets, and goes back', async () => {
    await press('g', 'p')
    await reach(/^Seed/)
    await press('Enter')
    await reach('Generate')
    await press('Enter')
    await see('500 pets')
    await press('u')
    await see('13 pets')
  })

  it('compares two snapshots', async () => {
    await fetch(`${program.origin}/_sandbox/snapshots/one`, { method: 'PUT' })
    await send('/pets', { key: 'psk_pro', body: { name: 'Later', categoryId: 1 } })
    await press('g', 'p')
    await see('1 saved: one')
    await reach('Compare')
    // Typed letters would select it only if they follow each other within a second.
    const chosen = () => page.evaluate(() => (document.activeElement as HTMLSelectElement).value)
    for (let i = 0; i < 5 && (await chosen()) !== 'snapshot:one'; i++) await press('ArrowDown')
    await see('1 added, 0 removed, 0 changed.')
  })

  it('saves a recording that replays', async () => {
    await reach('Save recording')
    const downloading = page.waitForEvent('download')
    await press('Enter')
    expect((await replay(await (await downloading).path())).difference).toBeUndefined()
    await see(/petstore-sandbox replay .*jsonl/)
  })

  it('shows the results of the gates', async () => {
    await press('g', 'o')
    await see('early-retry')
    await see('uncovered')
  })

  it('finds a pet by its name', async () => {
    await press('g', 'p')
    await press('/')
    await page.keyboard.type('kit')
    await see('1 pet found')
  })
})
