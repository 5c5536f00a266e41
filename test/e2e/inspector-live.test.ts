import { describe, expect, it } from 'vitest'
import { freePort } from '../support/port.ts'
import { start } from '../support/program.ts'
import { hasChromium } from './chromium.ts'
import {
  api,
  button,
  context,
  control,
  holdBack,
  open,
  page,
  program,
  row,
  rows,
  setProgram,
  visit,
  withBrowser,
} from './inspector-page.ts'

/** The requests of the list and those that are only counted, and whether the list has those of the journal. */
async function counted() {
  const text = (await page.textContent('.amount')) ?? ''
  const [, listed = '', more = ''] = /^([\d,]+) requests(?:, ([\d,]+) more counted)?$/.exec(text) ?? []
  const [inList = 0, beside = 0] = [listed, more].map((each) => Number(each.replaceAll(',', '')))
  return { isListed: inList >= 1000, all: inList + beside }
}

const hide = (hidden: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)

/** Resolves to a function that resolves to what a screen reader has read aloud since its last call. */
async function listen() {
  await page.evaluate(() => {
    const said: string[] = []
    Object.assign(window, { said })
    const live = '[role=status]:not([aria-live=off]), [role=alert], output:not([aria-live=off])'
    const note = ({ target, addedNodes }: MutationRecord) => {
      const region = (target instanceof Element ? target : target.parentElement)?.closest(live)
      if (region) said.push(region.textContent)
      for (const added of addedNodes)
        if (added instanceof Element && added.matches(live)) said.push(added.textContent)
    }
    new MutationObserver((changes) => changes.forEach(note)).observe(document, {
      ...{ subtree: true, childList: true, characterData: true },
    })
  })
  const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said.splice(0))
  // Skips the announcements of the page after it was opened.
  await expect.poll(() => page.waitForTimeout(500).then(said)).toEqual([])
  return said
}

