import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { violationsOn as violations } from '../support/axe.ts'
import { run } from '../support/program.ts'
import { hasChromium } from './chromium.ts'
import {
  api,
  button,
  command,
  context,
  control,
  copied,
  focusedText,
  hash,
  open,
  page,
  pets,
  program,
  row,
  rows,
  titleOf,
  withBrowser,
} from './inspector-page.ts'

describe.skipIf(!hasChromium)('the inspector', () => {
  withBrowser()

  it('begins with a command to copy, and shows the list after the first request', async () => {
    await open()
    expect(await page.locator('.start code').last().textContent()).toBe(
      `curl ${program.baseUrl}/pets -H 'Authorization: Bearer psk_pro'`,
    )
    await expect.poll(focusedText).toBe('Copy')
    await api('/pets')
    await row('/v1/pets').waitFor()
    expect(await page.locator('.start').count()).toBe(0)
    await api('/pets')
    await row('× 2').click()
    // The numbers of all namespaces are read every few seconds.
    await expect.poll(() => page.textContent('.namespace')).toContain('2 requests')
    await page.locator('.detail h2', { hasText: 'GET /v1/pets' }).waitFor()
    // The limits decide more than the type.
    const headers = async () =>
      (await page.locator('.detail pre + .pairs dt').allInnerTexts()).map((name) => name.slice(0, 12))
    const expected = ['x-ratelimit-', 'x-ratelimit-', 'x-ratelimit-', 'content-type']
    await expect.poll(async () => (await headers()).slice(0, 4)).toEqual(expected)
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
    expect(why).toContain('in\u00a038\u00a0s')
    expect(hash()).toBe('#/requests/req_000004')
    await expect.poll(titleOf).toBe(`429 GET /v1/pets · default · :${new URL(program.origin).port}`)
    await page.reload()
    await page.locator('.why').getByText('used up').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(focusedText).toContain('too early')
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
    await expect.poll(async () => (await rows()).slice(0, 2).join()).toMatch(/limit=1[\s\S]*held/)
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
    await expect.poll(() => page.locator('.row.pale').count()).toBe(1)
    expect(await page.locator('.row.pale').getAttribute('data-command')).toContain('--undo --branch branch_1')
    // A link from before the rewind.
    await page.evaluate(() => {
      location.hash = '#/requests/req_000002'
    })
    await page.locator('.mark', { hasText: 'undone' }).waitFor()
    await page.getByText('replay default.jsonl --until req_000001 --port 4011').waitFor()
    // The words of the line stand on the baseline of its sentence.
    const bottoms = await page.locator('.notice .whole').evaluate((line) =>
      [line.firstChild, line.querySelector('.unbroken')?.firstChild].map((text) => {
        const range = document.createRange()
        range.selectNode(text as Node)
        return range.getBoundingClientRect().bottom
      }),
    )
    expect(bottoms[0]).toBeCloseTo(bottoms[1] ?? 0, 0)
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

  it('names no present event by the id of an undone one', async () => {
    await open()
    await api('/pets')
    await control('PUT', '/label', { label: 'one' })
    await api('/pets?limit=1')
    await control('POST', '/rewind', { to: 'req_000001', side: 'after' })
    await control('PUT', '/label', { label: 'two' })
    const undone = row('test: one')
    await undone.and(page.locator('.pale')).waitFor()
    expect(await undone.getAttribute('data-command')).toContain('rewind --undo --branch branch_1')
    await row('limit=1').click()
    await page.locator('.mark', { hasText: 'undone' }).waitFor()
    expect(await page.locator('.tabs [aria-pressed]').allInnerTexts()).toEqual(['Response', 'Request', 'Raw'])
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
    await expect.poll(() => page.locator('[data-row].pale').count()).toBe(2)
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

  it('says nothing about requests, rules and decisions before it has read them', async () => {
    await open()
    await api('/pets')
    await control('POST', '/faults', { effect: { status: 503 } })
    await page.route(/_sandbox\/(requests|namespaces|faults|decisions|keys|snapshots)/, () => {})
    await page.reload()
    await page.locator('.live').waitFor()
    await page.getByText('Reading the requests.').waitFor()
    expect(await page.textContent('.namespace')).not.toContain('0 requests')
    expect(await page.textContent('.bar')).not.toContain('0')
    await page.getByText('Reading the rules.').waitFor()
    await page.goto(`${program.origin}/_sandbox/#/connect`)
    await page.getByText('Reading the keys.').waitFor()
    expect(await page.textContent('main')).not.toContain('YOUR_KEY')
    await page.goto(`${program.origin}/_sandbox/#/report`)
    await page.getByText('never called').first().waitFor()
    expect(await page.textContent('main')).not.toContain('the last 0')
    await page.goto(`${program.origin}/_sandbox/#/pets`)
    await page.getByText('12 pets').waitFor()
    expect(await page.textContent('main')).not.toContain('none saved')
    expect(await page.locator('.pets tbody td:last-child').first().textContent()).toBe('')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.route(/_sandbox\/decisions/, () => {})
    await page.goto(`${program.origin}/_sandbox/#/connect`)
    await page.reload()
    await page.getByText('API reference').waitFor()
    expect(await page.getByText('differs from its default').count()).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('reads again what was not answered when the page was opened', async () => {
    await open()
    await api('/pets')
    for (const path of ['requests', 'health'])
      await page.route(`**/_sandbox/${path}?*`, (route) => route.abort(), { times: 1 })
    await page.reload()
    await row('/v1/pets').waitFor()
    await button('503 twice').waitFor()
  })

  it('the second click of a double click meets nothing that the first one has moved there', async () => {
    await open()
    for (let i = 0; i < 3; i++) await control('POST', '/faults', { effect: { status: 503 } })
    await button('Remove fault_3').waitFor()
    // The limits are read on their own, and move the rules down.
    await page.getByText('300 / 300').waitFor()
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
    // Two fast clicks are two steps.
    for (const [index, text] of ['2nd of 3 early retries', '1st of 3 early retries'].entries()) {
      // Data that the page is still reading may move the link.
      await page.getByRole('link', { name: 'previous' }).hover()
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

  it('a click that presses nothing, as some screen readers make it, works', async () => {
    await open()
    await button('+1 day').evaluate((each) =>
      each.dispatchEvent(new MouseEvent('click', { detail: 1, bubbles: true, cancelable: true })),
    )
    await expect
      .poll(async () => Date.parse((await control('GET', '/clock')).now))
      .toBeGreaterThan(Date.now() + 80_000_000)
  })

  it('opens no request of which a text is selected to copy it', async () => {
    await open()
    await api('/pets?limit=5')
    const path = (await row('limit=5').locator('.target .cut').boundingBox()) ?? expect.unreachable()
    await page.mouse.move(path.x + 1, path.y + 10)
    await page.mouse.down()
    await page.mouse.move(path.x + 60, path.y + 10, { steps: 4 })
    await page.mouse.up()
    expect(await page.evaluate(() => getSelection()?.toString())).toContain('/v1')
    expect(hash()).toBe('')
    await row('limit=5').click()
    await page.locator('.detail h2').waitFor()
  })

  it('opens a request by an unsteady click, and while a text elsewhere is selected', async () => {
    await open()
    await api('/pets?limit=5')
    const path = (await row('limit=5').locator('.target .cut').boundingBox()) ?? expect.unreachable()
    const { x, width } = await row('limit=5')
      .locator('.target .cut')
      .evaluate(({ firstChild }) => {
        const first = document.createRange()
        first.setStart(firstChild as Node, 0)
        first.setEnd(firstChild as Node, 1)
        return first.getBoundingClientRect().toJSON()
      })
    await page.mouse.move(x + width / 2 - 1, path.y + 10)
    await page.mouse.down()
    await page.mouse.move(x + width / 2 + 1, path.y + 10)
    await page.mouse.up()
    expect(await page.evaluate(() => getSelection()?.toString())).toHaveLength(1)
    await page.locator('.detail h2').waitFor()
    await page.goBack()
    // As a screen reader clicks, without the pointer.
    await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('.head') as Element))
    await row('limit=5').evaluate((each: HTMLElement) => each.click())
    await page.locator('.detail h2').waitFor()
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
    await page.locator('.amount', { hasText: /^4 requests/ }).waitFor()
  })

  it('forgets the requests of a dropped namespace also if the journal of another is full', async () => {
    await open('#/requests?namespace=*', ['--limits', 'pro=unlimited/unlimited'])
    for (let i = 0; i < 3; i++) await api('/pets', { key: 'psk_pro.w1' })
    await page.locator('.amount', { hasText: /^3 requests/ }).waitFor()
    for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 20 }, () => api('/pets?limit=1')))
    await page.locator('.amount', { hasText: /^1,003 requests/ }).waitFor()
    await control('DELETE', '/namespaces/w1')
    await page.locator('.amount', { hasText: /^1,000 requests/ }).waitFor()
  })

  it('reads the requests of all namespaces a few times only if many are dropped at once', async () => {
    await open('#/requests?namespace=*')
    const names = Array.from({ length: 20 }, (_, i) => `w${i}`)
    await Promise.all(names.map((name) => api('/pets', { key: `psk_pro.${name}` })))
    await page.locator('.amount', { hasText: /^20 requests/ }).waitFor()
    let reads = 0
    page.on('request', (request) => {
      if (request.url().includes('/requests?')) reads++
    })
    await Promise.all(names.map((name) => control('DELETE', `/namespaces/${name}`)))
    await expect.poll(() => page.locator('.row.request').count()).toBe(0)
    expect(reads).toBeLessThan(5)
  })

  it('shows the namespace of each request at every width, if all are shown', async () => {
    await open('#/requests?namespace=*')
    await api('/pets/1', { key: 'unknown' })
    await api('/pets')
    await row('200').waitFor()
    await expect.poll(titleOf).toContain('· all ·')
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
    await expect.poll(pets).toBe(14)
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
    const soon = new Date(Date.now() + 600_000).toISOString()
    await control('POST', '/keys', { plan: 'pro', expiresAt: soon })
    await control('PUT', '/keys/psk_free/ban', { seconds: 600 })
    await page.locator('.keys', { hasText: 'banned until' }).getByText('issued, expires in').waitFor()
    // The last seconds pass while the page is shown.
    await control('POST', '/clock', { advance: '598s' })
    await page
      .locator('.keys', { hasNotText: 'banned until' })
      .getByText(/^expired \d+ \w+ 2/)
      .waitFor()
    const expired = page.locator('.keys tr', { hasText: 'psk_expired' })
    expect(await expired.getByRole('button').allInnerTexts()).toEqual(['Revoke'])
    await page.locator('.instruments', { hasNotText: 'Lift ban' }).waitFor()
  })

  it('a key of default changes no name of a key in another namespace', async () => {
    await open('#/requests?namespace=w1')
    const { key } = await control('POST', '/keys?namespace=w1', { plan: 'free' })
    await api('/pets', { key })
    await row('own free key 1').waitFor()
    await control('POST', '/keys', { plan: 'free' })
    await api('/pets', { key })
    await row(/× 2.*own free key 1/s).waitFor()
    await page.locator('.instruments .gauge', { hasText: 'own free key 1' }).waitFor()
  })

  it('a key has not the name of one that was reset before', async () => {
    await open()
    for (const path of ['/pets?limit=1', '/pets?limit=2']) {
      const { key } = await control('POST', '/keys', { plan: 'free' })
      await api(path, { key })
      await row(/free key 1/)
        .and(page.locator('.request', { hasText: path }))
        .waitFor()
      if (path === '/pets?limit=1') await control('POST', '/reset', { only: ['keys'] })
    }
    await expect.poll(() => page.locator('.request', { hasText: 'free key 1' }).count()).toBe(1)
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
    // Each box is beside its text, in one line.
    const heights = await page.locator('.check').evaluateAll((all) => all.map((each) => each.clientHeight))
    expect(heights.filter((height) => height > 0)).toEqual(Array(7).fill(24))
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
    await expect.poll(() => command().textContent()).toBe(line)
    await page.keyboard.press('y')
    await page.getByText('copied').first().waitFor()
    await expect.poll(copied).toBe(line)
    await run(line.split(' ').slice(1))
    await page.locator('.time', { hasText: '12:35:57' }).waitFor()
    await button('+61 s').click()
    await page.locator('.time', { hasText: '12:36:58' }).waitFor()
    await api('/pets')
    await row('/v1/pets').hover()
    await expect.poll(() => command().textContent()).toBe(`petstore-sandbox rewind req_000001 ${url}`)
    await page.getByRole('link', { name: 'Report' }).hover()
    await expect.poll(() => command().textContent()).toBe(`petstore-sandbox report ${url}`)
    await row('clock +61s').hover()
    await expect.poll(() => command().textContent()).toBe(`petstore-sandbox clock advance 61s ${url}`)
    // The button and its command line have disappeared.
    await button('Clear').click()
    await page.mouse.move(700, 600)
    await page.keyboard.press('y')
    await page.getByText('copied').first().waitFor()
    await expect.poll(copied).toBe(await command().textContent())
    // A browser may refuse the page its clipboard, such as in a frame.
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('Write permission denied.'))
    })
    await button('+1 day').hover()
    await page.keyboard.press('y')
    await expect.poll(copied).toContain('clock advance 1d')
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
    const printed = known.map((line) => `printf '%s\\n' ${line.replace(/ > \S+$/, '')}; printf '\\f'`)
    const words = execFileSync('bash', ['-c', printed.join('\n')], { encoding: 'utf8' })
      .split('\f')
      .slice(0, -1)
      .map((each) => each.trimEnd().split('\n').slice(1))
    expect(words).toHaveLength(known.length)
    const wrong: string[] = []
    for (const args of words) {
      const { code, err } = await runCli(
        args.map((word) => (word === program.origin ? 'http://localhost:1' : word)),
      )
      if (code !== 1 || !err.includes('No sandbox answers')) wrong.push(`${args.join(' ')}: ${err}`)
    }
    expect(wrong).toEqual([])
  })

  it('copies a request, and the copy runs in each shell', async () => {
    await open('', [], { permissions: ['clipboard-read', 'clipboard-write'] })
    await api('/pets', { body: { name: `O'Malley $(id) \\ "`, categoryId: 1 } })
    await row('201').click()
    await page.locator('.detail .pairs', { hasText: "created 13 O'Malley $(id)" }).waitFor()
    const menu = button('Copy as curl for bash, zsh, fish, or as …')
    await menu.click()
    await expect.poll(copied).toMatch(/^curl /)
    const line = await copied()
    for (const shell of ['bash', 'zsh', 'fish'])
      await promisify(execFile)(shell, ['-c', line]).catch(() => {})
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
    await page.locator('.detail').getByLabel('Body').fill('{"name":7}')
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
    await expect
      .poll(() => command().textContent())
      .toMatch(/fork w2 --at req_000001 --side before .* && .* --into w2/)
    await button('In a copy of the state before, w2').click()
    await expect.poll(hash).toBe('#/requests/req_000001?namespace=w2')
    expect(await control('GET', '/pets?namespace=w2')).toHaveLength(13)
    expect(await pets()).toBe(15)
    await control('POST', '/rewind', { to: 'req_000001' })
    await page.goto(`${program.origin}/_sandbox/`)
    await button('Send it again').hover()
    await expect
      .poll(() => command().textContent())
      .toContain('requests --resend req_000001 --branch branch_1')
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
    await expect.poll(() => page.locator('#filter').inputValue()).toBe('')
    await expect.poll(hash).toBe('#/requests')
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
    // Two keys within one frame.
    await page.evaluate(() => {
      for (const key of ['j', 'Enter'])
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    })
    await page.locator('.detail h2').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[data-row]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.detail h2').waitFor()
    // The row gets the focus once, and does not take it back after a later key moved it.
    const focusAfterClose = await page.evaluate(async () => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
      const isRow = document.activeElement?.matches('[data-row]')
      document.getElementById('main')?.focus()
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return [isRow, document.activeElement?.id]
    })
    expect(focusAfterClose).toEqual([true, 'main'])
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
    // The same applies to the field of a menu.
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
    // The list is one tab stop, and a link of the reason is another one.
    for (let i = 0; i < 2; i++) await api('/pets', { body: { name: 'Kit', categoryId: 1 } })
    await row('possible duplicate').waitFor()
    expect(await page.locator('.list table :is([tabindex="0"], a:not([tabindex]))').count()).toBe(1)
    await row('possible duplicate').focus()
    await page.keyboard.press('Enter')
    await page.locator('.why a').waitFor()
    for (let i = 0; i < 20 && (await focusedText()) !== 'req_000005'; i++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(hash).toBe('#/requests/req_000005')
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
    // On a slow machine the answer of the first click could come before the second one.
    const sent: Route[] = []
    await page.route(/_sandbox/, async (route, request) => {
      const isClick = call.test(`${request.method()} ${request.url()}`)
      if (isClick) sent.push(route)
      if (!isClick) await route.continue()
      else if (sent.length === 2) await Promise.all(sent.map((each) => each.continue()))
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
    // Until its event comes, the undo is that of the rule.
    await page.getByLabel('Undo').getByText('revoked').waitFor()
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
    await expect.poll(() => page.locator('.row.request').count()).toBe(2)
    await button('errors 2').click()
    await button('findings 3').click()
    await expect.poll(() => page.locator('.row.request').count()).toBe(3)
    await page.getByText('3 of 4 requests').waitFor()
    await page.mouse.move(700, 700)
    await button('findings 3').blur()
    await expect.poll(() => command().textContent()).toBe('')
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
})
