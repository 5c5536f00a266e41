import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { replay } from '../../src/compose/replay.ts'
import { runCli } from '../cli/run-cli.ts'
import { violationsOn as violations } from '../support/axe.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { freePort } from '../support/port.ts'
import { type Program, run, start, stopAll } from '../support/program.ts'
import { hasChromium, launchChromium } from './chromium.ts'

const MORE_ABOUT_PETS = `
overlay: 1.0.0
info: { title: More about a pet, version: 1.0.0 }
actions:
  - target: $.components.schemas['Pet','NewPet'].properties
    update:
      tags: { type: array, items: { type: string } }
      bornOn: { type: string, format: date }
  - target: $.components.schemas.PetStatus.enum
    update: adopted
  - target: $.paths['/pets/{petId}']
    update:
      patch: { operationId: updatePet, x-sandbox: update, responses: { "200": { description: The pet } } }
`

describe.skipIf(!hasChromium)('the inspector', () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let program: Program
  /** Unexpected errors: of scripts, of the content security policy, and requests to other hosts. */
  let wrong: string[] = []

  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(`${page.url()}:\n${await page.innerText('body')}`)
    await context?.close()
    await stopAll()
    expect(wrong).toEqual([])
  })

  async function open(hash = '', args: readonly string[] = [], options: object = {}): Promise<void> {
    program = await start(['--port', '0', '--memory', '--log', 'silent', ...args])
    await visit(hash, options)
  }

  async function visit(hash = '', options: object = {}): Promise<void> {
    wrong = []
    context = await browser.newContext({ viewport: { width: 1440, height: 860 }, ...options })
    page = await context.newPage()
    page.setDefaultTimeout(10_000)
    watch(page)
    await page.goto(`${program.origin}/_sandbox/${hash}`)
  }

  function watch(watched: Page): void {
    watched.on('pageerror', ({ message }) => wrong.push(message))
    watched.on('console', (message) => {
      // Chromium itself logs every refused or broken request.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        wrong.push(message.text())
    })
    watched.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(program.origin) && !/^(data|blob):/.test(url)) wrong.push(url)
    })
  }

  const api = (
    path: string,
    { key = 'psk_pro', body, test }: { key?: string; body?: unknown; test?: string } = {},
  ) =>
    fetch(program.baseUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(test && { baggage: `test.name=${encodeURIComponent(test)}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
      .then((response) => response.text())
      // A fault rule lost some of them.
      .catch(() => '')
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${program.origin}/_sandbox${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' })
  const row = (text: string | RegExp) => page.locator('[data-row]').filter({ hasText: text }).first()
  const rows = () => page.locator('[data-row]').allInnerTexts()
  const command = () => page.locator('.footer output')
  const pets = async () => (await control('GET', '/pets')).length
  const hash = () => new URL(page.url()).hash

  it('begins with a command to copy, and shows the list after the first request', async () => {
    await open()
    expect(await page.locator('.start code').last().textContent()).toBe(
      `curl ${program.baseUrl}/pets -H 'Authorization: Bearer psk_pro'`,
    )
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Copy')
    await api('/pets')
    await row('/v1/pets').waitFor()
    expect(await page.locator('.start').count()).toBe(0)
    await api('/pets')
    await row('× 2').click()
    // The numbers of all namespaces are read every few seconds.
    expect(await page.textContent('.namespace')).toContain('2 requests')
    await page.locator('.detail h2', { hasText: 'GET /v1/pets' }).waitFor()
    // The limits decide more than the type.
    const headers = await page.locator('.detail pre + .pairs dt').allInnerTexts()
    expect(headers.slice(0, 4).map((name) => name.slice(0, 12))).toEqual([
      ...['x-ratelimit-', 'x-ratelimit-', 'x-ratelimit-', 'content-type'],
    ])
  })

  it('shows why a list is refused, until when, and the error of the client', async () => {
    await open('', [
      ...['--limits', 'free=2/100', '--set', 'ban.enabled=false'],
      ...['--now', '2026-11-19T12:34:56Z', '--freeze'],
    ])
    for (let i = 0; i < 3; i++) await api('/pets', { key: 'psk_free' })
    await control('POST', '/clock', { advance: '22s' })
    await api('/pets?limit=20', { key: 'psk_free' })
    await row('38.0 s too early').click()
    const why = await page.locator('.why').textContent()
    expect(why).toContain('The limit of 2 requests per minute of psk_free is used up until 12:35:56 UTC.')
    expect(why).toContain('in 38 s')
    expect(hash()).toBe('#/requests/req_000004')
    expect(await page.title()).toBe(`429 GET /v1/pets · default · :${new URL(program.origin).port}`)
    await page.reload()
    await page.locator('.why').getByText('used up').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('too early')
  })

  it('shows the result of a held request and of a lost answer', async () => {
    await open()
    await page.getByRole('button', { name: 'createPet: stored, answer lost' }).click()
    await page.locator('.rules', { hasText: 'waits, 0 of 1' }).waitFor()
    await api('/pets', { body: { name: 'Ghost', categoryId: 1 } })
    await row('stored, answer lost').click()
    await page.locator('.why', { hasText: 'pet 13 was stored, then the fault rule' }).waitFor()
    await page.locator('.detail .pairs', { hasText: '12 → 13' }).waitFor()
    await control('POST', '/faults', {
      match: { operationId: 'listPets' },
      effect: { hold: { until: 'released' } },
      times: 1,
      for: '5m',
    })
    const held = api('/pets')
    await button('Release hold_1').waitFor()
    await api('/pets?limit=1')
    await button('Release hold_1').click()
    expect(JSON.parse(await held)).toHaveLength(13)
    await page.locator('.row.request', { hasText: 'held' }).click()
    await page.locator('.why', { hasText: 'until it was released' }).waitFor()
    // It stands where it was received, as the times of the rows say.
    expect((await rows()).slice(0, 2).join()).toMatch(/limit=1[\s\S]*held/)
  })

  it('goes back to before a request and undoes that; the list stays the same', async () => {
    await open()
    await api('/pets?limit=1')
    await api('/pets', { body: { name: 'Second', categoryId: 2 } })
    await row('201').waitFor()
    const before = await rows()
    await page.locator('[data-row]').first().click()
    await button('Rewind to before').focus()
    await page.keyboard.down('Enter')
    await page.getByText('Back before req_000002.').waitFor()
    await page.locator('.notice .primary:focus').waitFor()
    // The key is held a little longer.
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await page.waitForTimeout(200)
    expect(await pets()).toBe(12)
    await page.locator('.mark', { hasText: 'undone' }).waitFor()
    expect(hash()).toContain('branch=branch_1')
    expect(await page.locator('.row.pale').count()).toBe(1)
    expect(await page.locator('.row.pale').getAttribute('data-command')).toContain('--undo --branch branch_1')
    // A link from before the rewind.
    await page.evaluate(() => {
      location.hash = '#/requests/req_000002'
    })
    await page.locator('.mark', { hasText: 'undone' }).waitFor()
    await page.getByText('replay default.jsonl --until req_000001 --port 4011').waitFor()
    await page.locator('.notice').getByText('Fork ▾').waitFor()
    await page.keyboard.press('u')
    await expect.poll(pets).toBe(13)
    await page.getByText('The rewind to before req_000002 is undone.').waitFor()
    await page.locator('.notice .primary:focus').waitFor()
    await page.keyboard.press('u')
    await page.getByText('Back before req_000002.').waitFor()
    expect(await pets()).toBe(12)
    await page.keyboard.press('u')
    await expect.poll(pets).toBe(13)
    await page.keyboard.press('Escape')
    await expect.poll(async () => (await rows()).join('\n')).toBe(before.join('\n'))
    // After a control call, no request names the point.
    await control('POST', '/clock', { advance: '1d' })
    await api('/pets?limit=2')
    await row('limit=2').click()
    await button('Rewind to before').click()
    await page.getByText('replay default.jsonl --port 4011').waitFor()
  })

  it('rewinds from all namespaces to the one that it changes, with the undo', async () => {
    await open('#/requests/req_000001?namespace=*&of=default')
    await api('/pets')
    await button('Rewind to before').click()
    await page.getByText('Back before req_000001.').waitFor()
    expect(hash()).not.toContain('namespace')
  })

  it('shows the state of default before a request, if all are shown', async () => {
    await open()
    for (const key of ['psk_pro', 'psk_pro.w1', 'psk_pro', 'psk_pro.w1', 'psk_pro', 'psk_pro.w1'])
      await api('/pets', { key })
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=*&at=req_000002`)
    await page.locator('.notice', { hasText: '2 requests came later' }).waitFor()
    expect(await page.locator('[data-row].pale').count()).toBe(2)
    await page.goto(`${program.origin}/_sandbox/#/report?namespace=*&at=req_000002`)
    await page.locator('.sheet', { hasText: 'By test 1 request,' }).waitFor()
    await page.getByRole('link', { name: 'no test' }).click()
    await page.locator('.bar .amount', { hasText: '1 of 1 request, 2 later' }).waitFor()
    expect(hash()).toBe('#/requests?filter=test:none&at=req_000002')
  })

  it('shows no rule of another namespace, also if the rules are read slowly', async () => {
    await open()
    const rule = { match: { operationId: 'getPet' }, effect: { status: 503 } }
    await control('POST', '/faults', rule)
    await button('Remove fault_1').waitFor()
    const releases = new Map<string, () => void>()
    await page.route(/_sandbox\/faults/, async (route) => {
      await new Promise<void>((resolve) => releases.set(route.request().url(), resolve))
      await route.continue()
    })
    const isAsked = (name: string) => () => [...releases.keys()].some((url) => url.includes(`=${name}`))
    await control('POST', '/faults', rule)
    await expect.poll(isAsked('default')).toBe(true)
    await page.evaluate(() => {
      location.hash = '#/requests?namespace=w1'
    })
    await page.getByText('There is no namespace w1.').waitFor()
    expect(await button(/^Remove/).count()).toBe(0)
    for (const release of releases.values()) release()
    await expect.poll(isAsked('w1')).toBe(true)
    expect(await button(/^Remove/).count()).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('the second click of a double click meets nothing that the first one has moved there', async () => {
    await open()
    for (let i = 0; i < 3; i++) await control('POST', '/faults', { effect: { status: 503 } })
    await button('Remove fault_1').hover()
    for (const clickCount of [1, 2]) {
      await page.mouse.down({ clickCount })
      await page.mouse.up({ clickCount })
      await button('Remove fault_1').waitFor({ state: 'detached' })
    }
    await page.waitForTimeout(200)
    expect(await control('GET', '/faults')).toHaveLength(2)
    await control('DELETE', '/faults')
    for (let i = 0; i < 30; i++) await api(`/pets?limit=${i + 1}`)
    for (let i = 1; i <= 8; i++) await api('/pets', { key: `psk_pro.w${i}` })
    await row('limit=30').waitFor()
    await page.locator('.namespace').click()
    await button('Drop w8').click()
    await button('Yes, drop w8').dblclick()
    await expect.poll(async () => (await control('GET', '/namespaces')).length).toBe(8)
    expect(hash()).toBe('')
    await row('limit=30').click()
    await page.locator('.detail').waitFor()
    for (let i = 0; i < 64; i++) await api('/pets', { key: 'psk_free' })
    const { id } = (await control('GET', '/requests')).at(-1)
    await page.goto(`${program.origin}/_sandbox/#/requests/${id}`)
    await page.getByRole('link', { name: 'previous' }).hover()
    // Fast steps are steps.
    for (const [index, text] of ['2nd of 3', '1st of 3'].entries()) {
      await page.mouse.down({ clickCount: index + 1 })
      await page.mouse.up({ clickCount: index + 1 })
      await page.locator('.siblings', { hasText: text }).waitFor()
    }
  })

  it('says why there is no report', async () => {
    await open()
    const refused = { status: 503, contentType: 'application/json', body: '{"message":"No report now."}' }
    await page.route('**/report*', (route) => route.fulfill(refused))
    await page.goto(`${program.origin}/_sandbox/#/report`)
    await page.getByRole('alert').filter({ hasText: 'No report now.' }).waitFor()
    expect(await page.getByText('Reading the report.').count()).toBe(0)
    await page.unroute('**/report*')
    await api('/pets')
    await page.locator('.sheet', { hasText: 'By test 1 request,' }).waitFor()
    // The report that is shown stays.
    await page.route('**/report*', (route) => route.fulfill(refused))
    const isRefused = page.waitForResponse(/report/)
    await api('/pets')
    await isRefused
    await page.waitForTimeout(200)
    expect(await page.locator('.sheet').count()).toBe(1)
  })

  it('is printed as long as it is: the report, and the open request', async () => {
    await open('#/report')
    for (let i = 0; i < 60; i++) await api(`/pets?limit=${i + 1}`, { test: `test ${i}` })
    await page.getByRole('link', { name: 'test 59', exact: true }).waitFor()
    await page.emulateMedia({ media: 'print' })
    const isCut = (each: Element) => each.scrollHeight > each.clientHeight
    expect(await page.locator('.sheet').evaluate(isCut)).toBe(false)
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(1500)
    await page.goto(`${program.origin}/_sandbox/#/requests/req_000001`)
    await page.locator('.detail h2').waitFor()
    expect((await page.locator('.detail').boundingBox())?.width).toBe(1440)
    for (const hidden of ['.head', '.instruments', '.footer', '.list', '.detail .actions .b'])
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
  })

  it('shows no request of a dropped namespace that has as many again, if all are shown', async () => {
    await open('#/requests?namespace=*')
    const send = async (count: number) => {
      for (let i = 0; i < count; i++) await api('/pets', { key: 'psk_pro.w1' })
    }
    await send(3)
    await page.locator('.amount', { hasText: /^3 requests/ }).waitFor()
    await control('DELETE', '/namespaces/w1')
    await send(4)
    await page.locator('.amount', { hasText: /^4 requests/ }).waitFor({ timeout: 20_000 })
  })

  it('forgets the requests of a dropped namespace also if the journal of another is full', async () => {
    await open('#/requests?namespace=*', ['--limits', 'pro=unlimited/unlimited'])
    for (let i = 0; i < 3; i++) await api('/pets', { key: 'psk_pro.w1' })
    await page.locator('.amount', { hasText: /^3 requests/ }).waitFor()
    for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 20 }, () => api('/pets?limit=1')))
    await page.locator('.amount', { hasText: /^1,003 requests/ }).waitFor({ timeout: 20_000 })
    await control('DELETE', '/namespaces/w1')
    await page.locator('.amount', { hasText: /^1,000 requests/ }).waitFor({ timeout: 20_000 })
  })

  it('shows the namespace of each request at every width, if all are shown', async () => {
    await open('#/requests?namespace=*')
    await api('/pets/1', { key: 'unknown' })
    await api('/pets')
    await row('200').waitFor()
    expect(await page.title()).toContain('· all ·')
    const endsOf = (all: Element[]) => new Set(all.map((each) => each.getBoundingClientRect().right)).size
    for (const width of [1280, 900, 720, 620, 390, 320]) {
      await page.setViewportSize({ width, height: 700 })
      await expect.poll(() => row('200').locator('.of').isVisible(), { message: `${width}` }).toBe(true)
      expect(await page.locator('.row.request .status').evaluateAll(endsOf), `${width}`).toBe(1)
    }
    // Beside the longest finding, at 320 pixels.
    for (let i = 0; i < 2; i++)
      await api('/pets', { key: 'psk_pro.checkout-1', body: { name: 'Kit', categoryId: 1 } })
    const name = row('possible duplicate').locator('.of')
    await name.waitFor()
    expect(await name.evaluate((each) => each.scrollWidth > each.clientWidth)).toBe(false)
  })

  it('a namespace that is made is nothing to undo', async () => {
    await open('#/requests?namespace=new-one')
    await button('Make it').click()
    await page.getByText('There is no namespace').waitFor({ state: 'detached' })
    await row('reset limits').waitFor()
    expect(await page.getByRole('region', { name: 'Undo' }).count()).toBe(0)
  })

  it('offers the undo of a seed, if all are shown', async () => {
    await open('#/pets?namespace=*')
    await page.locator('summary', { hasText: 'Seed' }).click()
    await button('Generate').click()
    await page.locator('.notice', { hasText: 'seeded 500 pets' }).waitFor()
    expect(hash()).toBe('#/pets')
    await page.keyboard.press('u')
    await page.getByText('12 pets', { exact: true }).waitFor()
  })

  it('stays at a point that was selected right after an action with all namespaces shown', async () => {
    await open('#/pets?namespace=*')
    await api('/pets', { key: 'psk_pro.w1' })
    await page.locator('summary', { hasText: 'Snapshots' }).click()
    await button('Save').click()
    await page.getByText('1 saved: before').waitFor()
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=w1&at=req_000001`)
    await row('/v1/pets').waitFor()
    await control('POST', '/clock?namespace=w1', { advance: '1s' })
    await page.getByText('1 request and 1 control call came later').waitFor()
    expect(hash()).toBe('#/requests?namespace=w1&at=req_000001')
  })

  it('sends a form once if Enter is pressed twice', async () => {
    await open('#/pets')
    await page.locator('summary', { hasText: 'Add a pet' }).click()
    const form = page.locator('.fold', { hasText: 'Add a pet' })
    for (const name of ['Kit', 'Rex']) {
      await form.getByLabel('name', { exact: true }).fill(name)
      for (let times = 0; times < 2; times++) await page.keyboard.press('Enter')
    }
    await page.locator('.notice', { hasText: 'added 1 pet' }).waitFor()
    await page.waitForTimeout(200)
    expect(await pets()).toBe(14)
  })

  it('refuses an empty instant for the clock, and shows no other command', async () => {
    await open()
    // The fields of forms come with the rules.
    await button('createPet: stored, answer lost').waitFor()
    await button('More ▾').click()
    await page.locator('.menu input:focus').fill('')
    await button('Set the clock').focus()
    await expect.poll(() => command().textContent()).toContain("clock set ''")
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'not ""' }).waitFor()
  })

  it('undoes a call with the requests that were answered after it', async () => {
    await open()
    await control('POST', '/faults', { effect: { hold: { until: 'released' } }, times: 1 })
    const held = api('/pets', { body: { name: 'Kit', categoryId: 1 } })
    await button('Release hold_1').waitFor()
    await button('+61 s').click()
    await button('Release hold_1').click()
    await held
    await button('Rewind to before it, 1 request too u').waitFor()
  })

  it('an expired rule does not wait', async () => {
    await open()
    await control('POST', '/faults', { effect: { status: 503 }, for: '1s' })
    await page.getByText('1 spent.').waitFor()
  })

  it('a ban that is over is not shown, and a key that has expired is not issued any more', async () => {
    await open('#/limits?key=psk_free')
    await page.locator('.live').waitFor()
    const soon = new Date(Date.now() + 4000).toISOString()
    await control('POST', '/keys', { plan: 'pro', expiresAt: soon })
    await control('PUT', '/keys/psk_free/ban', { seconds: 4 })
    await page.locator('.keys', { hasText: 'banned until' }).getByText('issued, expires in').waitFor()
    await page
      .locator('.keys', { hasNotText: 'banned until' })
      .getByText(/^expired \d+ \w+ 2/)
      .waitFor()
    await page.locator('.instruments', { hasNotText: 'Lift ban' }).waitFor()
  })

  it('requests have the present names of their keys', async () => {
    await open('#/requests?namespace=w1')
    const { key } = await control('POST', '/keys?namespace=w1', { plan: 'free' })
    await api('/pets', { key })
    await row('free #1').waitFor()
    await page.locator('.instruments .gauge', { hasText: 'free #1' }).waitFor()
    // Keys of default are counted first.
    await control('POST', '/keys', { plan: 'free' })
    await api('/pets', { key })
    await row(/× 2.*free #2/s).waitFor()
    await page
      .locator('.instruments', { hasNotText: 'free #1' })
      .locator('.gauge', { hasText: 'free #2' })
      .waitFor()
  })

  it('a paused list counts what came since, also after a rewind', async () => {
    await open()
    for (let sent = 0; sent < 3; sent++) await api('/pets')
    await page.locator('.bar .amount', { hasText: '3 requests' }).waitFor()
    await button('Pause').click()
    await api('/pets?limit=2')
    await button('Paused, 1 since').waitFor()
    await control('POST', '/rewind', { to: 'req_000001' })
    await button('Paused, 0 since').waitFor()
  })

  it('a refusal stays while other clients change the pets', async () => {
    await open('#/pets')
    await page.locator('summary', { hasText: 'Add a pet' }).click()
    const form = page.locator('.fold', { hasText: 'Add a pet' })
    await form.getByLabel('name', { exact: true }).fill('Kit')
    await form.getByLabel('categoryId').fill('zz')
    await button('Add').click()
    await page.getByRole('alert').waitFor()
    const read = page.waitForResponse((response) => response.url().includes('/_sandbox/pets'))
    await api('/pets', { body: { name: 'Rex', categoryId: 1 } })
    await read
    await page.waitForTimeout(100)
    expect(await page.getByRole('alert').count()).toBe(1)
  })

  it('undoes the rewind with u, however soon it is pressed', async () => {
    await open()
    await button('+1 day').click()
    await row('clock +1d').waitFor()
    await api('/pets')
    await row('/v1/pets').click()
    await page.route('**/rewind*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue()
    })
    await button('Rewind to before').dblclick()
    await page.keyboard.press('u')
    await page.getByText('The rewind to before req_000001 is undone.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await control('GET', '/history')).toHaveLength(2)
  })

  it('compares the last states, also if an earlier answer comes later', async () => {
    await open('#/pets?compare=start..now')
    await page.getByText('0 added, 0 removed, 0 changed.').waitFor()
    let isHeld = true
    let isFetched = false
    await page.route('**/diff*', async (route) => {
      const response = await route.fetch()
      const isEarlier = (await response.json()).added.count === 1
      isFetched ||= isEarlier
      while (isHeld && isEarlier) await page.waitForTimeout(50)
      await route.fulfill({ response })
    })
    await api('/pets', { body: { name: 'Kit', categoryId: 1 } })
    await expect.poll(() => isFetched).toBe(true)
    await control('POST', '/seed', { count: 30, mode: 'append' })
    await page.getByText('31 added, 0 removed, 0 changed.').waitFor()
    const isAnswered = page.waitForResponse('**/diff*')
    isHeld = false
    await isAnswered
    await page.waitForTimeout(200)
    expect(await page.getByText('31 added, 0 removed, 0 changed.').count()).toBe(1)
  })

  it('seeds 500 pets and goes back, by mouse and by keyboard', async () => {
    await open('#/pets')
    await page.getByText('12 pets', { exact: true }).waitFor()
    await page.locator('summary', { hasText: 'Seed' }).click()
    await page.getByLabel('status sold').fill('1')
    await button('Generate').click()
    await page.getByText('500 pets', { exact: true }).waitFor()
    await button('sold 500').waitFor()
    await page.locator('.notice', { hasText: 'seeded 500 pets' }).waitFor()
    await button(/^Undo/).click()
    await page.getByText('12 pets', { exact: true }).waitFor()
    await page.getByLabel('count', { exact: true }).fill('7')
    await page.keyboard.press('Enter')
    await page.getByText('7 pets', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Compare' }).click()
    await page.keyboard.press('u')
    await page.getByText('12 pets', { exact: true }).waitFor()
    await page.locator('summary', { hasText: 'Reset' }).click()
    await page.getByLabel('pets', { exact: true }).uncheck()
    await page.getByLabel('limits', { exact: true }).check()
    await page.getByLabel('bans', { exact: true }).check()
    await button('Reset').click()
    await page.locator('.notice', { hasText: 'reset limits, bans' }).waitFor()
    await page.locator('summary', { hasText: 'Seed' }).click()
    for (const [text, refusal] of [
      ['1e3', 'count must be an integer'],
      ['', 'fixture, pets'],
    ] as const) {
      await page.getByLabel('count', { exact: true }).fill(text)
      await page.keyboard.press('Enter')
      await page.getByRole('alert').filter({ hasText: refusal }).waitFor()
    }
    expect(await pets()).toBe(12)
    await button('+61 s').click()
    await page.locator('.notice', { hasText: '61s' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('shows the equivalent command of each control; y copies it, and it works', async () => {
    await open('', ['--now', '2026-11-19T12:34:56Z', '--freeze'], {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const url = `--url ${program.origin}`
    await expect.poll(() => command().textContent()).toContain('curl ')
    await button('+61 s').hover()
    const line = `petstore-sandbox clock advance 61s ${url}`
    expect(await command().textContent()).toBe(line)
    await page.keyboard.press('y')
    await page.getByText('copied').first().waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(line)
    await run(line.split(' ').slice(1))
    await page.locator('.time', { hasText: '12:35:57' }).waitFor()
    await button('+61 s').click()
    await page.locator('.time', { hasText: '12:36:58' }).waitFor()
    await api('/pets')
    await row('/v1/pets').hover()
    expect(await command().textContent()).toBe(`petstore-sandbox rewind req_000001 ${url}`)
    await page.getByRole('link', { name: 'Report' }).hover()
    expect(await command().textContent()).toBe(`petstore-sandbox report ${url}`)
    await row('clock +61s').hover()
    expect(await command().textContent()).toBe(`petstore-sandbox clock advance 61s ${url}`)
    // The button and its command line have disappeared.
    await button('Clear').click()
    await page.mouse.move(700, 600)
    await page.keyboard.press('y')
    await page.getByText('copied').first().waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await command().textContent())
  })

  it('shows only commands of the command line', async () => {
    await open()
    await api('/pets', { body: { name: 'Kit', categoryId: 1 }, test: 'adds a pet' })
    await control('POST', '/clock', { advance: '1d' })
    await control('POST', '/faults', { effect: { status: 503 }, times: 9 })
    const lines = new Set<string>()
    const at = '?at=req_000001'
    for (const place of [
      ...['requests', 'requests/req_000001', 'requests/ctl_000001', 'pets', 'limits', 'report', 'connect'],
      ...[`requests${at}`, `pets${at}`, `limits${at}`, `report${at}`],
      ...['requests?filter=status:429 status:4xx key:psk_free method:get kit', 'pets?q=ki&status=sold'],
    ]) {
      await page.goto('about:blank')
      await page.goto(`${program.origin}/_sandbox/#/${place}`)
      await page.locator('.live').waitFor()
      await page.waitForTimeout(300)
      const shown = await page
        .locator('[data-command]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('data-command') ?? ''))
      for (const line of [...shown, (await command().textContent()) ?? '']) lines.add(line)
    }
    const known = [...lines]
      .flatMap((line) => line.split(' && '))
      .filter((line) => /^petstore-sandbox (?!exec)/.test(line))
    expect(known.length).toBeGreaterThan(40)
    const words = known.map((line) =>
      execFileSync('bash', ['-c', `printf '%s\\n' ${line.replace(/ > \S+$/, '')}`], { encoding: 'utf8' })
        .trimEnd()
        .split('\n')
        .slice(1),
    )
    const wrong: string[] = []
    for (const args of words) {
      const { code, err } = await runCli(
        args.map((word) => (word === program.origin ? 'http://localhost:1' : word)),
      )
      if (code !== 1 || !err.includes('No sandbox answers')) wrong.push(`${args.join(' ')}: ${err}`)
    }
    expect(wrong).toEqual([])
  }, 120_000)

  it('copies a request for each shell, and the copy runs', async () => {
    await open('', [], { permissions: ['clipboard-read', 'clipboard-write'] })
    await api('/pets', { body: { name: `O'Malley $(id) \\ "`, categoryId: 1 } })
    await row('201').click()
    for (const [name, shell] of [
      ['curl for bash and zsh', 'bash'],
      ['curl for fish', 'fish'],
    ] as const) {
      await button('Copy ▾').click()
      await button(name).click()
      const line = await page.evaluate(() => navigator.clipboard.readText())
      await promisify(execFile)(shell, ['-c', line]).catch(() => {})
    }
    const names = (await control('GET', '/pets')).map(({ name }: { name: string }) => name)
    expect(names.slice(12)).toEqual(Array(names.length - 12).fill(`O'Malley $(id) \\ "`))
    expect(names.length).toBeGreaterThan(13)
  })

  it('sends a request again: now, edited, and in a copy of the earlier state', async () => {
    await open()
    await api('/pets', { body: { name: 'First', categoryId: 1 } })
    await row('201').click()
    await button('Send again ▾').click()
    await button('Now').click()
    await page.locator('.why', { hasText: 'possible duplicate of req_000001' }).waitFor()
    await button('Send again ▾').click()
    await button('Edited…').click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('label')?.textContent))
      .toBe('method')
    await page.getByLabel('Body').fill('{"name":7}')
    await button('Send edited').click()
    await page.locator('.why.warn', { hasText: '400' }).waitFor()
    // The form has the focus before the next key, and does not take it back.
    const focusAfterEdit = await page.evaluate(async () => {
      const buttons = [...document.querySelectorAll<HTMLElement>('.detail [data-done] button')]
      buttons.find(({ textContent }) => textContent === 'Edited…')?.click()
      await Promise.resolve()
      const first = document.activeElement?.closest('label')?.textContent
      document.getElementById('filter')?.focus()
      await new Promise((resolve) => setTimeout(resolve, 300))
      return [first, document.activeElement?.id]
    })
    expect(focusAfterEdit).toEqual(['method', 'filter'])
    // It is not opened where another row was opened meanwhile.
    await page.route('**/resend*', async (route) => {
      await row(/400/).click()
      await route.continue()
    })
    await row('201').click()
    await button('Send again ▾').click()
    await button('Now').click()
    await expect.poll(pets).toBe(15)
    await page.waitForTimeout(500)
    expect(hash()).toBe('#/requests/req_000003')
    await page.unroute('**/resend*')
    await page.goto(`${program.origin}/_sandbox/#/requests/req_000001`)
    await button('Send again ▾').click()
    await button('In a copy of the state before, w2').hover()
    expect(await command().textContent()).toMatch(/fork w2 --at req_000001 --side before .* && .* --into w2/)
    await button('In a copy of the state before, w2').click()
    await expect.poll(hash).toBe('#/requests/req_000001?namespace=w2')
    expect(await control('GET', '/pets?namespace=w2')).toHaveLength(13)
    expect(await pets()).toBe(15)
    await control('POST', '/rewind', { to: 'req_000001' })
    await page.goto(`${program.origin}/_sandbox/`)
    await button('Send it again').hover()
    expect(await command().textContent()).toContain('requests --resend req_000001 --branch branch_1')
    await button('Send it again').click()
    await page.locator('.why', { hasText: '201' }).waitFor()
    expect(await pets()).toBe(13)
  })

  it('can be used by keyboard alone: rows, runs, filter, views', async () => {
    await open()
    await api('/pets?limit=1')
    for (let i = 0; i < 3; i++) await api('/pets?limit=2')
    await row('× 3').waitFor()
    await page.keyboard.press('j')
    await page.locator('[data-row]:focus', { hasText: '× 3' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('.row.inner').nth(2).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.row.inner').first().waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await page.locator('[data-row]:focus', { hasText: 'limit=1' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.detail h2', { hasText: 'limit=1' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.detail').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('colour:red')
    await page.getByText('no field colour; fields are status').waitFor()
    await page.getByText('No request matches').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('#filter').inputValue()).toBe('')
    expect(hash()).toBe('#/requests')
    await row('limit=1').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Connect' }).focus()
    for (const [key, view] of [
      ['p', 'pets'],
      ['l', 'limits'],
      ['o', 'report'],
      ['c', 'connect'],
      ['r', 'requests'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.locator(`nav a[aria-current]`, { hasText: new RegExp(view, 'i') }).waitFor()
      await page.locator('main:focus').waitFor()
    }
    // Keys of one frame, as when a row is opened without looking for it.
    await page.evaluate(() => {
      for (const key of ['j', 'Enter'])
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    })
    await page.locator('.detail h2').waitFor()
    await page.keyboard.press('Escape')
    // The field has the focus before the next key, and does not take it back from a later one: a timer can come last.
    const focusAfterSearch = await page.evaluate(async () => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))
      await Promise.resolve()
      const first = document.activeElement?.id
      document.getElementById('main')?.focus()
      await new Promise((resolve) => setTimeout(resolve, 20))
      return [first, document.activeElement?.id]
    })
    expect(focusAfterSearch).toEqual(['filter', 'main'])
    // So has the field of a menu.
    const isChosen = await page.evaluate(() => {
      for (const key of ['g', 'n'])
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      return document.activeElement?.matches('.chooser input')
    })
    expect(isChosen).toBe(true)
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The list is one tab stop.
    expect(await page.locator('.list table [tabindex="0"]').count()).toBe(1)
  })

  it.each([
    ['Remove fault_1', { status: 503 }, /DELETE .*faults/],
    ['Release hold_1', { hold: { until: 'released' } }, /POST .*release/],
  ])('a double click on %s shows no refusal', async (name, effect, call) => {
    await open()
    await control('POST', '/faults', { match: { operationId: 'getPet' }, effect, times: 1 })
    if ('hold' in effect) void api('/pets/1')
    let answered = 0
    page.on('response', (response) => {
      if (call.test(`${response.request().method()} ${response.url()}`)) answered++
    })
    await button(name).dblclick()
    await button(name).waitFor({ state: 'detached' })
    await expect.poll(() => answered).toBe(2)
    expect(await page.getByRole('alert').allTextContents()).toEqual([])
  })

  it('keeps the focus in the page if the element that has it disappears', async () => {
    await open()
    await control('POST', '/faults', { match: { operationId: 'getPet' }, effect: { status: 503 } })
    await api('/pets')
    const press = async (element: Locator) => {
      await element.focus()
      await page.keyboard.press('Enter')
    }
    await page.goto(`${program.origin}/_sandbox/#/report`)
    await press(page.getByRole('link', { name: 'no test' }))
    await page.locator('main:focus').waitFor()
    expect(hash()).toBe('#/requests?filter=test:none')
    await press(button('Remove fault_1'))
    await page.locator('button:focus', { hasText: 'Undo' }).waitFor()
    // At an earlier state, it is disabled.
    await button('+61 s').focus()
    await page.keyboard.press('[')
    await page.locator('main:focus').waitFor()
    await page.keyboard.press('Escape')
    await row('/v1/pets').click()
    await press(button('Close Esc'))
    await page.locator('[data-row]:focus', { hasText: '/v1/pets' }).waitFor()
    await page.goto(`${program.origin}/_sandbox/#/limits`)
    await press(button('Revoke: psk_free'))
    await button('Revoke: psk_free').waitFor({ state: 'detached' })
    await page.locator('button:focus', { hasText: 'Undo' }).waitFor()
    await press(page.getByLabel('Undo').getByRole('button', { name: 'Close' }))
    await page.locator('main:focus').waitFor()
    // The detail replaces the list.
    await page.setViewportSize({ width: 700, height: 860 })
    await page.goto(`${program.origin}/_sandbox/#/requests`)
    await press(row('/v1/pets'))
    await page.locator('main:focus').waitFor()
  })

  it('has filters for errors and findings, and Clear is not undone by a reconnect', async () => {
    await open()
    await api('/pets?limit=1')
    await api('/pets?color=red')
    await api('/nowhere')
    await control('POST', '/faults', { effect: { status: 503 }, times: 1 })
    await api('/pets?limit=3')
    await button('errors 2').click()
    expect(await page.locator('.row.request').count()).toBe(2)
    await button('errors 2').click()
    await button('findings 3').click()
    expect(await page.locator('.row.request').count()).toBe(3)
    await page.getByText('3 of 4 requests').waitFor()
    await page.mouse.move(700, 700)
    await button('findings 3').blur()
    expect(await command().textContent()).toBe('')
    await button('findings 3').click()
    await button('Clear').click()
    await page.getByText('The next request appears here.').waitFor()
    await control('POST', '/reset', { only: ['requests'] })
    await context.setOffline(true)
    await page.getByText('Away since').waitFor()
    await context.setOffline(false)
    await page.locator('.live', { hasText: 'live' }).waitFor()
    await api('/pets?limit=9')
    await row('limit=9').waitFor()
    expect(await page.locator('.row.request').count()).toBe(1)
  })

  it('draws two issued keys as two lines, and the selected one in the timeline', async () => {
    await open()
    const issue = async () => (await control('POST', '/keys', { plan: 'free' })).key as string
    const [one, two] = [await issue(), await issue()]
    await api('/pets', { key: one })
    for (let i = 0; i < 3; i++) await api('/pets', { key: two })
    const gauges = page.locator('.gauge')
    await expect.poll(() => gauges.count()).toBe(2)
    await gauges.filter({ hasText: '57 / 60' }).click()
    await page.locator('.quota text', { hasText: '57/60' }).waitFor()
    expect(hash()).toContain('key=')
    await gauges.filter({ hasText: '59 / 60' }).click()
    await page.locator('.quota text', { hasText: '59/60' }).waitFor()
    await button('Leave 1').click()
    await page.locator('.quota text', { hasText: '1/60' }).waitFor()
    await button('Refill').click()
    await gauges.filter({ hasText: '60 / 60' }).waitFor()
    await button('More ▾').click()
    const field = page.locator('.menu input:focus')
    const set = await field.inputValue()
    await page.waitForTimeout(1100)
    expect(await field.inputValue()).toBe(set)
    // Keys whose requests are gone are not shown, except for the selected one.
    await control('POST', '/reset', { only: ['requests'] })
    await api('/pets')
    await gauges.filter({ hasText: 'psk_pro' }).waitFor()
    await expect.poll(() => gauges.count()).toBe(2)
  })

  it('tells by a clock that is ahead when a range after the last request ends', async () => {
    await open('', ['--now', '2035-11-19T12:34:56Z'])
    await api('/pets')
    await row('/v1/pets').waitFor()
    const [{ at, receivedAt }] = await control('GET', '/requests')
    const from = Date.parse(receivedAt)
    await page.goto(`${program.origin}/_sandbox/#/requests?from=${from}&to=${from + 20_000}`)
    const timeAfter = (ms: number) => new Date(Date.parse(at) + ms).toISOString().slice(11, 19)
    await page.locator('.bar a', { hasText: `${timeAfter(0)} to ${timeAfter(20_000)}` }).waitFor()
  })

  it('shows values along the timeline, selects a range, and keeps it in the address', async () => {
    await open('', ['--now', '2026-11-19T12:34:56Z', '--freeze'])
    await api('/pets?limit=1', { key: 'psk_free' })
    await row('limit=1').waitFor()
    await page.waitForTimeout(1500)
    await api('/pets?limit=2', { key: 'psk_free' })
    await row('limit=2').waitFor()
    await page.waitForTimeout(600)
    const surface = page.getByRole('slider', { name: /^Values/ })
    await surface.focus()
    await page.keyboard.press('ArrowLeft')
    // The timeline may end shortly behind the second request.
    const laterValue = async () => {
      await page.keyboard.press('ArrowRight')
      return page.locator('.value').textContent()
    }
    await expect.poll(laterValue).toContain('psk_free 58 of 60')
    await page.keyboard.press('Shift+ArrowLeft')
    await row('limit=1').waitFor({ state: 'detached' })
    expect(hash()).toMatch(/from=\d+&to=\d+/)
    await page.keyboard.press('Escape')
    await row('limit=1').waitFor()
    const box = (await surface.boundingBox()) as { x: number; y: number; width: number }
    await page.mouse.move(box.x + 2, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 2, box.y + 60)
    await page.mouse.up()
    await page.locator('.bar a', { hasText: '✕' }).click()
    expect(hash()).toBe('#/requests')
    await page.mouse.click(box.x + 2, box.y + 60, { button: 'right' })
    await page.mouse.move(box.x + 2, box.y + 300)
    await page.mouse.down()
    await page.mouse.move(box.x + 50, box.y + 60)
    await page.mouse.up()
    expect(hash()).toBe('#/requests')
  })

  it('shows the state before a point in all views, and forks from it', async () => {
    await open()
    await api('/pets', { body: { name: 'First', categoryId: 1 } })
    await control('POST', '/clock', { advance: '1d' })
    await api('/pets', { body: { name: 'Second', categoryId: 1 } })
    await row('clock +1d').waitFor()
    await page.locator('[data-row]').filter({ hasText: '/v1/pets' }).nth(1).waitFor()
    await page.getByRole('slider', { name: 'Point in time' }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('The state before req_000002.').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('The state before ctl_000001.').waitFor()
    expect(hash()).toContain('at=ctl_000001')
    expect(await command().textContent()).toContain('rewind ctl_000001')
    expect(await page.locator('.row.pale').count()).toBe(2)
    expect(await button('+61 s').isDisabled()).toBe(true)
    expect(await button('+61 s').getAttribute('title')).toBe('An earlier state is shown')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByText('13 pets', { exact: true }).waitFor()
    expect(await button('JSON').getAttribute('data-command')).toContain(
      'export --at ctl_000001 --side before',
    )
    const compared = await page.locator('.compare').getAttribute('data-command')
    expect(compared).toContain('diff start at:ctl_000001:before')
    await page.reload()
    await page.getByText('The state before ctl_000001.').waitFor()
    await button('Fork ▾').focus()
    await page.keyboard.down('Enter')
    await page.locator('.menu input:focus').waitFor()
    // The key is held a little longer.
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await page.waitForTimeout(200)
    await button('Fork').hover()
    expect(await command().textContent()).toContain('fork w2 --at ctl_000001 --side before')
    await button('Fork').click()
    await expect.poll(hash).toBe('#/pets?namespace=w2')
    expect(await control('GET', '/pets?namespace=w2')).toHaveLength(13)
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=w2`)
    await page.getByText('A copy of default before ctl_000001.').waitFor()
    await page.goto(`${program.origin}/_sandbox/#/requests?at=ctl_000001`)
    await page.getByText('The state before ctl_000001.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('The state before ctl_000001.').waitFor({ state: 'detached' })
    await row('clock +1d').waitFor()
    await page.keyboard.press('[')
    await page.getByText('The state before req_000002.').waitFor()
    await control('POST', '/rewind', { to: 'req_000002' })
    await page.locator('.notice', { hasText: 'The state before' }).waitFor({ state: 'detached' })
    await page.goto(`${program.origin}/_sandbox/#/requests?at=req_777777`)
    await page.getByText('The history has no state before req_777777.').waitFor()
    expect(await page.locator('.notice .b').count()).toBe(1)
    expect(await page.locator('.panel > .menu').getByText('not known').count()).toBe(3)
    expect(await button('+61 s').count()).toBe(0)
  })

  it('saves a recording that replays', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    const downloading = page.waitForEvent('download')
    await button('Save recording').click()
    expect((await replay(await (await downloading).path())).difference).toBeUndefined()
  })

  it('creates no namespace by a link, confirms a drop, and shows all namespaces in one list', async () => {
    await open('#/requests?namespace=wroker-1')
    await page.getByText('There is no namespace wroker-1.').waitFor()
    await api('/pets?limit=1', { key: 'psk_pro.worker-1' })
    await page.getByRole('link', { name: 'worker-1', exact: true }).click()
    await row('limit=1').waitFor()
    expect((await control('GET', '/namespaces')).length).toBe(2)
    expect(await button('+61 s').getAttribute('data-command')).toContain('--namespace worker-1')
    await api('/pets?limit=2')
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await page.getByLabel('Name or test').fill('brand new!')
    await page.keyboard.press('Enter')
    await page.getByText('1 to 64 of A-Z a-z 0-9 _ -').waitFor()
    await page.getByLabel('Name or test').fill('work')
    await button('New namespace work…').waitFor()
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=worker-1&filter=status:4xx`)
    await page.getByLabel('Name or test').fill('default')
    await page.keyboard.press('Enter')
    await row('limit=2').waitFor()
    expect(hash()).toBe('#/requests')
    for (let i = 0; i < 2; i++)
      await api('/pets', { key: 'psk_pro.worker-1', body: { name: 'Kit', categoryId: 1 } })
    await page.locator('.namespace').click()
    await button('All, in one list').click()
    await row('limit=1').waitFor()
    await row('limit=2').waitFor()
    expect(await page.locator('.instruments').count()).toBe(0)
    expect(await page.locator('.quota').count()).toBe(0)
    await page.mouse.move(700, 700)
    expect(await command().textContent()).toContain("requests --namespace '*'")
    await row('possible duplicate').getByRole('link', { name: 'req_000002' }).click()
    expect(hash()).toBe('#/requests/req_000002?namespace=*&of=worker-1')
    await row('limit=1').click()
    await page.locator('.detail h2', { hasText: 'limit=1' }).waitFor()
    await page.locator('.namespace').click()
    await button('Drop worker-1').click()
    await page.getByText('Drop worker-1 with 3 requests?').waitFor()
    await page.locator('.confirm .primary:focus').press('Enter')
    await expect.poll(async () => (await control('GET', '/namespaces')).length).toBe(1)
    await page.locator('.chooser input:focus').waitFor()
    await row('limit=1').waitFor({ state: 'detached' })
    await api('/pets?limit=3', { key: 'psk_pro.worker-2' })
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=worker-2`)
    await row('limit=3').waitFor()
    await control('DELETE', '/namespaces/worker-2')
    await page.getByText('There is no namespace worker-2.').waitFor()
  })

  it('scrolls through a million pets, also by the wheel, and finds one by its name', async () => {
    const fixture = join(temporaryFolder(), 'million.csv')
    const rows = Array.from({ length: 1_000_000 }, (_, i) => `${i + 1},Kit,1,available`)
    writeFileSync(fixture, `id,name,categoryId,status\n${rows.join('\n')}\n`)
    await open('#/pets', ['--fixture', fixture])
    await api('/pets', { body: { name: 'Zebulon', categoryId: 1 } })
    await page.getByText('1,000,001 pets', { exact: true }).waitFor()
    const list = page.locator('#pets')
    await list.evaluate((each) => each.scrollTo(0, each.scrollHeight))
    await page.locator('tbody tr', { hasText: /^1000001/ }).waitFor()
    await list.evaluate((each) => each.scrollTo(0, 0))
    await page.locator('tbody tr', { hasText: /^1[A-Z]/ }).waitFor()
    await list.hover()
    await page.mouse.wheel(0, 104)
    const seen = () =>
      list.evaluate((each) => {
        const under = (each.querySelector('thead') as Element).getBoundingClientRect()
        return document.elementFromPoint(under.left + 20, under.bottom + 12)?.closest('tr')?.ariaRowIndex
      })
    await expect.poll(seen).toBe('6')
    expect(await page.locator('#pets tbody tr').count()).toBeLessThan(80)
    await page.keyboard.press('/')
    await page.keyboard.type('zebul')
    await page.getByText('1 pet found', { exact: true }).waitFor()
    await page.locator('summary', { hasText: 'replaces the 1,000,001 pets' }).waitFor()
    expect(await command().textContent()).toContain('pets --q zebul')
    await page.locator('mark', { hasText: 'Zebul' }).waitFor()
    await page.getByRole('link', { name: 'req_000001' }).first().waitFor()
    // A seed replaces the pet by another one with its id.
    await control('POST', '/seed', { pets: [{ id: 1_000_001, name: 'Zebulun', categoryId: 1 }] })
    await page.locator('#pets tr', { hasText: 'Zebulun' }).getByText('seed').waitFor()
    expect(await page.locator('#pets').getByRole('link').count()).toBe(0)
    await api('/pets', { body: { name: 'Zebul', categoryId: 1 } })
    await page.getByRole('link', { name: 'req_000002' }).first().click()
    await page.locator('.detail h2', { hasText: 'POST' }).waitFor()
  }, 240_000)

  it('says after a restart that pets of the data file may be earlier than the requests', async () => {
    const args = ['--port', '0', '--log', 'silent', '--db', join(temporaryFolder(), 'db.json')]
    program = await start(args)
    await api('/pets', { body: { name: 'Kit', categoryId: 1 } })
    await program.stop()
    program = await start(args)
    await api('/pets', { body: { name: 'Zed', categoryId: 1 } })
    await visit('#/pets')
    await page.locator('#pets tr', { hasText: 'Kit' }).getByText('seed or earlier').waitFor()
    await page.locator('#pets tr', { hasText: 'Zed' }).getByRole('link', { name: 'req_000001' }).waitFor()
  })

  it('compares two snapshots, and updates with changes', async () => {
    await open('#/pets')
    await control('POST', '/seed', { pets: [{ name: 'A', categoryId: 1 }] })
    await control('PUT', '/snapshots/one')
    await control('POST', '/seed', { pets: [{ name: 'B', categoryId: 1, status: 'sold' }] })
    await control('PUT', '/snapshots/two')
    await page.getByText('2 saved: one, two').waitFor()
    await page.getByLabel('Compare', { exact: true }).selectOption('snapshot:one')
    await page.getByLabel('with', { exact: true }).selectOption('snapshot:two')
    await page.getByText('0 added, 0 removed, 1 changed.').waitFor()
    await page.locator('.compare tr', { hasText: 'A → B' }).waitFor()
    expect(hash()).toBe('#/pets?compare=snapshot:one..snapshot:two')
    await page.getByLabel('with', { exact: true }).selectOption('now')
    await api('/pets', { body: { name: 'C', categoryId: 1 } })
    await page.getByText('1 added, 0 removed, 1 changed.').waitFor()
    await page.locator('summary', { hasText: 'Snapshots' }).click()
    await button('Delete one').click()
    await button('Yes, delete one').click()
    await page.getByText('1 saved: two').waitFor()
  })

  it('has fields, filters, rules and reference of the effective document', async () => {
    const overlay = join(temporaryFolder(), 'more.yaml')
    writeFileSync(overlay, MORE_ABOUT_PETS)
    await open('#/pets', ['--overlay', overlay])
    await page.getByRole('columnheader', { name: 'bornOn' }).waitFor()
    await page.locator('summary', { hasText: 'Add a pet' }).click()
    const form = page.locator('.fold', { hasText: 'Add a pet' })
    await form
      .getByLabel('name', { exact: true })
      .fill('<img src=x onerror="document.title=1">\u202egnp 👩‍👩‍👧‍👦')
    await form.getByLabel('status').selectOption('adopted')
    await form.getByLabel('categoryId').fill('9007199254740993')
    await form.getByLabel('bornOn').fill('yesterday')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'bornOn' }).waitFor()
    await form.getByLabel('bornOn').fill('2026-01-31')
    await page.keyboard.press('Enter')
    await page.getByText('13 pets', { exact: true }).waitFor()
    await button('adopted 1').click()
    await page.getByRole('row', { name: /9007199254740993 .*adopted/ }).waitFor()
    expect(await page.locator('#pets').textContent()).toContain('\\u202egnp 👩‍👩‍👧‍👦')
    expect(await page.locator('#page img').count()).toBe(0)
    await page.getByText('1 pet found', { exact: true }).waitFor()
    await button('Rule… ▾').click()
    await page.locator('.menu :focus').waitFor()
    expect((await page.locator('.menu:popover-open').boundingBox())?.y).toBeGreaterThan(44)
    await page.getByLabel('Operation').selectOption('updatePet')
    await page.keyboard.press('Escape')
    await page.goto(`${program.origin}/_sandbox/#/connect`)
    expect(await page.locator('.operation p code').first().textContent()).toBe('limit')
    await page.getByRole('heading', { name: 'PATCH /pets/{petId}' }).waitFor()
    await page.getByLabel('limit of listPets').fill('1')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /^req_/ }).click()
    await page.locator('.detail h2', { hasText: 'GET /v1/pets?limit=1' }).waitFor()
  })

  it('reports by test, by operation and status with consistent sums, and the gates', async () => {
    await open('#/report', ['--limits', 'free=1/100', '--set', 'ban.enabled=false'])
    for (let i = 0; i < 3; i++) await api('/pets', { key: 'psk_free', test: 'checkout › retries' })
    await api('/pets', { key: 'psk_limited', test: 'checkout › retries' })
    await api('/pets?color=red')
    await api('/nowhere')
    await page.locator('.cells tr', { hasText: 'createPet' }).getByText('never called').waitFor()
    const sums = page.locator('.cells .sum')
    await expect.poll(() => sums.last().textContent()).toBe('6')
    expect(await sums.allInnerTexts()).toContain('5')
    const amounts = (row: string) =>
      page.locator('.cells tr', { hasText: row }).last().locator('td').allInnerTexts()
    await expect.poll(async () => (await amounts('no operation')).filter(Boolean)).toEqual(['1', '1'])
    expect(await amounts('all')).toEqual(['2', '1', '3', '6'])
    await page.locator('section', { hasText: 'Early retries' }).last().getByText('psk_free').waitFor()
    expect(await page.locator('[aria-label=Gates] .snippet code').textContent()).toMatch(
      /exec --fail-on .*-- npm test/,
    )
    await page.locator('tr', { hasText: 'early-retry' }).getByRole('link').click()
    await row('s too early').waitFor()
    expect(await page.locator('.row.request').count()).toBe(1)
    await button('Clear').click()
    await page.goto(`${program.origin}/_sandbox/#/requests?from=1&to=2`)
    await page.getByText('No request came from 00:00:00 to 00:00:00. Show all 6').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    // One of the three has a finding that tells more.
    await page.getByRole('link', { name: 'minute used up × 3' }).click()
    await page.getByText('3 of 6 requests').waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'checkout › retries' }).click()
    await page.getByText('4 of 6 requests').waitFor()
  })

  it('counts in the list what a number of the report counts, also at a point', async () => {
    await open()
    for (const query of ['a=1&b=2', 'a=1', 'a=2']) await api(`/pets?${query}`)
    await page.goto(`${program.origin}/_sandbox/#/report?at=req_000003`)
    const gate = page.locator('[aria-label=Gates] tr', { hasText: 'ignored-input' })
    await gate.filter({ hasText: '3, 2 listed' }).getByRole('link').click()
    await page.locator('.bar .amount', { hasText: '2 of 2 requests, 1 later' }).waitFor()
    await button('findings 2').waitFor()
  })

  it('cuts no heading of a status at 320 pixels', async () => {
    await open('#/report', [], { viewport: { width: 320, height: 760 } })
    const statuses = [201, 202, 204, 400, 404, 405, 409, 410, 415, 422, 429, 500, 501, 503]
    const effects = [...statuses.map((status) => ({ status })), { wire: 'reset' }]
    for (const effect of effects) {
      await control('POST', '/faults', { effect, times: 1 })
      await api('/pets')
    }
    await api('/pets')
    const none = page.locator('.cells thead').getByText('none')
    await none.waitFor()
    expect((await none.boundingBox())?.height).toBeLessThan(30)
  })

  it('issues and revokes keys; requests do not move rows', async () => {
    await open('#/limits')
    const names = () => page.locator('.keys tbody th').allInnerTexts()
    await page.locator('.keys tr', { hasText: 'psk_business' }).waitFor()
    const before = await names()
    await api('/pets', { key: 'psk_enterprise' })
    await page.locator('.keys tr', { hasText: 'psk_business' }).hover()
    const top = async () => (await page.locator('.keys tr', { hasText: 'psk_business' }).boundingBox())?.y
    const was = await top()
    await button('Leave 0: psk_business').click()
    await page.locator('.keys tr', { hasText: 'psk_business' }).getByText('0 / 1,000').waitFor()
    await page.locator('.notice', { hasText: 'psk_business left 0' }).waitFor()
    expect(await top()).toBe(was)
    expect(await names()).toEqual(before)
    await button('Issue a key… ▾').click()
    await button('Issue').click()
    await page.locator('.menu code').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.keys tbody th', { hasText: '#' }).waitFor()
    const name = (await names()).find((each) => each.includes('#')) as string
    await page.locator('.keys tr', { hasText: name }).hover()
    await button(`Revoke: ${name}`).click()
    await page.locator('.keys tr', { hasText: name }).getByText('revoked').waitFor()
  })

  it.skipIf(!hasNginx)('works behind nginx below a path, with and without a trailing slash', async () => {
    program = await start(['--port', '0', '--memory', '--log', 'silent'])
    const port = await freePort()
    const origin = `http://localhost:${port}`
    // The shortest configuration, in which nginx buffers responses.
    const server = `server { listen 127.0.0.1:${port}; location /petstore/ { proxy_pass ${program.origin}/; } }`
    await using _ = await startNginx(temporaryFolder(), server, `${origin}/petstore/openapi.json`)
    program = { ...program, origin: `${origin}/petstore`, baseUrl: `${origin}/petstore/v1` }
    await visit()
    for (const path of ['/petstore/_sandbox/', '/petstore/_sandbox']) {
      await page.goto(origin + path)
      await page.locator('.live', { hasText: 'live' }).waitFor()
    }
    await page
      .locator('.start code', { hasText: `${origin}/petstore/v1` })
      .first()
      .waitFor()
    await api('/pets')
    await row('/v1/pets').waitFor()
    await page.goto(`${origin}/petstore/_sandbox/#/limits`)
    await page.locator('.keys tr', { hasText: 'psk_free' }).waitFor()
  })

  it('of a proxy shows violations, and nothing that only the service can do or say', async () => {
    let asked = 0
    await using service = createServer((_, response) => {
      asked++
      response.setHeader('Content-Type', 'application/json').end('[{"id":1,"name":"Kit"}]')
    }).listen(0, '127.0.0.1')
    await once(service, 'listening')
    const { port } = service.address() as AddressInfo
    program = await start(['proxy', `http://127.0.0.1:${port}/v1`, '--port', '0', '--log', 'silent'])
    await visit('#/connect')
    await page.getByText('Animal Store 1.0.0').waitFor()
    await page.getByText(`proxy of http://127.0.0.1:${port}/v1`).waitFor()
    // From here on, the page knows that it is one of a proxy.
    const refused: string[] = []
    page.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
    expect(await page.locator('nav[aria-label=Views] a').allTextContents()).toEqual([
      'Requests',
      'Report',
      'Connect',
    ])
    await api('/pets')
    await page.goto(`${program.origin}/_sandbox/#/requests`)
    await row('4 violations').click()
    await page.getByText("must have required property 'categoryId'").waitFor()
    await button('503 twice').click()
    await page.locator('.rules', { hasText: 'waits, 0 of 2' }).waitFor()
    await row('rule added').waitFor()
    for (const name of ['Rewind to before', 'Send again', 'Save recording', 'Refill', 'Undo'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0)
    expect([asked, refused]).toEqual([1, []])
  })

  it('that is refused says how to get a token, wherever the sandbox runs', async () => {
    await open()
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.1' })
    await page.reload()
    await page.getByText('give it a token (PETSTORE_SANDBOX_CONTROL_TOKEN or --control-token)').waitFor()
    expect(await page.getByText('petstore-sandbox start').count()).toBe(0)
  })

  it('requires the control token once; commands contain its variable', async () => {
    await open('', ['--control-token', 's3cret'])
    await page.locator('[name=token]:focus').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Control token').fill('токен')
    await button('Open').click()
    await page.getByText('has visible ASCII characters only').waitFor()
    await page.getByLabel('Control token').fill('wrong')
    await button('Open').click()
    await page.getByText('The control token is not valid').waitFor()
    await page.getByLabel('Control token').fill('s3cret')
    await button('Open').click()
    await api('/pets')
    await row('/v1/pets').waitFor()
    await button('+61 s').hover()
    expect(await command().textContent()).toContain('--control-token "$PETSTORE_SANDBOX_CONTROL_TOKEN"')
    await page.reload()
    await row('/v1/pets').waitFor()
    expect(page.url()).not.toContain('s3cret')
    await button('+61 s').click()
    await row('clock +61s').click()
    await page.setViewportSize({ width: 390, height: 760 })
    const lines = await page.locator('.snippet code').evaluate((code) => {
      const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const start = texts.currentNode.textContent?.indexOf('--control-token') ?? -1
        if (start < 0) continue
        const option = new Range()
        option.setStart(texts.currentNode, start)
        option.setEnd(texts.currentNode, start + '--control-token'.length)
        return option.getClientRects().length
      }
    })
    expect(lines).toBe(1)
    await page.goto(`${program.origin}/_sandbox/#/connect`)
    await page.getByRole('link', { name: '/openapi.json' }).waitFor()
    expect(await page.getByRole('link', { name: 'control API' }).count()).toBe(0)
    // The name of a line to copy stands at its first line.
    await page.setViewportSize({ width: 320, height: 760 })
    const [label = 0, code = 0] = await page
      .locator('.snippet')
      .first()
      .evaluate(({ children }) => Array.from(children, (each) => each.getBoundingClientRect().top))
    expect(Math.abs(label - code)).toBeLessThan(9)
  })

  it('shows how to start if the guard refuses its data', async () => {
    program = await start(['--port', '0', '--memory', '--log', 'silent'])
    program = { ...program, origin: program.origin.replace('localhost', 'sandbox.localhost') }
    await visit()
    await page.getByText('answers under localhost, 127.0.0.1 or [::1] only').waitFor()
    await page.getByText('give it a token (PETSTORE_SANDBOX_CONTROL_TOKEN or --control-token)').waitFor()
  })

  it('shows that the sandbox is unavailable, and reconnects', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    await program.stop()
    await page.getByText('Away since').waitFor()
    await button('Save recording').click()
    await page.getByRole('alert').filter({ hasText: 'The sandbox does not answer.' }).waitFor()
    program = await start(['--port', new URL(program.origin).port, '--memory', '--log', 'silent'])
    await page.locator('.live', { hasText: 'live' }).waitFor()
    await api('/pets?limit=7')
    await row('limit=7').waitFor()
  })

  it('follows a stream of requests, and a key press is shown within the next frames', async () => {
    await open()
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 150; i++) await api(`/pets?limit=${(i % 99) + 1}`, { key: 'psk_enterprise' })
      }),
    )
    await page.locator('.amount', { hasText: /^1,\d{3} requests/ }).waitFor({ timeout: 20_000 })
    expect(await page.locator('[data-row]').count()).toBeLessThan(80)
    await page.locator('.scroll').evaluate((list) => list.scrollTo(0, 5000))
    await page.waitForTimeout(1000)
    const read = page.locator('[data-row]').nth(20)
    const name = await read.getAttribute('data-row')
    const placeOf = async () => (await page.locator(`[data-row="${name}"]`).boundingBox())?.y
    const place = await placeOf()
    await api('/pets/7')
    await page.waitForTimeout(800)
    expect(await placeOf()).toBe(place)
    await page.keyboard.press('j')
    expect(await page.locator('[data-row]:focus').count()).toBeLessThanOrEqual(1)
  }, 60_000)

  it('counts each request of a burst once, in the list or beside it', async () => {
    await open()
    // The page may lack counts that come while it reads the journal for the first time.
    await page.getByText('No request yet').waitFor()
    const burst = async (total: number) => {
      for (let sent = 0; sent < total; sent += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, i) => api(`/pets?limit=${(i % 9) + 1}`, { key: 'psk_enterprise' })),
        )
    }
    // More requests come while the page reads the journal after the first ones, and after that so many that it lacks them.
    let isRead = false
    await page.route('**/requests?*', async (route) => {
      const response = await route.fetch()
      if (!isRead) await burst(300)
      isRead = true
      await route.fulfill({ response })
    })
    await burst(200)
    await expect.poll(() => isRead, { timeout: 20_000 }).toBe(true)
    // The page keeps all that are sent one by one: up to 1,000 beside the 1,000 of the journal.
    await burst(1500)
    const total = 2000
    const sum = async () => {
      const [, listed = '', counted = ''] =
        /^([\d,]+) requests(?:, ([\d,]+) more counted)?$/.exec((await page.textContent('.amount')) ?? '') ??
        []
      const [all = 0, more = 0] = [listed, counted].map((text) => Number(text.replaceAll(',', '')))
      return { isListed: all >= 1000, all: all + more }
    }
    await expect.poll(sum, { timeout: 15_000 }).toEqual({ isListed: true, all: total })
  }, 60_000)

  it('keeps the focused row in sight while requests arrive', async () => {
    await open()
    for (let i = 0; i < 60; i++) await api(`/pets?limit=${i + 1}`, { key: 'psk_enterprise' })
    await row('limit=60').waitFor()
    const focused = page.locator('[data-row]:focus')
    let total = 60
    const come = async (name: string, count: number) => {
      for (let i = 0; i < count; i++) await api(`/pets/${i}?${name}`, { key: 'psk_enterprise' })
      total += count
      // Requests that come fast are counted first, and listed later.
      await expect.poll(() => page.textContent('.amount'), { timeout: 10_000 }).toBe(`${total} requests`)
      await page.waitForTimeout(300)
    }
    await page.keyboard.press('j')
    await focused.waitFor()
    const text = await focused.locator('.target').textContent()
    const list = page.locator('.scroll')
    // Until the list has scrolled a little, so that the line of the date is cut.
    const height = await list.evaluate((each) => each.clientHeight)
    await come('until-the-end', Math.floor((height - 48) / 24) + 1)
    const scrolled = await list.evaluate((each) => each.scrollTop)
    expect(scrolled).toBeGreaterThan(0)
    expect(scrolled).toBeLessThan(24)
    await come('at-the-top', 50)
    expect(await focused.locator('.target').textContent()).toBe(text)
    const place = await focused.boundingBox()
    expect(place?.y).toBeLessThan(860 - 30)
    await come('further-down', 50)
    expect(await focused.boundingBox()).toEqual(place)
    await page.keyboard.press('Home')
    await page.waitForTimeout(300)
    expect(await list.evaluate((each) => each.scrollTop)).toBe(0)
    // A row that is drawn later does not take the focus from where a later key moved it.
    const last = await page.evaluate(async () => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }))
      document.getElementById('filter')?.focus()
      await new Promise((resolve) => setTimeout(resolve, 300))
      return document.activeElement?.id
    })
    expect(last).toBe('filter')
  })

  it('shows 20 characters of each path and complete findings at 1024 pixels', async () => {
    await open('', [], { viewport: { width: 1024, height: 760 } })
    await api('/pets?status=available&limit=20')
    await api('/pets', { body: { name: 'Kit', categoryId: 1 } })
    await api('/pets', { body: { name: 'Kit', categoryId: 1 } })
    for (let i = 0; i < 2; i++) await api('/pets', { key: 'psk_slow', body: { name: 'Late', categoryId: 1 } })
    await api(`/pets?${'x'.repeat(300)}&${'y'.repeat(300)}`)
    for (let i = 0; i < 2; i++) await api('/pets/1', { key: 'psk_banned' })
    await row('s too early').waitFor()
    await api('/pets', { key: 'psk_day_limited' })
    await row('psk_day_limited').waitFor()
    await row('possible duplicate of req_000002').click()
    await page.locator('.detail').waitFor()
    const isCut = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.some((each) => each.scrollWidth > each.clientWidth + 1))
    expect(await isCut('.row .finding > *')).toBe(false)
    await row('xxxxx').click()
    await page.locator('.detail h2', { hasText: 'xxxxx' }).waitFor()
    for (const width of [1024, 1100]) {
      await page.setViewportSize({ width, height: 760 })
      expect(await isCut('.row.request .key')).toBe(false)
      const isBeside = await page.locator('.detail h2').evaluate((title) => {
        const [close, text] = [
          document.querySelector('.detail > button')?.getBoundingClientRect(),
          new Range(),
        ]
        text.selectNodeContents(title)
        return [...text.getClientRects()].every(
          ({ right, top }) => close && (right <= close.left || top >= close.bottom),
        )
      })
      expect(isBeside).toBe(true)
      const widths = await page
        .locator('.row.request .target')
        .evaluateAll((all) => all.map((each) => each.clientWidth))
      expect(Math.min(...widths)).toBeGreaterThan(20 * 7)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    }
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 320, height: 760 })
    await row('possible duplicate of req_000002').waitFor()
    await expect.poll(() => isCut('.row .finding, .row .finding > *')).toBe(false)
    const areWhole = await page.locator('.row.request .key').evaluateAll((keys) =>
      keys.map((key) => {
        const text = document.createRange()
        text.selectNodeContents(key)
        const [seen, cell] = [text.getBoundingClientRect(), key.getBoundingClientRect()]
        return seen.bottom <= cell.bottom + 4 && seen.right <= cell.right + 1 && seen.width > 0
      }),
    )
    expect(areWhole).toEqual(Array(9).fill(true))
  })

  it('keeps the height of a key on narrow screens when it is used', async () => {
    await open('#/limits', [], { viewport: { width: 390, height: 760 } })
    const used = page.locator('.keys tr', { hasText: 'psk_pro' })
    const before = await used.boundingBox()
    await api('/pets', { key: 'psk_pro' })
    await used.getByText('full in').waitFor()
    expect((await used.boundingBox())?.height).toBe(before?.height)
  })

  it('cuts no value of the timeline, no key and no name of a namespace on narrow screens', async () => {
    await open('', [], { viewport: { width: 390, height: 760 } })
    await api('/pets', { key: 'psk_enterprise' })
    await api('/pets', { key: 'psk_unstable.worker-1' })
    await api('/pets', { key: `psk_pro.${'w'.repeat(64)}` })
    await row('/v1/pets').waitFor()
    const boxOf = async (selector: string) =>
      (await page.locator(selector).boundingBox()) ?? expect.unreachable(`${selector} is not shown`)
    const plot = await boxOf('.plot')
    for (const x of [20, 140, 200, 300]) {
      await page.mouse.move(x, plot.y + 40)
      const value = await boxOf('.value')
      expect(value.x).toBeGreaterThanOrEqual(0)
      expect(value.x + value.width).toBeLessThanOrEqual(390)
      expect(value.y + value.height).toBeLessThanOrEqual(plot.y + plot.height)
    }
    await page.setViewportSize({ width: 320, height: 760 })
    await page.locator('.namespace .car').waitFor()
    await page.locator('.namespace').click()
    expect((await boxOf('.chooser tr:has-text("worker-1") th button')).height).toBeLessThan(30)
    const isCut = (all: Element[]) => all.filter((each) => each.scrollWidth > each.clientWidth).length
    await button(`Drop ${'w'.repeat(64)}`).click()
    await button(`Yes, drop ${'w'.repeat(64)}`).waitFor()
    expect(await page.locator(':popover-open').evaluateAll(isCut)).toBe(0)
    await button(`Yes, drop ${'w'.repeat(64)}`).click()
    await page.setViewportSize({ width: 600, height: 760 })
    await expect.poll(() => page.locator('.summary .name').evaluateAll(isCut)).toBe(0)
    await page.setViewportSize({ width: 768, height: 760 })
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=*`)
    await row('worker-1').waitFor()
    expect(await page.locator('.row :is(.key, .of)').evaluateAll(isCut)).toBe(0)
    await page.setViewportSize({ width: 762, height: 760 })
    expect(await page.locator('.row .key').evaluateAll(isCut)).toBe(0)
    await page.goto(`${program.origin}/_sandbox/#/limits`)
    await page.locator('.keys tr', { hasText: 'psk_pro' }).waitFor()
    const places = await page
      .locator('.keys .number:nth-child(3) > :first-child')
      .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().left)))
    expect(new Set(places).size).toBe(1)
  })

  it.each([1440, 320])('cuts no remaining quota of a large limit at %i pixels', async (width) => {
    await open('', ['--limits', 'pro=1000000/9000000'], { viewport: { width, height: 760 } })
    await api('/pets')
    const left = page.locator('.quota text', { hasText: '999,999' })
    await left.waitFor()
    // Its place follows from the limit, which the page reads a little later than the request.
    const beyond = () =>
      left.evaluate((text) => {
        const [end, border] = [text, text.closest('.plot') as Element].map(
          (each) => each.getBoundingClientRect().right,
        )
        return (end as number) - (border as number)
      })
    await expect.poll(beyond).toBeLessThanOrEqual(0)
    await control('PUT', '/keys/psk_pro/ban', { seconds: 100 })
    const state = page.locator('.gauge .sub > span', { hasText: 'banned, 1 min' })
    if (width > 1279) expect((await state.boundingBox())?.height).toBeLessThan(20)
  })

  it('has the state of a key beside its buttons on a touch screen', async () => {
    await open('#/limits', [], { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true })
    const key = page.locator('.keys tr', { hasText: 'psk_expired' })
    const state = await key.getByText('expired 1 Jan 1970').boundingBox()
    const buttons = await key.locator('.group').boundingBox()
    if (!state || !buttons) return expect.unreachable()
    expect(state.height).toBeLessThan(30)
    expect(buttons.x + buttons.width).toBeLessThan(768)
    expect(state.x + state.width).toBeLessThanOrEqual(buttons.x)
  })

  it.each([1440, 1100, 768, 390, 320])(
    'is accessible at %i pixels, with light and dark colours',
    async (width) => {
      program = await start(['--port', '0', '--memory', '--log', 'silent', '--limits', 'free=2/100'])
      await control('POST', '/faults', {
        match: { operationId: 'createPet' },
        effect: { wire: 'reset' },
        times: 1,
      })
      for (let i = 0; i < 4; i++) await api('/pets', { key: 'psk_free', test: 'lists' })
      await api('/pets/1')
      await api('/pets?color=red')
      for (let i = 0; i < 2; i++) await api('/pets', { body: { name: 'Kit', categoryId: 2 } })
      await visit('', { viewport: { width, height: 860 } })
      for (const where of ['requests', 'requests/req_000003', 'pets', 'limits', 'report', 'connect']) {
        await page.goto(`${program.origin}/_sandbox/#/${where}`)
        await page.locator('.live', { hasText: 'live' }).waitFor()
        await page.waitForFunction(() => document.querySelectorAll('[data-row], td, .detail dl').length > 1)
        await page.emulateMedia({ colorScheme: 'light' })
        expect(await violations(page), where).toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await violations(page, ['color-contrast']), where).toEqual([])
        const overflow = await page.evaluate(() => {
          const { scrollWidth, scrollHeight } = document.documentElement
          return Math.max(scrollWidth - innerWidth, scrollHeight - innerHeight)
        })
        expect(overflow, where).toBeLessThanOrEqual(0)
        const isWide = (all: Element[]) =>
          all.filter((each) => each.scrollWidth > each.clientWidth).map(({ textContent }) => textContent)
        if (width < 600) expect(await page.locator('.wide').evaluateAll(isWide), where).toEqual([])
        // Each number stands below its heading.
        const places = await page
          .locator('.cells tr > :nth-child(2)')
          .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().left)))
        expect(new Set(places).size, where).toBe(where === 'report' ? 1 : 0)
      }
    },
    90_000,
  )
})