describe.skipIf(!hasChromium)('the inspector while requests arrive', () => {
  withBrowser()

  it('shows that the sandbox is unavailable, and reconnects', async () => {
    const args = ['--port', String(await freePort()), '--memory', '--log', 'silent']
    setProgram(await start(args))
    await visit()
    await api('/pets')
    await row('/v1/pets').waitFor()
    await program.stop()
    await page.getByText('Away since').waitFor()
    expect(await page.getByText(/away/i).allInnerTexts()).toEqual([
      expect.stringMatching(/^away since \d\d:\d\d, trying again$/),
    ])
    await button('Save recording').click()
    await page.getByRole('alert').filter({ hasText: 'The sandbox does not answer.' }).waitFor()
    setProgram(await start(args))
    await page.locator('.live', { hasText: 'live' }).waitFor()
    await api('/pets?limit=7')
    await row('limit=7').waitFor()
  })

  it('takes no connection of the browser from other pages while it is hidden', async () => {
    await open()
    await page.getByText('No request yet').waitFor()
    await hide(true)
    let other = page
    for (let opened = 0; opened < 5; opened++) {
      other = await context.newPage()
      await other.goto(page.url())
      await other.getByText('No request yet').waitFor()
    }
    await other.close()
    await api('/pets')
    await hide(false)
    await row('/v1/pets').waitFor()
    expect(await page.locator('.connection').textContent()).toBe('live')
  })

  it('keeps what it says about an action while it is hidden', async () => {
    await open('#/pets')
    await page.route('**/_sandbox/clock?**', async (route) => {
      if (route.request().postData()?.includes('61s')) await hide(true)
      await route.continue()
    })
    // The fields of forms come with the rules.
    await button('createPet: stored, answer lost').waitFor()
    await button('More ▾').click()
    await page.locator('.menu input:focus').fill('soon')
    await page.keyboard.press('Enter')
    await page.getByText('set must be an instant').waitFor()
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/events'))
    await hide(true)
    await closed
    await hide(false)
    // Comes by the new connection.
    await api('/pets')
    await page.getByText('1 request', { exact: true }).waitFor()
    expect(await page.getByText('set must be an instant').count()).toBe(1)
    await page.keyboard.press('Escape')
    await button('+61 s').click()
    await expect.poll(() => page.evaluate(() => document.hidden)).toBe(true)
    await page.waitForTimeout(500)
    await hide(false)
    await page.getByText('Clock +61s.').waitFor()
  })

  it('offers the undo of its own actions, also those before its stream is back, and of no other call', async () => {
    await open()
    await button('createPet: stored, answer lost').waitFor()
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/events'))
    await hide(true)
    await closed
    const connect = await holdBack('**/_sandbox/events?**')
    await hide(false)
    await button('+61 s').click()
    await page.waitForTimeout(1500)
    connect()
    await page.getByText('Clock +61s.').waitFor()
    await page.route('**/_sandbox/clock?**', async (route) => {
      await route.fulfill({ response: await route.fetch() })
      await control('POST', '/faults', { effect: { status: 503 }, times: 1 })
    })
    await button('+1 day').click()
    await row('rule added').waitFor()
    await page.getByText('waits, 0 of 1').waitFor()
    expect(await page.locator('[aria-label=Undo]').count()).toBe(0)
  })

  it('follows a stream of requests, and a key press is shown within the next frames', async () => {
    await open()
    // The page may lack counts that come while it reads the journal for the first time.
    await page.getByText('No request yet').waitFor()
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 150; i++) await api(`/pets?limit=${(i % 99) + 1}`, { key: 'psk_enterprise' })
      }),
    )
    await expect.poll(counted).toEqual({ isListed: true, all: 1200 })
    expect(await page.locator('[data-row]').count()).toBeLessThan(80)
    await page.locator('.scroll').evaluate((list) => list.scrollTo(0, 5000))
    await page.waitForTimeout(1000)
    const read = page.locator('[data-row]').nth(20)
    const name = await read.getAttribute('data-row')
    const placeOf = async () => (await page.locator(`[data-row="${name}"]`).boundingBox())?.y
    const place = await placeOf()
    await api('/pets/7')
    await expect.poll(counted).toMatchObject({ all: 1201 })
    expect(await placeOf()).toBe(place)
    await page.keyboard.press('j')
    expect(await page.locator('[data-row]:focus').count()).toBeLessThanOrEqual(1)
  })

  it('counts each request of a burst once, in the list or beside it', async () => {
    await open()
    // The page may lack counts that come while it reads the journal for the first time.
    await page.getByText('No request yet').waitFor()
    // The sandbox drops their branch when 1,000 others have come, so that they can no longer be brought back.
    for (let i = 0; i < 2; i++) await api('/pets')
    await control('POST', '/rewind', { to: 'req_000001', side: 'before' })
    await page.locator('.row.pale').waitFor()
    const burst = async (total: number) => {
      for (let sent = 0; sent < total; sent += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, i) => api(`/pets?limit=${(i % 9) + 1}`, { key: 'psk_enterprise' })),
        )
    }
    // More requests come while the page reads the journal after the first ones, and after that so many that it lacks them.
    let more: Promise<void> | undefined
    await page.route('**/requests?*', async (route) => {
      const response = await route.fetch()
      more ??= burst(300)
      await more
      await route.fulfill({ response })
    })
    await burst(200)
    await expect.poll(() => more !== undefined).toBe(true)
    await more
    // The page keeps all that are sent one by one: up to 1,000 beside the 1,000 of the journal.
    await burst(1500)
    await expect.poll(counted).toEqual({ isListed: true, all: 2000 })
  })

  it('counts each request after a clear that comes while requests are only counted', async () => {
    await open()
    await page.getByText('No request yet').waitFor()
    const burst = async (total: number) => {
      for (let sent = 0; sent < total; sent += 50)
        await Promise.all(Array.from({ length: 50 }, () => api('/pets?limit=1', { key: 'psk_enterprise' })))
    }
    const readJournal = await holdBack('**/requests?*')
    await burst(200)
    await page.locator('.amount', { hasText: 'more counted' }).waitFor()
    // Counts come up to an interval later; those after the click are not hidden.
    await expect.poll(async () => (await counted()).all).toBe(200)
    await button('Clear').click()
    readJournal()
    await button('Show 200').waitFor()
    await burst(1500)
    await expect.poll(counted).toEqual({ isListed: true, all: 1500 })
  })

  it('keeps a request that the full journal no longer has, received in the millisecond of its oldest', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    const [entry] = await control('GET', '/requests')
    let first = 1_000_001
    await page.route('**/requests?*', (route) =>
      route.fulfill({ json: Array.from({ length: 1000 }, (_, i) => ({ ...entry, id: `req_${first + i}` })) }),
    )
    for (const total of ['1,001', '1,002']) {
      await control('POST', '/reset', { only: ['requests'] })
      await expect.poll(() => page.textContent('.amount')).toBe(`${total} requests`)
      first++
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('lists the first request of a namespace if it overtakes the answer that there is no such namespace', async () => {
    await open()
    await page.route('**/_sandbox/health?*', async (route) => {
      const response = await route.fetch()
      await api('/pets', { key: 'psk_pro.w1' })
      await row('/v1/pets').waitFor()
      await route.fulfill({ response })
    })
    const read = page.waitForRequest('**/_sandbox/interface.json?namespace=w1')
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=w1`)
    await read
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    expect(await rows()).toEqual([expect.stringContaining('/v1/pets')])
  })

  it('forgets what a rewind has undone if another branch has its name', async () => {
    await open('', ['--limits', 'pro=unlimited/unlimited'])
    for (let i = 0; i < 2; i++) await api('/pets')
    await control('POST', '/rewind', { to: 'req_000001' })
    await page.locator('.amount', { hasText: 'and 2 undone' }).waitFor()
    await context.setOffline(true)
    await page.locator('.connection.away').waitFor()
    await control('DELETE', '/requests')
    for (let sent = 0; sent < 1000; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => api('/pets?limit=1')))
    const [last] = (await control('GET', '/requests')).slice(-1)
    await control('POST', '/rewind', { to: last.id })
    await api('/pets?limit=1')
    await context.setOffline(false)
    await page.locator('.amount', { hasText: /^1,000 requests, and 1 undone/ }).waitFor()
  })

  it('counts each request once if the page hears of it after it has read the journal', async () => {
    await open()
    await page.addInitScript(() => {
      const send = window.fetch
      window.fetch = async (...given) => {
        const response = await send(...given)
        if (!response.url.includes('/events?') || !response.body) return response
        const transform = async (chunk: Uint8Array, to: TransformStreamDefaultController<Uint8Array>) => {
          while (window.name === 'late') await new Promise((resolve) => setTimeout(resolve, 10))
          to.enqueue(chunk)
        }
        return new Response(response.body.pipeThrough(new TransformStream({ transform })))
      }
    })
    await page.reload()
    await page.getByText('No request yet').waitFor()
    const burst = () =>
      Promise.all(Array.from({ length: 200 }, (_, i) => api(`/pets/${i}`, { key: 'psk_enterprise' })))
    await burst()
    await page.locator('.amount', { hasText: 'more counted' }).waitFor()
    const isRead = page.waitForResponse(/_sandbox\/requests\?/)
    await page.evaluate(() => {
      window.name = 'late'
    })
    await burst()
    await isRead
    await expect.poll(() => page.textContent('.amount')).toMatch(/^400 requests/)
    await page.evaluate(() => {
      window.name = 'in time'
    })
    await page.waitForTimeout(2000)
    expect(await page.textContent('.amount')).toBe('400 requests')
  })

  it('lets a screen reader rest while requests arrive, commands change and values are shown', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    const said = await listen()
    for (let i = 0; i < 3; i++) await api(`/pets/${i}`)
    await page.locator('.amount', { hasText: '4 requests' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.locator('.surface').focus()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.value').waitFor()
    expect(await said()).toEqual([])
    await button('Pause').click()
    await api('/pets')
    await page.locator('.connection', { hasText: 'paused, 1 since' }).waitFor()
    expect(await said()).toEqual(['paused'])
    await page.locator('#filter').fill('zebra')
    await page.locator('.amount', { hasText: '0 of' }).waitFor()
    expect((await said()).join()).toContain('0 of')
  })

  it('tells a screen reader the results of a search, and not each change of them by requests', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    const said = await listen()
    const add = () => api('/pets', { body: { name: 'Zoe', categoryId: 1 } })
    // What is said belongs to the last key for two seconds.
    const rest = () => page.waitForTimeout(2100).then(said)
    await page.locator('#filter').fill('pets')
    await page.keyboard.press('End')
    await page.locator('.amount', { hasText: '1 of' }).waitFor()
    expect((await rest()).join()).toContain('1 of')
    await add()
    await page.locator('.amount', { hasText: '2 of' }).waitFor()
    await page.evaluate(() => {
      location.hash = '#/requests?at=req_000001'
    })
    await page.getByText('2 requests came later').waitFor()
    await rest()
    await add()
    await page.getByText('3 requests came later').waitFor()
    expect(await said()).toEqual([])
    // The focus alone shows a value, which stays while time passes.
    const values = page.getByRole('slider', { name: 'Values' })
    await values.focus()
    const value = await values.getAttribute('aria-valuetext')
    await page.waitForTimeout(1100)
    expect(await values.getAttribute('aria-valuetext')).toBe(value)
    await page.goto(`${program.origin}/_sandbox/#/pets`)
    await page.locator('#search').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('zoe')
    await page.getByText('2 pets found').waitFor()
    await page.getByText('2 added').waitFor()
    expect((await rest()).join()).toContain('2 pets found')
    await add()
    await page.getByText('3 pets found').waitFor()
    await page.getByText('3 added').waitFor()
    expect(await said()).toEqual([])
  })

  it('tells a screen reader a result that comes late', async () => {
    await open('#/pets')
    await page.getByText('12 pets', { exact: true }).waitFor()
    const said = await listen()
    const late = /_sandbox\/(pets\?.*q=|diff\?.*start&b=start|seed)/
    await page.route(late, (route) => setTimeout(() => void route.continue(), 2500))
    await page.getByLabel('Search by name or id').fill('rex')
    await page.getByText('1 pet found').waitFor()
    expect((await said()).join()).toContain('1 pet found')
    await page.getByLabel('with', { exact: true }).selectOption('start')
    await page.getByText('0 added').waitFor({ state: 'detached' })
    await page.getByText('0 added').waitFor()
    expect((await said()).join()).toContain('0 added')
    await page.getByLabel('Search by name or id').fill('')
    await page.getByText('12 pets', { exact: true }).waitFor()
    await page.locator('summary', { hasText: 'Seed' }).click()
    await button('Generate').click()
    await page.getByText('500 pets', { exact: true }).waitFor()
    expect((await said()).join()).toContain('500 pets')
  })

  it('keeps the focused row in sight while requests arrive', async () => {
    // At midnight, the row of another date would come between them.
    await open('', ['--now', '2026-11-20T12:00:00Z'])
    for (let i = 0; i < 60; i++) await api(`/pets?limit=${i + 1}`, { key: 'psk_enterprise' })
    await row('limit=60').waitFor()
    const focused = page.locator('[data-row]:focus')
    let total = 60
    const come = async (name: string, count: number) => {
      for (let i = 0; i < count; i++) await api(`/pets/${i}?${name}`, { key: 'psk_enterprise' })
      total += count
      // Requests that come fast are counted first, and listed later.
      await expect.poll(() => page.textContent('.amount')).toBe(`${total} requests`)
      const listed = async () => Number(await page.locator('.list table').getAttribute('aria-rowcount'))
      await expect.poll(listed).toBeGreaterThan(total)
    }
    await page.keyboard.press('j')
    await focused.waitFor()
    const text = await focused.locator('.target').textContent()
    const list = page.locator('.scroll')
    // One row more than fits: the list scrolls a little, so that the line of the date is cut.
    // The names of the columns stay above the rows.
    const height = await list.evaluate((each) => each.clientHeight - 24)
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
    await expect.poll(() => list.evaluate((each) => each.scrollTop)).toBe(0)
    // A row that is drawn later does not take the focus from where a later key moved it.
    const last = await page.evaluate(async () => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }))
      document.getElementById('filter')?.focus()
      await new Promise((resolve) => setTimeout(resolve, 300))
      return document.activeElement?.id
    })
    expect(last).toBe('filter')
  })

  it('draws only the rows in sight where the page scrolls, and keeps that with the focus there', async () => {
    await open('', [], { viewport: { width: 720, height: 400 } })
    for (let i = 0; i < 60; i++) await api(`/pets?limit=${i + 1}`, { key: 'psk_enterprise' })
    await page.locator('.amount', { hasText: '60 requests' }).waitFor()
    expect(await page.locator('[data-row]').count()).toBeLessThan(40)
    for (const key of ['j', 'j', 'j', 'j', 'j', 'j', 'End', 'Home', 'End']) {
      await page.keyboard.press(key)
      await page.locator('[data-row]:focus').waitFor()
      const row = (await page.locator('[data-row]:focus').boundingBox()) ?? expect.unreachable()
      expect(row.y).toBeGreaterThanOrEqual(0)
      expect(row.y + row.height).toBeLessThanOrEqual(400)
    }
    await page.setViewportSize({ width: 1280, height: 400 })
    await expect.poll(async () => (await page.locator('.footer').boundingBox())?.height).toBe(30)
  })
})
