import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { replay } from '../../src/compose/replay.ts'
import { temporaryFolder } from '../support/folder.ts'
import { BIN, type Program, run, start, stopAll } from '../support/program.ts'
import { hasChromium, launchChromium } from './chromium.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
  /** What should not be: errors of scripts, refusals of the policy, requests to elsewhere. */
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
      // Chromium tells of every refused or broken request by itself.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        wrong.push(message.text())
    })
    watched.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(program.origin) && !/^(data|blob):/.test(url)) wrong.push(url)
    })
  }

  const api = (path: string, { key = 'psk_pro', body }: { key?: string; body?: unknown } = {}) =>
    fetch(program.baseUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
      .then((response) => response.text())
      // Some of them are lost on purpose.
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
  const command = () => page.locator('.foot output')

  /** What axe finds on the page as it is. */
  async function violations(): Promise<string[]> {
    await page.evaluate(AXE)
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
        }
      }
      const found = await axe.run()
      return found.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
      )
    })
  }

  it('begins with a request to paste, and turns into the list with it', async () => {
    await open()
    const curl = await page.locator('.empty code').last().textContent()
    expect(curl).toBe(`curl ${program.baseUrl}/pets -H 'Authorization: Bearer psk_pro'`)
    await api('/pets')
    await row('/v1/pets').waitFor()
    expect(await page.locator('.empty').count()).toBe(0)
  })

  it('says why a list is refused, until when, and what the client did wrong', async () => {
    await open('', [
      ...['--limits', 'free=2/100', '--set', 'ban.enabled=false'],
      ...['--now', '2026-11-19T12:34:56Z', '--freeze'],
    ])
    for (let i = 0; i < 3; i++) await api('/pets', { key: 'psk_free' })
    await control('POST', '/clock', { advance: '22s' })
    await api('/pets?limit=20', { key: 'psk_free' })
    await row('retried 38.0 s before').click()
    const why = await page.locator('.why').textContent()
    expect(why).toContain('The limit of 2 requests per minute of psk_free is used up until 12:35:56 UTC.')
    expect(why).toContain('in 38 s')
    expect(why).toContain('Retried 38.0 s before Retry-After had passed')
    expect(new URL(page.url()).hash).toBe('#/requests/req_000004')
    await page.reload()
    await page.locator('.why').getByText('used up').waitFor()
  })

  it('keeps every digit, and shows what came from outside as text', async () => {
    await open()
    const hostile = '<img src=x onerror="document.title=1">\u202egnp.exe'
    await api('/pets', { body: `{"name":${JSON.stringify(hostile)},"categoryId":9007199254740993}` })
    await row('201').click()
    const body = page.locator('.body pre')
    expect(await body.textContent()).toContain('"categoryId": 9007199254740993')
    expect(await body.textContent()).toContain('\\u202egnp.exe')
    await page.goto(`${program.origin}/_sandbox/#/pets`)
    await page.locator('tbody tr', { hasText: '<img src=x' }).waitFor()
    expect(await page.title()).toBe('Pets · petstore-sandbox')
    expect(await page.locator('#page img').count()).toBe(0)
  })

  it('shows with every button the command that it equals; y copies it, and it works', async () => {
    await open('', ['--now', '2026-11-19T12:34:56Z', '--freeze'], {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await button('+61 s').hover()
    const line = `petstore-sandbox clock advance 61s --url ${program.origin}`
    expect(await command().textContent()).toBe(line)
    await page.keyboard.press('y')
    await page.getByText('copied').first().waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(line)
    await run(line.split(' ').slice(1))
    await page.locator('.time', { hasText: '12:35:57' }).waitFor()
    await button('+61 s').click()
    await page.locator('.time', { hasText: '12:36:58' }).waitFor()
    expect((await control('GET', '/clock')).now).toBe('2026-11-19T12:36:58.000Z')
    const commands = await page
      .locator('[data-command]')
      .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset.command))
    expect(commands.length).toBeGreaterThan(10)
    expect(commands.filter((each) => !each?.startsWith('petstore-sandbox '))).toEqual([])
  })

  it('turns clock, limits and faults', async () => {
    await open()
    await api('/pets', { key: 'psk_free' })
    await button('Freeze').click()
    await button('Run').waitFor()
    await button('To the day getPet is removed').click()
    await page.locator('.instruments', { hasText: '5 Dec 2030' }).waitFor()
    await button('Real time').click()
    await page.getByLabel('Key', { exact: true }).selectOption('psk_free')
    await button('Leave 1').click()
    await page.locator('.instruments .gauge', { hasText: '1 / 60' }).waitFor()
    await button('Refill').click()
    await page.locator('.instruments .gauge', { hasText: '60 / 60' }).waitFor()
    await button('Ban').click()
    await page.locator('.instruments', { hasText: 'banned until' }).waitFor()
    await button('Lift ban').click()
    await button('503 twice').click()
    await page.locator('.rules', { hasText: 'every request → 503' }).waitFor()
    await api('/pets')
    await page.locator('.rules', { hasText: '1 of 2' }).waitFor()
    await button('Remove fault_1').click()
    await page.locator('.rules li').waitFor({ state: 'detached' })
    await button('Lose next answer').click()
    await page.locator('.rules li').waitFor()
    await api('/pets', { body: { name: 'Ghost', categoryId: 1 } })
    await row(/fault|lost|replaced/).waitFor()
  })

  it('says beside the field what the sandbox says, and changes nothing', async () => {
    await open('', ['--now', '2026-11-19T12:34:56Z', '--freeze'])
    await button('Set…').click()
    await button('Rule…').click()
    expect(await violations()).toEqual([])
    await page.getByLabel('Instant, UTC').fill('tomorrow')
    await button('Set the clock').click()
    await page.getByRole('alert').filter({ hasText: 'set must be' }).waitFor()
    expect((await control('GET', '/clock')).now).toBe('2026-11-19T12:34:56.000Z')
  })

  it('is worked by the keyboard alone', async () => {
    await open()
    await api('/pets?limit=1')
    await api('/pets?limit=2')
    await row('limit=2').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.target', { hasText: 'limit=1' }).waitFor()
    await page.keyboard.press('k')
    await page.locator('.target', { hasText: 'limit=2' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.target').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('limit=2')
    await row('limit=1').waitFor({ state: 'detached' })
    expect(new URL(page.url()).hash).toContain('filter=limit')
    await page.keyboard.press('Escape')
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
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await violations()).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('sends again, copies, and makes a rule of a request', async () => {
    await open('', [], { permissions: ['clipboard-read', 'clipboard-write'] })
    await api('/pets', { body: { name: "O'Malley", categoryId: 1 } })
    await row('201').click()
    await button('Copy as curl').click()
    const curl = await page.evaluate(() => navigator.clipboard.readText())
    expect(curl).toContain(`--data-raw '{"name":"O'\\''Malley","categoryId":1}'`)
    await button('Send again').click()
    await page.locator('.why', { hasText: 'possible duplicate of req_000001' }).waitFor()
    await button('Edit…').click()
    await page.getByLabel('Body').fill('{"name":7}')
    await button('Send edited').click()
    await page.locator('.why.warn', { hasText: '400' }).waitFor()
    await button('503 the next one like it').click()
    await page.locator('.rules', { hasText: 'createPet → 503' }).waitFor()
  })

  it('scrolls through a million pets, of which it draws what is seen', async () => {
    await open()
    await control('POST', '/seed', { count: 1_000_000, seed: 1 })
    await page.goto(`${program.origin}/_sandbox/#/pets`)
    await page.getByText('1,000,000 pets', { exact: true }).waitFor()
    await page.locator('#pets').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await page.locator('tbody tr', { hasText: /^1000000/ }).waitFor()
    await page.locator('#pets').evaluate((list) => list.scrollTo(0, list.scrollHeight / 2))
    await page
      .locator('tbody tr', { hasText: /^500\d\d\d/ })
      .first()
      .waitFor()
    expect(await page.locator('tbody tr').count()).toBeLessThan(80)
    await button('sold').click()
    await page.locator('tbody tr', { hasText: 'sold' }).first().waitFor()
  }, 90_000)

  it('seeds, adds, saves, compares, restores and resets pets', async () => {
    await open('#/pets')
    await page.getByText('12 pets', { exact: true }).waitFor()
    await button('Save').click()
    await page.locator('.pets .rules', { hasText: 'before, 12 pets' }).waitFor()
    await page.locator('.pets aside').getByLabel('name', { exact: true }).fill('Zebulon')
    await page.getByLabel('categoryId').fill('9007199254740993')
    await button('Add').click()
    await page.getByText('13 pets', { exact: true }).waitFor()
    await page.locator('tbody tr', { hasText: 'Zebulon' }).getByText('9007199254740993').waitFor()
    await button('Compare before with now').click()
    await page.getByText('Since before: 1 added, 0 removed, 0 changed.').waitFor()
    await page.getByLabel('categoryId').fill('one')
    await button('Add').click()
    await page.getByRole('alert').filter({ hasText: 'categoryId' }).waitFor()
    await button('Restore before').click()
    await page.getByText('12 pets', { exact: true }).waitFor()
    await button('busy').click()
    await page.getByText('500 pets', { exact: true }).waitFor()
    await button('Reset').click()
    await page.getByText('12 pets', { exact: true }).waitFor()
  })

  it('has the fields of a pet from the effective document, what an overlay adds too', async () => {
    const overlay = join(temporaryFolder(), 'more.yaml')
    writeFileSync(overlay, MORE_ABOUT_PETS)
    await open('#/pets', ['--overlay', overlay])
    await page.getByRole('columnheader', { name: 'bornOn' }).waitFor()
    const form = page.locator('section', { hasText: 'Add a pet' })
    await form.getByLabel('name', { exact: true }).fill('Kit')
    await form.getByLabel('status').selectOption('adopted')
    await form.getByLabel('bornOn').fill('yesterday')
    await form.getByLabel('tags').fill('["calm",9007199254740993]')
    await button('Add').click()
    await page.getByRole('alert').filter({ hasText: 'bornOn' }).filter({ hasText: 'tags' }).waitFor()
    await form.getByLabel('bornOn').fill('2026-01-31')
    await form.getByLabel('tags').fill('["calm","old"]')
    await button('Add').click()
    await page.getByRole('row', { name: /Kit .*adopted .*"calm","old".* 2026-01-31/ }).waitFor()
    await button('adopted').click()
    await page.getByText('1 pet', { exact: true }).waitFor()
    expect(await violations()).toEqual([])
    await button('Rule…').click()
    await page.getByLabel('Operation').selectOption('updatePet')
  })

  it('issues and revokes keys, and leaves them requests', async () => {
    await open('#/limits')
    await button('Leave 0: psk_business').click()
    await page.locator('tr', { hasText: 'psk_business' }).getByText('0 / 1,000').waitFor()
    await button('Issue').click()
    const issued = page.locator('section', { hasText: 'Issue a key' }).locator('code')
    const key = (await issued.textContent()) as string
    await page.locator('tr', { hasText: key }).waitFor()
    await button(`Revoke ${key}`).click()
    await page.locator('tr', { hasText: key }).getByText('revoked').waitFor()
  })

  it('reports what was called and which gates would hold', async () => {
    await open('#/report')
    await api('/pets')
    await page.locator('tr', { hasText: 'createPet' }).getByText('never called').waitFor()
    await api('/pets/1')
    await page.locator('tr', { hasText: 'deprecated' }).getByText('fails').waitFor()
    expect(await page.locator('.snippet code').textContent()).toMatch(
      /exec --fail-on rate-limited,.*-- npm test/,
    )
    await page.locator('tr', { hasText: 'listPets' }).getByRole('link').click()
    await row('/v1/pets').waitFor()
    expect(await page.locator('[data-row]').count()).toBe(1)
  })

  it('connects: snippets of this address, and the reference as a document of its own', async () => {
    await open('#/connect?namespace=w1')
    await page
      .locator('pre', { hasText: `${program.baseUrl}/pets?limit=5` })
      .first()
      .waitFor()
    expect(await page.locator('pre').first().textContent()).toContain('psk_pro.w1')
    await button(/Open the reference/).click()
    const reference = page.frameLocator('iframe')
    await reference.locator('rapi-doc').getByText('List all animals').first().click()
    await reference.locator('rapi-doc').getByRole('button', { name: 'TRY' }).first().click()
    await expect.poll(async () => (await control('GET', '/requests?namespace=w1')).length).toBe(1)
  })

  it('switches between worlds, and shows all of them in one list', async () => {
    await open()
    await api('/pets?limit=1')
    await api('/pets?limit=2', { key: 'psk_pro.w1' })
    await row('limit=1').waitFor()
    await page.getByLabel('namespace').selectOption('w1')
    await row('limit=2').waitFor()
    expect(await row('limit=1').count()).toBe(0)
    expect(new URL(page.url()).hash).toBe('#/requests?namespace=w1')
    expect(await button('+61 s').getAttribute('data-command')).toContain('--namespace w1')
    await page.getByLabel('namespace').selectOption('*')
    await row('limit=1').waitFor()
    await api('/pets?limit=3', { key: 'psk_pro.w1' })
    await row('limit=3').waitFor()
    // Both are called req_000001.
    await row('limit=2').click()
    await page.locator('.target', { hasText: 'limit=2' }).waitFor()
    await row('limit=1').click()
    await page.locator('.target', { hasText: 'limit=1' }).waitFor()
    expect(await page.locator('[data-row][aria-current]').count()).toBe(1)
    await row('limit=2').click()
    await button('Send again').hover()
    expect(await command().textContent()).toContain('--namespace w1')
  })

  it('shows held requests and lets them go on', async () => {
    await open()
    await control('POST', '/faults', {
      match: { operationId: 'listPets' },
      effect: { hold: { until: 'released' } },
      times: 1,
      for: '5m',
    })
    await page.locator('.rules', { hasText: 'ends in' }).waitFor()
    const held = api('/pets')
    await button('Release hold_1').click()
    expect(JSON.parse(await held)).toHaveLength(12)
    await button('Release hold_1').waitFor({ state: 'detached' })
  })

  it('names the test that sent a request, and filters by it', async () => {
    await open()
    await api('/pets')
    const headers = { authorization: 'Bearer psk_pro', baggage: 'test.name=adds%20a%20pet' }
    await fetch(`${program.baseUrl}/pets?limit=2`, { headers })
    await row('limit=2').click()
    await page.getByRole('link', { name: 'adds a pet' }).click()
    await page.getByText('1 of 2', { exact: true }).waitFor()
  })

  it('drops a namespace after asking once', async () => {
    await open('#/requests?namespace=w1')
    await api('/pets', { key: 'psk_pro.w1' })
    await row('/v1/pets').waitFor()
    await button('Drop…').click()
    expect(await violations()).toEqual([])
    await button('Drop w1').click()
    await expect.poll(() => new URL(page.url()).hash).toBe('#/requests')
    expect((await control('GET', '/namespaces')).map(({ name }: { name: string }) => name)).toEqual([
      'default',
    ])
  })

  it('chooses a span of time by the keyboard', async () => {
    await open('', ['--now', '2026-11-19T12:34:56Z', '--freeze'])
    await api('/pets?limit=1')
    await control('POST', '/clock', { advance: '30s' })
    await api('/pets?limit=2')
    await row('limit=1').waitFor()
    await page.locator('.timeline .frame').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    await row('limit=1').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await row('limit=1').waitFor()
  })

  it('goes back in time: what was then, rewind and fork', async () => {
    await open()
    await api('/pets', { body: { name: 'First', categoryId: 1 } })
    await api('/pets', { body: { name: 'Second', categoryId: 1 } })
    await row('201').waitFor()
    await page.getByRole('slider', { name: 'Point in time' }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.then', { hasText: 'before req_000002' }).waitFor()
    expect(await page.locator('[data-row]', { hasText: 'later' }).count()).toBe(1)
    expect(await row('later').getAttribute('data-row')).toContain('req_000002')
    expect(await button('+61 s').isDisabled()).toBe(true)
    expect(await violations()).toEqual([])
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByText('13 pets', { exact: true }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await page.getByText('1 request by operation and status').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('2 requests by operation and status').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByText('14 pets', { exact: true }).waitFor()
    await page.keyboard.press('[')
    await button('Fork from here…').click()
    await button('Fork').hover()
    expect(await command().textContent()).toContain('fork w2 --at req_000002 --side before')
    await button('Fork').click()
    await expect.poll(() => new URL(page.url()).hash).toBe('#/requests?namespace=w2')
    expect((await control('GET', '/pets?namespace=w2')).length).toBe(13)
    await page.goto(`${program.origin}/_sandbox/#/requests`)
    await row('201').waitFor()
    await page.getByRole('slider', { name: 'Point in time' }).waitFor()
    await page.keyboard.press('[')
    const downloading = page.waitForEvent('download')
    await button('Save the recording').click()
    const saved = await (await downloading).path()
    expect(readFileSync(saved, 'utf8').split('\n')[0]).toContain('"recording":1')
    expect((await replay(saved)).difference).toBeUndefined()
    await button('Rewind to before').click()
    await expect.poll(async () => (await control('GET', '/pets')).length).toBe(13)
    await page.locator('.then').waitFor({ state: 'detached' })
  })

  it('is back at now once somebody else has rewound beyond the point', async () => {
    await open()
    await api('/pets?limit=1')
    await api('/pets?limit=2')
    await row('limit=2').waitFor()
    await page.keyboard.press('[')
    await page.locator('.then', { hasText: 'before req_000002' }).waitFor()
    expect(await button('Save the recording').getAttribute('data-command')).toMatch(/ > default\.jsonl$/)
    await control('POST', '/faults', { effect: { status: 503 } })
    await page.locator('.then').waitFor()
    await control('POST', '/rewind', { to: 'req_000002' })
    await page.locator('.then').waitFor({ state: 'detached' })
    expect(await row('later').count()).toBe(0)
  })

  it('sends again in the state of that moment, in a namespace of its own', async () => {
    await open()
    await api('/pets', { body: { name: 'First', categoryId: 1 } })
    await api('/pets', { body: { name: 'Second', categoryId: 1 } })
    await row('201').waitFor()
    await page.goto(`${program.origin}/_sandbox/#/requests/req_000001`)
    await button('Send in the state before it…').click()
    await button('Send in w2').hover()
    const line = await command().textContent()
    const where = `--url ${program.origin}`
    expect(line).toBe(
      `petstore-sandbox fork w2 --at req_000001 --side before ${where} && petstore-sandbox requests --resend req_000001 --into w2 ${where}`,
    )
    expect(await violations()).toEqual([])
    await button('Send in w2').click()
    await page.getByRole('link', { name: 'req_000001 in w2' }).waitFor()
    expect(await control('GET', '/pets?namespace=w2')).toHaveLength(13)
    expect(await control('GET', '/pets')).toHaveLength(14)
    expect((await control('GET', '/requests?namespace=w2'))[0].findings).toEqual([])
    await page.getByRole('link', { name: 'req_000001 in w2' }).click()
    await page.locator('.facts', { hasText: 'w2' }).first().waitFor()
    expect(new URL(page.url()).hash).toBe('#/requests/req_000001?namespace=w2')
    // The line does the same: into another namespace, as the first one has changed.
    const words = (line as string).replaceAll('w2', 'w3').split(' && ')
    for (const each of words) expect(await run(each.split(' ').slice(1))).toMatchObject({ code: 0 })
    expect(await control('GET', '/pets?namespace=w3')).toHaveLength(13)
    await fetch(`${program.baseUrl}/pets`)
    await page.goto(`${program.origin}/_sandbox/#/requests`)
    await row('no key').click()
    await page.getByText('this one came without a key').waitFor()
    expect(await button('Send in the state before it…').count()).toBe(0)
  })

  it('sends again in the state of that moment, edited', async () => {
    await open()
    await api('/pets', { body: { name: 'First', categoryId: 1 } })
    await row('201').click()
    await button('Edit…').click()
    await page.getByLabel('Body').fill('{"name":"Other","categoryId":2}')
    await button('Send in the state before it…').click()
    await page.getByLabel('Into the namespace').fill('w 5')
    await button('Send edited in w 5').click()
    await page.getByRole('alert').filter({ hasText: 'into' }).waitFor()
    await page.getByLabel('Into the namespace').fill('w5')
    await button('Send edited in w5').click()
    await page.getByRole('link', { name: 'req_000001 in w5' }).click()
    await page.locator('.body pre', { hasText: 'Other' }).waitFor()
    expect(await control('GET', '/pets')).toHaveLength(13)
  })

  it('says when the sandbox is away, and comes back by itself', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    await program.stop()
    await page.getByText('The sandbox is away').waitFor()
    program = await start(['--port', new URL(program.origin).port, '--memory', '--log', 'silent'])
    await page.locator('.live', { hasText: 'live' }).waitFor()
    await api('/pets?limit=7')
    await row('limit=7').waitFor()
  })

  it('says when the network is cut, and comes back by itself', async () => {
    await open()
    await context.setOffline(true)
    await button('+61 s').click()
    await page.getByText('The sandbox is away').waitFor()
    await page.getByText('The sandbox does not answer.').waitFor()
    await context.setOffline(false)
    await page.locator('.live', { hasText: 'live' }).waitFor()
    await page.getByText('The sandbox does not answer.').waitFor({ state: 'detached' })
    await api('/pets?limit=7')
    await row('limit=7').waitFor()
  })

  it('asks for the control token once, and puts it in no address', async () => {
    await open('', ['--control-token', 's3cret'])
    await page.getByLabel('Control token').waitFor()
    expect(await violations()).toEqual([])
    await page.getByLabel('Control token').fill('wrong')
    await button('Open').click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Control token').fill('s3cret')
    await button('Open').click()
    await api('/pets')
    await row('/v1/pets').waitFor()
    await page.reload()
    await row('/v1/pets').waitFor()
    expect(page.url()).not.toContain('s3cret')
  })

  it('says how to start where the guard refuses its data', async () => {
    program = await start(['--port', '0', '--memory', '--log', 'silent'])
    program = { ...program, origin: program.origin.replace('localhost', 'sandbox.localhost') }
    await visit()
    await page.getByText('answers under localhost, 127.0.0.1 or [::1] only').waitFor()
    await page.getByText('petstore-sandbox start --host 0.0.0.0 --control-token').waitFor()
  })

  it('keeps up with a stream of requests, and hides by Clear in this page only', async () => {
    await open()
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 150; i++) await api('/pets?limit=1', { key: 'psk_enterprise' })
      }),
    )
    await page.locator('.amount', { hasText: /^[\d,]+ of [\d,]+, [\d,]+ more counted$/ }).waitFor()
    // What was left out follows from the journal, and of a long list only what is seen is drawn.
    await page.locator('.amount', { hasText: /^1,\d{3} of 1,\d{3}/ }).waitFor()
    await page.locator('.scroll').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await row('limit=1').waitFor()
    expect(await page.locator('[data-row]').count()).toBeLessThan(60)
    const read = page.locator('[data-row]').nth(20)
    const name = await read.getAttribute('data-row')
    const placeOf = async () => (await page.locator(`[data-row="${name}"]`).boundingBox())?.y
    const [place, amount] = [await placeOf(), await page.locator('.amount').textContent()]
    await api('/pets/7')
    await expect.poll(() => page.locator('.amount').textContent()).not.toBe(amount)
    expect(await placeOf()).toBe(place)
    // Back in time, the list goes to the place.
    await page.keyboard.press('[')
    await row('later').waitFor()
    await page.keyboard.press('Escape')
    await row('later').waitFor({ state: 'detached' })
    await button('Clear').click()
    await page.getByText('Nothing yet. The next request appears here.').waitFor()
    expect((await control('GET', '/requests')).length).toBe(1000)
  }, 60_000)

  it('asks nothing while nobody sees it, and is up to date once it is seen', async () => {
    await open()
    await api('/pets', { key: 'psk_free' })
    await page.locator('.instruments .gauge', { hasText: '59 / 60' }).waitFor()
    const show = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: hidden })
        document.dispatchEvent(new Event('visibilitychange'))
      }, isHidden)
    await show(true)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await api('/pets', { key: 'psk_free' })
    await row('58 left').waitFor()
    await page.waitForTimeout(400)
    expect(asked).toEqual([])
    await show(false)
    await page.locator('.instruments .gauge', { hasText: '58 / 60' }).waitFor()
  })

  it('leaves two pages to themselves', async () => {
    await open()
    await api('/pets')
    const second = await context.newPage()
    watch(second)
    await second.goto(`${program.origin}/_sandbox/`)
    await second.getByRole('button', { name: '2 s late' }).click()
    await page.locator('.rules', { hasText: 'every request → 2s' }).waitFor()
  })

  it('begins anew with each world: not paused, all times, nothing that was said of another one', async () => {
    await open('', ['--now', '2026-11-19T12:34:56Z', '--freeze'])
    await api('/pets?limit=1')
    await control('POST', '/clock', { advance: '30s' })
    await control('POST', '/clock?namespace=w1', { set: '2026-11-19T12:00:00Z' })
    await api('/pets?limit=2', { key: 'psk_pro.w1' })
    await row('limit=1').waitFor()
    await page.locator('.timeline .frame').focus()
    await page.keyboard.press('ArrowLeft')
    await row('limit=1').waitFor({ state: 'detached' })
    await button('Pause').click()
    await page.getByLabel('namespace').selectOption('w1')
    await row('limit=2').waitFor()
    expect(await button('Pause').getAttribute('aria-pressed')).toBe('false')
    await page.goto(`${program.origin}/_sandbox/#/limits?namespace=w1`)
    await button('Issue').click()
    await page.locator('.sheet code').waitFor()
    await page.goto(`${program.origin}/_sandbox/#/pets?namespace=w1`)
    await button('Save').click()
    await button('Compare before with now').click()
    await page.getByText('Since before').waitFor()
    await page.getByLabel('namespace').selectOption('default')
    await button('Compare before with now').waitFor({ state: 'detached' })
    expect(await page.getByText('Since before').count()).toBe(0)
    await page.goto(`${program.origin}/_sandbox/#/limits`)
    await button('Issue').waitFor()
    expect(await page.locator('.sheet code').count()).toBe(0)
  })

  it('changes nothing where a number is none, or a field was emptied', async () => {
    await open('#/pets', ['--now', '2026-11-19T12:34:56Z', '--freeze'])
    await page.getByText('12 pets', { exact: true }).waitFor()
    for (const amount of ['', '1e3']) {
      await page.getByLabel('Generate so many').fill(amount)
      await button('Generate').click()
      await page.getByRole('alert').filter({ hasText: 'count must be an integer' }).waitFor()
      await button('Reset').click()
    }
    await page.getByLabel('Generate so many').fill('5')
    await page.getByLabel('Shares of each status').fill('available=,sold=1')
    await button('Generate').click()
    await page.getByRole('alert').filter({ hasText: 'status.available must be a number' }).waitFor()
    await button('Rule…').click()
    await page.getByLabel('Times').fill('abc')
    expect(await button('Add the rule').getAttribute('data-command')).toContain('--times abc')
    await button('Set…').click()
    await page.getByLabel('Instant, UTC').fill('')
    await button('Set the clock').click()
    await page.getByRole('alert').filter({ hasText: 'set must be' }).waitFor()
    expect(await page.getByLabel('Instant, UTC').inputValue()).toBe('')
    expect(await control('GET', '/pets')).toHaveLength(12)
  })

  it('has lines for pets and snapshots that do in a shell what their buttons do', async () => {
    await open('#/pets')
    const inShell = async (name: string) => {
      const line = (await button(name).getAttribute('data-command')) as string
      await promisify(execFile)('sh', [
        '-c',
        line.replace('petstore-sandbox', `"${process.execPath}" "${BIN}"`),
      ])
    }
    await page.locator('.pets aside').getByLabel('name', { exact: true }).fill('C:\\new "\'%s')
    await button('Add').click()
    await page.getByText('13 pets', { exact: true }).waitFor()
    await inShell('Add')
    await page.getByText('14 pets', { exact: true }).waitFor()
    const names = (await control('GET', '/pets')).map(({ name }: { name: string }) => name)
    expect(names.slice(12)).toEqual(['C:\\new "\'%s', 'C:\\new "\'%s'])
    await control('PUT', '/snapshots/before')
    // Nobody told the page.
    await button('Restore before').waitFor()
    expect(await button('Save').getAttribute('data-command')).toContain('save before --force')
    await control('POST', '/seed', { fixture: 'empty' })
    await inShell('Save')
    expect(await control('GET', '/snapshots')).toMatchObject([{ name: 'before', pets: 0 }])
  })

  it('has a reference that follows key and namespace', async () => {
    await open('#/connect')
    await button(/Open the reference/).click()
    const reference = page.frameLocator('iframe').locator('rapi-doc')
    await reference.waitFor()
    await page.locator('.sheet').getByLabel('Key').selectOption('psk_business')
    await expect.poll(() => reference.getAttribute('api-key-value')).toBe('Bearer psk_business')
  })

  it('copies where the browser has no clipboard for pages, as on plain http from another host', async () => {
    program = await start(['--port', '0', '--memory', '--log', 'silent'])
    await visit()
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await button('+61 s').focus()
    await page.keyboard.press('y')
    await page.getByText('copied').first().waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('+61 s')
    await api('/pets')
    await page.locator('#filter').focus()
    await page.keyboard.press('Control+V')
    expect(await page.locator('#filter').inputValue()).toContain('petstore-sandbox clock advance 61s')
  })

  it('leads from each early retry and ignored input to its requests', async () => {
    await open('', ['--limits', 'free=1/100', '--set', 'ban.enabled=false'])
    for (let i = 0; i < 3; i++) await api('/pets', { key: 'psk_free' })
    await api('/pets?color=red', { key: 'psk_pro.w1' })
    await api('/pets?limit=1')
    await page.goto(`${program.origin}/_sandbox/#/report`)
    await page.locator('section', { hasText: '1 early retry' }).last().getByRole('link').click()
    await page.getByText('1 of 4', { exact: true }).waitFor()
    await page.goto(`${program.origin}/_sandbox/#/report?namespace=*`)
    await page.locator('section', { hasText: '1 input ignored' }).last().getByRole('link').click()
    await page.getByText('1 of 5', { exact: true }).waitFor()
    await row('color=red').waitFor()
  })

  it('leaves what is behind a dialog as it is', async () => {
    await open('#/requests?namespace=w1')
    await api('/pets', { key: 'psk_pro.w1' })
    await row('/v1/pets').click()
    await button('Drop…').click()
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).hash).toBe('#/requests/req_000001?namespace=w1')
  })

  it('has room for the list where it is zoomed in four times', async () => {
    await open('', [], { viewport: { width: 320, height: 256 } })
    await api('/pets')
    await row('/v1/pets').waitFor({ state: 'attached' })
    expect((await page.locator('.scroll').boundingBox())?.height).toBeGreaterThan(100)
    await row('/v1/pets').click()
    await button('Copy as curl').click({ trial: true })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })

  it('has targets for fingers, and shows where it stands in forced colours', async () => {
    await open('#/report', [], { viewport: { width: 360, height: 740 }, forcedColors: 'active' })
    await api('/pets/1')
    await page.locator('td a').first().waitFor()
    for (const view of ['Report', 'Connect', 'Requests', 'Limits']) {
      await page.getByRole('link', { name: view }).click()
      await page.getByRole('main', { name: view }).locator('a, button').first().waitFor()
      const small = await page.locator('a, button, input, select, [role=slider]').evaluateAll((all) =>
        all
          .map((each) => ({ each, box: each.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.height < 24 || box.width < 24))
          .map(({ each }) => each.outerHTML),
      )
      // Where lines of a text go on, WCAG asks for no size.
      expect(small.filter((html) => !html.includes('openapi'))).toEqual([])
    }
    await page.goto(`${program.origin}/_sandbox/#/requests`)
    const colours = await page
      .getByRole('slider')
      .evaluate((handle) => [
        getComputedStyle(handle, '::before').backgroundColor,
        getComputedStyle(document.body).backgroundColor,
      ])
    expect(colours[0]).not.toBe(colours[1])
  })

  it.each([
    ['#/requests', 1440],
    ['#/requests/req_000003', 1440],
    ['#/requests/req_000003', 360],
    ['#/pets', 1440],
    ['#/limits', 1440],
    ['#/report', 900],
    ['#/connect', 360],
  ])('%s at a width of %i is accessible, light and dark', async (hash, width) => {
    program = await start(['--port', '0', '--memory', '--log', 'silent', '--limits', 'free=2/100'])
    await control('POST', '/faults', {
      match: { operationId: 'createPet' },
      effect: { wire: 'reset' },
      times: 1,
    })
    for (let i = 0; i < 4; i++) await api('/pets', { key: 'psk_free' })
    await api('/pets/1')
    await api('/pets', { body: { name: 'Kit', categoryId: 2 } })
    await visit(hash, { viewport: { width, height: 860 } })
    await page.locator('.live', { hasText: 'live' }).waitFor()
    await page.waitForFunction(() => document.querySelectorAll('[data-row], td, tbody tr').length > 3)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations()).toEqual([])
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
