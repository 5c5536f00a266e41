import { describe, expect, it } from 'vitest'
import { violationsOn as violations } from '../support/axe.ts'
import { start } from '../support/program.ts'
import { hasChromium } from './chromium.ts'
import {
  api,
  button,
  command,
  context,
  control,
  focusedText,
  hash,
  holdBack,
  open,
  page,
  program,
  row,
  setProgram,
  visit,
  withBrowser,
} from './inspector-page.ts'

describe.skipIf(!hasChromium)('the inspector at each width, and for each reader', () => {
  withBrowser()

  // WCAG 2.2, success criteria 1.4.12 and 2.5.8.
  it('cuts no time or number of a row where text is spaced, and its title is large enough for a tap', async () => {
    await open('', ['--limits', 'pro=100000/1000000'])
    for (let i = 0; i < 2; i++) await api('/pets', { body: { name: 'Kit', categoryId: 1 } })
    await control('POST', '/clock', { advance: '1s' })
    await api('/pets', { key: 'psk_free' })
    await row('possible duplicate').waitFor()
    await row('+1s').waitFor()
    await row('psk_free').waitFor()
    const keys = page.locator('[data-row] > .key')
    expect(
      await keys.evaluateAll((all) => new Set(all.map((each) => each.getBoundingClientRect().x)).size),
    ).toBe(1)
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }')
      document.adoptedStyleSheets = [sheet]
    })
    const cutTexts = (all: Element[]) =>
      all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)
    expect(await page.locator('.instruments').evaluateAll(cutTexts)).toEqual([])
    const cells = page.locator('[data-row] > :is(.at, .method, .status, .left)')
    const findings = page.locator('[data-row] > .finding, .finding > *')
    for (const width of [1440, 1100, 768, 640, 390, 360, 320]) {
      await page.setViewportSize({ width, height: 700 })
      await expect.poll(() => findings.evaluateAll(cutTexts), { message: `${width}` }).toEqual([])
      await expect.poll(() => cells.evaluateAll(cutTexts), { message: `${width}` }).toEqual([])
      expect((await page.locator('h1 a').boundingBox())?.height).toBeGreaterThanOrEqual(24)
      expect(await page.locator('.head nav').evaluateAll(cutTexts), `${width}`).toEqual([])
    }
  })

  it('is as much larger as the font that the user has chosen, and finds the pointer', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    const session = await context.newCDPSession(page)
    await session.send('Page.setFontSizes', { fontSizes: { standard: 20 } })
    await page.reload()
    await row('/v1/pets').waitFor()
    expect((await row('/v1/pets').boundingBox())?.height).toBe(30)
    const ends = (name: string) =>
      page
        .locator(`.row ${name}`)
        .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().left)))
    const [heading, ...cells] = await ends('.finding')
    expect(cells).toEqual([heading])
    await button('Pause').click()
    const { x = 0, y = 0, width = 0 } = (await page.locator('.surface').boundingBox()) ?? {}
    await page.mouse.move(x + width / 4, y + 40)
    const hairline = async () => ((await page.locator('.hairline').boundingBox())?.x ?? 0) - x - width / 4
    await expect.poll(async () => Math.abs(await hairline())).toBeLessThan(2)
    // Half of a window, whatever the font.
    await page.goto(`${program.origin}/_sandbox/#/pets`)
    await page.setViewportSize({ width: 1000, height: 800 })
    await expect.poll(async () => (await page.locator('.pets .scroll').boundingBox())?.height).toBe(400)
    // As far as it fits the window, also once that is smaller.
    await page.setViewportSize({ width: 340, height: 700 })
    const zoom = () => page.evaluate(() => getComputedStyle(document.documentElement).zoom)
    await expect.poll(zoom).toBe('1.0625')
  })

  it('leaves no space below the last row, at widths with one and with two lines for each', async () => {
    await open()
    for (let i = 1; i <= 60; i++) await api(`/pets?limit=${i}`)
    await row('limit=60').waitFor()
    const spaceBelow = (list: Element) => {
      list.scrollTop = list.scrollHeight
      const last = [...list.querySelectorAll('[data-row]')].at(-1)
      return list.getBoundingClientRect().bottom - (last?.getBoundingClientRect().bottom ?? 0)
    }
    // A zoomed page has a width between two pixels.
    for (const width of [600, 599.4, 570, 564]) {
      await page.setViewportSize({ width: Math.ceil(width), height: 700 })
      await page.locator('#page').evaluate((host, width) => {
        host.style.width = `${width}px`
      }, width)
      await expect.poll(() => page.locator('.scroll').evaluate(spaceBelow)).toBeLessThan(2)
      await row('limit=1').waitFor()
    }
  })

  it('fits every width from 320 pixels, with the longest limits and with spaced text', async () => {
    await open('#/requests?key=psk_enterprise')
    await api('/pets', { key: 'psk_enterprise' })
    await api('/pets', { key: 'psk_pro.worker-1', body: { name: 'Kit', categoryId: 1 } })
    const outside = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.instruments *, .rows *, .pets .scroll *')]
          .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth)
          .map((each) => each.textContent),
      )
    for (const isSpaced of [false, true]) {
      await page.evaluate((isSpaced) => {
        const sheet = new CSSStyleSheet()
        if (isSpaced)
          sheet.replaceSync('* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }')
        document.adoptedStyleSheets = [sheet]
      }, isSpaced)
      for (const width of [320, 360, 390, 600]) {
        await page.setViewportSize({ width, height: 700 })
        for (const view of ['requests?key=psk_enterprise', 'requests?namespace=*', 'pets']) {
          await page.goto(`${program.origin}/_sandbox/#/${view}`)
          await (view === 'pets'
            ? page.locator('.amount', { hasText: '12 pets' })
            : row('/v1/pets')
          ).waitFor()
          await expect.poll(outside, { message: `${view} at ${width}` }).toEqual([])
        }
      }
    }
  })

  it('has a space between the key and the remaining requests of a row beside a detail', async () => {
    await open()
    await control('PUT', '/keys/psk_enterprise/ban', { seconds: 60 })
    await api('/pets', { key: 'psk_enterprise' })
    await row('10,000').click()
    await page.locator('.detail').waitFor()
    const space = await row('10,000').evaluate((tr) => {
      const [key, left] = ['.key', '.left'].map((name) => {
        const range = document.createRange()
        range.selectNodeContents(tr.querySelector(name) as Element)
        return range.getBoundingClientRect()
      })
      return (left?.left ?? 0) - (key?.right ?? 0)
    })
    expect(space).toBeGreaterThan(4)
  })

  it('can be scrolled to the heading of the start page on a small phone', async () => {
    await open('', [], { viewport: { width: 320, height: 568 }, isMobile: true, hasTouch: true })
    const heading = page.getByRole('heading', { name: 'No request yet' })
    await heading.waitFor()
    const hidden = await heading.evaluate((title) => {
      const box = title.parentElement as Element
      box.scrollTop = 0
      return Math.max(0, box.getBoundingClientRect().top - title.getBoundingClientRect().top)
    })
    expect(hidden).toBe(0)
  })

  it('leaves a space between a menu and the edges of a phone', async () => {
    await open('', [], { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true })
    for (const name of [/ 60 ▾/, 'default ▾']) {
      await button(name).click()
      const { x = 0, width = 0 } = (await page.locator('.menu:popover-open').boundingBox()) ?? {}
      expect(x).toBeGreaterThanOrEqual(8)
      expect(x + width).toBeLessThanOrEqual(382)
      await page.keyboard.press('Escape')
    }
  })

  it('shows no key that does the same on a phone, which has no keys', async () => {
    await open('', [], { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true })
    await api('/pets')
    await row('/v1/pets').click()
    await page.locator('.detail').waitFor()
    expect(await page.locator('kbd:visible').allInnerTexts()).toEqual([])
    await page.goBack()
    await row('/v1/pets').waitFor()
    expect(await page.locator('kbd:visible').allInnerTexts()).toEqual([])
  })

  it('saves a recording and shows its keys on phones, in a head of one line and its views', async () => {
    await open('', [], { viewport: { width: 320, height: 700 }, acceptDownloads: true })
    await api('/pets')
    await row('/v1/pets').waitFor()
    const lines = await page
      .locator('.head > :is(h1, .namespace, .connection, .help)')
      .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top / 20)))
    expect(lines).toEqual([0, 0, 0, 0])
    await page.locator('.namespace').click()
    const download = page.waitForEvent('download')
    await button('Save recording').click()
    expect((await download).suggestedFilename()).toBe('default.jsonl')
    await page.getByText('Saved default.jsonl.').waitFor()
    await button('Keys of this page').click()
    await page.getByRole('heading', { name: 'Filter' }).waitFor()
  })

  it('draws the line at the pointer where colours are forced', async () => {
    await open('', [], { forcedColors: 'active' })
    await api('/pets')
    await row('/v1/pets').waitFor()
    await page.locator('.surface').hover()
    const colours = await page.locator('.hairline').evaluate((line) => {
      const { borderLeftColor, borderLeftWidth } = getComputedStyle(line)
      return [borderLeftColor, borderLeftWidth, getComputedStyle(document.body).color]
    })
    expect(colours).toEqual([colours[2], '1px', colours[2]])
  })

  it('hides no character of a command', async () => {
    await open()
    await control('POST', '/faults', { effect: { status: 418, message: 'tea\u202epot' } })
    await row('rule added').click()
    await page.locator('.detail code', { hasText: "--message 'tea\\u202epot'" }).waitFor()
    await page.locator('.footer output', { hasText: "--message 'tea\\u202epot'" }).waitFor()
  })

  // WCAG 2.2, success criteria 2.4.11 and 1.4.3.
  it('covers no focused link of a pet, and has dark words of undone control calls', async () => {
    await open('#/pets')
    for (let i = 0; i < 60; i++) await api('/pets', { body: { name: `Kit ${i}`, categoryId: 1 } })
    await page.getByText('72 pets', { exact: true }).waitFor()
    await page.locator('#pets').evaluate((each) => each.scrollTo(0, 800))
    await page.locator('#pets tbody tr', { hasText: 'Kit 30' }).getByRole('link').focus()
    const isCovered = () =>
      page.evaluate(() => {
        const link = document.activeElement as Element
        const { left, top } = link.getBoundingClientRect()
        return document.elementFromPoint(left + 4, top + 4) !== link
      })
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Shift+Tab')
      expect(await isCovered(), `${await focusedText()}`).toBe(false)
    }
    await control('POST', '/clock', { advance: '1d' })
    await control('POST', '/rewind', { to: 'req_000060' })
    await page.goto(`${program.origin}/_sandbox/#/requests`)
    const words = page.locator('.plot text.undone')
    await words.waitFor()
    expect(await words.evaluate((each) => getComputedStyle(each).opacity)).toBe('1')
  })

  it('cuts no result of a gate, and draws the last 440 requests of a test as wide as 220', async () => {
    await open('#/report', ['--limits', 'free=1/2000', '--set', 'ban.enabled=false'])
    for (let i = 0; i < 1100; i += 50)
      await Promise.all(Array.from({ length: 50 }, () => api('/pets', { key: 'psk_free' })))
    await page.reload()
    await page.locator('section[aria-label=Gates] a', { hasText: 'listed requests' }).first().waitFor()
    const gates = page.locator('section[aria-label=Gates] .wide')
    expect(await gates.evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0)
    expect((await page.locator('.tests svg').boundingBox())?.width).toBe(220)
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
    await page.setViewportSize({ width: 1280, height: 760 })
    const table = page.locator('.wide', { has: page.locator('.cells') })
    await expect.poll(() => table.evaluate((host) => host.scrollWidth - host.clientWidth)).toBe(0)
  })

  it('cuts no number of the report, of its gates and of pets on phones', async () => {
    await open('#/report', [], { viewport: { width: 390, height: 760 } })
    for (const status of [201, 202, 204, 400, 404, 405, 409, 410, 415, 422, 500]) {
      await control('POST', '/faults', { effect: { status }, times: 1 })
      await api('/pets')
    }
    for (let i = 0; i < 1000; i += 50)
      await Promise.all(Array.from({ length: 50 }, () => api('/pets', { key: 'psk_enterprise' })))
    await page
      .locator('.cells td', { hasText: /^1,\d+$/ })
      .first()
      .waitFor()
    const isCut = (all: Element[]) => all.filter((each) => each.scrollWidth > each.clientWidth).length
    expect(await page.locator('.cells :is(td, a)').evaluateAll(isCut)).toBe(0)
    await page.getByTitle('5xx, except 501, without rule, trigger key or Prefer').waitFor()
    const long = 'A name of a pet that is long, and goes on'
    const pets = (status: string) =>
      `{"pets":[{"id":9007199254740993,"name":"${long}","categoryId":-5,"status":"${status}"}]}`
    const seed = (body: string) => fetch(`${program.origin}/_sandbox/seed`, { method: 'POST', body })
    await seed(pets('sold'))
    await control('PUT', '/snapshots/one')
    await seed(pets('pending'))
    await page.goto(`${program.origin}/_sandbox/#/pets?compare=snapshot:one..now`)
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 760 })
      const fields = page.locator('.compare td', { hasText: 'sold → pending' })
      await fields.waitFor()
      expect((await fields.boundingBox())?.height, `${width}`).toBeLessThan(30)
      // Two long ids differ in their last digits.
      const cells = page.locator('#pets tbody td:is(:first-child, :nth-child(3))')
      await cells.first().waitFor()
      const ends = cells.evaluateAll((cells) =>
        cells.map((cell) => {
          const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode() as Text
          const last = new Range()
          last.setStart(text, text.length - 1)
          last.setEnd(text, text.length)
          const [digit, { left, right }] = [last.getBoundingClientRect(), cell.getBoundingClientRect()]
          return [text.data, digit.left >= left && digit.right <= right]
        }),
      )
      expect(await ends).toEqual([
        ['9007199254740993', true],
        ['-5', true],
      ])
    }
  })

  it('breaks no length of early retries on phones', async () => {
    await open('#/report', ['--limits', 'free=1/100'], { viewport: { width: 390, height: 760 } })
    for (let i = 0; i < 3; i++) await api('/pets', { key: 'psk_free' })
    const length = page.getByRole('region', { name: 'Early retries' }).locator('td').nth(1)
    await length.waitFor()
    expect((await length.boundingBox())?.height).toBeLessThan(30)
  })

  it('names the columns of the list for a screen reader', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    const names = page.getByRole('treegrid').getByRole('columnheader')
    expect(await names.allTextContents()).toEqual([
      'clock, UTC',
      'path',
      'status',
      'finding',
      'key',
      'left',
      'took',
    ])
    await page.setViewportSize({ width: 768, height: 700 })
    await expect
      .poll(() => names.allTextContents())
      .toEqual(['clock, UTC', 'path', 'status', 'finding', 'key'])
  })

  it('has dark words where the user wants more contrast, and is printed whole', async () => {
    await open('#/connect', [], { contrast: 'more' })
    await page.getByText('None differs from its default.').waitFor()
    const colours = await page
      .locator('body, .quiet')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).color))
    expect(new Set(colours).size).toBe(1)
    const pages = async () => (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g)?.length
    expect(await pages()).toBeGreaterThan(1)
    await api('/pets')
    await page.emulateMedia({ media: 'print' })
    await page.goto(`${program.origin}/_sandbox/#/requests`)
    await row('/v1/pets').waitFor()
    expect((await page.locator('.rows').boundingBox())?.height).toBeGreaterThan(300)
  })

  it('shows 20 characters of each path and complete findings beside a detail', async () => {
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
    for (const width of [960, 1024, 1079, 1080, 1100]) {
      await page.setViewportSize({ width, height: 760 })
      await expect
        .poll(async () => (await row('xxxxx').boundingBox())?.height, { message: `${width}` })
        .toBe(24)
      expect(await isCut('.row.request .key, .row .finding > *'), `${width}`).toBe(false)
      expect(await page.locator('.heads .key').isVisible(), `${width}`).toBe(width >= 1080)
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
    // The number of a run stands beside its path.
    for (let i = 0; i < 2; i++) await api('/pets?status=available&limit=20')
    const run = row(/available.*× 2/).locator('.target > .cut')
    for (const width of [580, 600, 620, 700, 708, 720, 768, 830]) {
      await page.setViewportSize({ width, height: 760 })
      await expect
        .poll(async () => (await run.boundingBox())?.width, { message: `${width}` })
        .toBeGreaterThan(20 * 7)
    }
    await row('xxxxx').click()
    await page.setViewportSize({ width: 1440, height: 760 })
    await expect.poll(async () => (await run.boundingBox())?.width).toBeGreaterThan(20 * 7)
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
    expect(areWhole).toEqual(Array(10).fill(true))
  })

  it.each([390, 320])('shows whole commands at %i pixels, and moves nothing for them', async (width) => {
    await open('', [], { viewport: { width, height: 760 } })
    await api('/pets')
    // The quota is read when the list is there.
    const readKeys = await holdBack('**/_sandbox/keys?*')
    await page.reload()
    const list = page.locator('.rows')
    await row('/v1/pets').waitFor()
    await page.locator('.instruments', { hasText: 'no rule waits' }).waitFor()
    await row('/v1/pets').focus()
    await command().getByText('rewind req_000001').waitFor()
    const before = await list.boundingBox()
    readKeys()
    await page.locator('.instruments', { hasText: '299 / 300' }).waitFor()
    const isCut = (line: Element) =>
      line.scrollWidth > line.clientWidth || line.scrollHeight > line.clientHeight
    expect(await command().evaluate(isCut)).toBe(false)
    await page
      .locator('.instruments')
      .getByRole('button', { name: /no rule waits/ })
      .click()
    await button('createPet: stored, answer lost').focus()
    await command().getByText('faults add').waitFor()
    expect(await command().evaluate(isCut)).toBe(false)
    expect(await violations(page, ['scrollable-region-focusable'])).toEqual([])
    expect(await list.boundingBox()).toEqual(before)
    // The foot scrolls by keys, too, and keeps the command meanwhile.
    const foot = page.locator('.footer')
    await foot.getByRole('button').focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => foot.evaluate((each) => each.scrollTop)).toBeGreaterThan(0)
    expect(await command().textContent()).toContain('faults add')
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

  it('keeps long names of namespaces, keys and methods in their places', async () => {
    await open()
    await control('POST', '/keys', { plan: 'pro', key: `psk_${'k'.repeat(60)}` })
    await api('/pets', { key: `psk_pro.${'w'.repeat(64)}` })
    await fetch(`${program.baseUrl}/pets`, { method: 'PROPFIND' })
    await row('PROPFIND').waitFor()
    const textOf = (cell: string) =>
      row('PROPFIND')
        .locator(cell)
        .evaluate((found) => {
          const text = new Range()
          text.selectNodeContents(found)
          return text.getBoundingClientRect()
        })
    expect((await textOf('.target')).left).toBeGreaterThan((await textOf('.method')).right + 4)
    for (const width of [1440, 390, 320]) {
      await page.setViewportSize({ width, height: 760 })
      await page.locator('.namespace').click()
      const isCut = (all: Element[]) => all.some((each) => each.scrollWidth > each.clientWidth)
      await page.getByRole('button', { name: 'w'.repeat(64), exact: true }).waitFor()
      expect(await page.locator('.chooser :is(.wide, th, th button)').evaluateAll(isCut), `${width}`).toBe(
        false,
      )
      await page.keyboard.press('Escape')
    }
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=${'w'.repeat(64)}`)
    const [opener, arrow] = [page.locator('.namespace'), page.locator('.namespace > .car')]
    await row('/v1/pets').waitFor()
    const rightOf = async (each: typeof arrow) => each.evaluate((host) => host.getBoundingClientRect().right)
    expect(await rightOf(arrow)).toBeLessThan(await rightOf(opener))
    await page.goto(`${program.origin}/_sandbox/#/connect`)
    const address = page.locator('.snippet code', { hasText: program.baseUrl }).first()
    expect((await address.boundingBox())?.height).toBeLessThan(30)
    const keys = await page.getByLabel('Key', { exact: true }).boundingBox()
    expect((keys?.x ?? 0) + (keys?.width ?? 0)).toBeLessThanOrEqual(320)
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

  it.each([1440, 390])('closes the detail by mouse at %i pixels', async (width) => {
    await open('#/requests/req_000001', [], { viewport: { width, height: 760 } })
    await api('/pets')
    await page.locator('.detail h2').waitFor()
    await page.locator('.detail').getByRole('button', { name: 'Close' }).click()
    await page.locator('.detail').waitFor({ state: 'detached' })
    await page.goto(`${program.origin}/_sandbox/#/requests/req_000009`)
    await page.getByText('is not in the history').waitFor()
    await page.locator('.detail').getByRole('button', { name: 'Close' }).click()
    await page.locator('.detail').waitFor({ state: 'detached' })
  })

  it('a tap presses no button that only its hover has brought under the finger', async () => {
    await open()
    await control('POST', '/clock', { advance: '61s' })
    await control('POST', '/clock', { advance: '61s' })
    const tap = async (x: number, y: number) => {
      const client = await context.newCDPSession(page)
      await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
      await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    }
    // On a laptop with a touch screen, the mouse can hover.
    await page.goto(`${program.origin}/_sandbox/#/limits`)
    const revoke = await button('Revoke: psk_pro').boundingBox()
    if (!revoke) return expect.unreachable()
    const isRevoked = async () =>
      (await control('GET', '/keys')).some(
        (each: { key: string; revoked: boolean }) => each.key === 'psk_pro' && each.revoked,
      )
    await tap(revoke.x + 9, revoke.y + 9)
    await page.waitForTimeout(300)
    expect(await isRevoked()).toBe(false)
    await tap(revoke.x + 9, revoke.y + 9)
    await expect.poll(isRevoked).toBe(true)
    await context.close()
    await visit('', { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true })
    const line = await row('clock +61s').boundingBox()
    if (!line) return expect.unreachable()
    await tap(line.x + line.width - 40, line.y + 12)
    await page.locator('.detail').getByText('See before').waitFor()
    expect(hash()).not.toContain('at=')
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
      setProgram(await start(['--port', '0', '--memory', '--log', 'silent', '--limits', 'free=2/100']))
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
        // The view before has rows too, until this one is drawn.
        if (where === 'report') await page.locator('.cells tr').first().waitFor()
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
  )
})
