import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Request as PageRequest } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { replay } from '../../src/compose/replay.ts'
import { violationsOn as violations } from '../support/axe.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { freePort } from '../support/port.ts'
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
  open,
  page,
  program,
  row,
  setProgram,
  visit,
  withBrowser,
} from './inspector-page.ts'

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
  - target: $.paths
    update:
      /pets/{pet-id}/photos:
        parameters:
          - { name: Authorization, in: header, schema: { type: string } }
          - { name: X-Shop, in: header, schema: { type: string } }
        get:
          operationId: listPhotos
          parameters:
            - { name: pet-id, in: path, required: true, schema: { type: integer } }
            - { name: size, in: query, schema: { type: array, items: { type: string, enum: [small, large] } } }
            - { name: X-Shop, in: header, required: true, schema: { type: string } }
          responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { type: string } } } } } }
`

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

describe.skipIf(!hasChromium)('the views of the inspector', () => {
  withBrowser()

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
    await row('/v1/pets').click()
    await page.getByText('a copied request has $KEY').waitFor()
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

  it('counts nothing after a point whose request the journal no longer has', async () => {
    setProgram(await start(['--port', '0', '--memory', '--log', 'silent']))
    for (let i = 0; i < 2; i++) await api('/pets')
    await control('POST', '/reset', { only: ['requests'] })
    await api('/pets')
    await visit('#/requests?at=req_000002')
    const notice = page.locator('.notice')
    await notice.getByText('Nothing is undone').waitFor()
    await row('/v1/pets').waitFor()
    expect(await notice.innerText()).not.toContain('came later')
    const handle = page.locator('.handle')
    await handle.locator('.name', { hasText: 'before req_000002' }).waitFor()
    await expect
      .poll(() => handle.getAttribute('aria-valuetext'))
      .toMatch(/^before req_000002, \d+ [A-Z][a-z]+ [\d:]{8}$/)
    // Until its clock is read, its time is not known.
    await page.route('**/_sandbox/clock?*', () => {})
    await page.reload()
    await handle.locator('.name', { hasText: 'before req_000002' }).waitFor()
    await page.locator('.panel', { hasText: 'reading the state' }).first().waitFor()
    expect(await handle.getAttribute('aria-valuetext')).toBe('before req_000002')
    expect(await page.locator('.panel .time').count()).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.locator('.amount', { hasText: '0 requests, 1 later' }).waitFor()
    expect(await row('/v1/pets').getAttribute('class')).toContain('pale')
    await page.goto(`${program.origin}/_sandbox/#/requests/req_000001`)
    await page.locator('.detail', { hasText: 'req_000001 is not in the journal' }).waitFor()
    await page.getByRole('link', { name: 'See the state before it' }).click()
    await notice.getByText('The state before req_000001.').waitFor()
  })

  it('has no key that every request is refused with among the limits', async () => {
    await open()
    const shown = () => page.locator('.gauge').allInnerTexts()
    await expect
      .poll(async () => (await shown()).map((text) => text.split(/\s/)[0]))
      .toEqual(['psk_free', 'psk_pro'])
    await control('DELETE', '/keys/psk_free')
    await expect
      .poll(async () => (await shown()).map((text) => text.split(/\s/)[0]))
      .toEqual(['psk_pro', 'psk_business'])
    await api('/pets', { key: 'psk_expired' })
    await api('/pets', { key: 'psk_revoked' })
    await row('psk_revoked').waitFor()
    await api('/pets')
    await page.locator('.gauge', { hasText: '299 / 300' }).waitFor()
    // The limits may be drawn before the request.
    await expect.poll(() => page.locator('.gauge').count()).toBe(1)
    // A number that is cut in the foot does not look whole.
    await page.locator('.gauge').hover()
    await expect.poll(() => page.locator('.footer .what').textContent()).toMatch(/^psk_pro.*…$/)
    await page.locator('.quota text', { hasText: '299/300' }).waitFor()
  })

  it('shows no year that the clock of the sandbox cannot show', async () => {
    await open('', ['--now', '9999-12-31T23:59:58Z'])
    await page.locator('.time', { hasText: '23:59:59' }).waitFor()
    await page.waitForTimeout(1500)
    expect(await page.locator('.panel').first().innerText()).toMatch(/23:59:59 UTC\s+31 Dec 9999/)
  })

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

  // WCAG 2.2, success criterion 2.1.4.
  it('lets no key of one character act once that is switched off in its help', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    const toggle = async () => {
      await button('Keys of this page').click()
      await page.getByRole('checkbox', { name: /^Keys of one character/ }).click()
      await page.keyboard.press('Escape')
    }
    await toggle()
    for (const reload of [false, true]) {
      if (reload) await page.reload()
      await row('/v1/pets').waitFor()
      for (const key of ['j', '[', '?', 'g', 'p']) await page.keyboard.press(key)
      expect(hash()).toMatch(/^(#\/requests)?$/)
      expect(await page.locator('#help').isVisible()).toBe(false)
      expect(await page.locator('.field kbd, .footer kbd').count()).toBe(0)
    }
    await row('/v1/pets').focus()
    await page.keyboard.press('Enter')
    await page.locator('.detail').waitFor()
    await page.keyboard.press('Escape')
    await toggle()
    // One key, because g waits little more than a second for the next.
    await page.keyboard.press('/')
    await page.locator('#filter:focus').waitFor()
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
    const span = () =>
      hash()
        .match(/\d{13}/g)
        ?.map(Number) ?? []
    const [from = 0, to = 0] = span()
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    expect(span()[0]).toBeLessThan(from)
    for (let i = 0; i < 2; i++) await page.keyboard.press('Shift+ArrowRight')
    // The other end stays; the span ends where the keys are.
    expect(span().map((real, i) => Math.abs(real - ([from, to][i] ?? 0)) < 60)).toEqual([true, true])
    await page.keyboard.press('Escape')
    await row('limit=1').waitFor()
    const box = (await surface.boundingBox()) as { x: number; y: number; width: number }
    await page.mouse.move(box.x + 2, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 2, box.y + 60)
    await page.mouse.up()
    // A key with Shift moves the end of the dragged span, also after the pointer has gone.
    const dragged = span()
    await page.mouse.move(box.x + 20, box.y + 300)
    await page.keyboard.press('Shift+ArrowLeft')
    expect(span()[0]).toBe(dragged[0])
    expect(span()[1]).toBeLessThan(dragged[1] ?? 0)
    await page.locator('.bar a', { hasText: '✕' }).click()
    await expect.poll(hash).toBe('#/requests')
    await page.mouse.click(box.x + 2, box.y + 60, { button: 'right' })
    // A touch that scrolls the page ends with this event.
    await page.mouse.move(box.x + 2, box.y + 60)
    await page.mouse.down()
    await surface.dispatchEvent('pointercancel')
    await page.mouse.up()
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
    await expect.poll(() => command().textContent()).toContain('rewind ctl_000001')
    await expect.poll(() => page.locator('.row.pale').count()).toBe(2)
    await expect.poll(() => button('+61 s').isDisabled()).toBe(true)
    expect(await button('+61 s').getAttribute('title')).toBe('An earlier state is shown')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByText('13 pets', { exact: true }).waitFor()
    await expect
      .poll(() => button('JSON').getAttribute('data-command'))
      .toContain('export --at ctl_000001 --side before')
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
    await expect.poll(() => command().textContent()).toContain('fork w2 --at ctl_000001 --side before')
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
    await page.goto(`${program.origin}/_sandbox/#/connect?at=req_777777`)
    await page.reload()
    await page.getByText('The history has no state before req_777777.').waitFor()
    await page.getByText(`${program.origin}/v1`, { exact: true }).waitFor()
  })

  it('saves a recording that replays', async () => {
    await open()
    await api('/pets')
    await row('/v1/pets').waitFor()
    const downloading = page.waitForEvent('download')
    await button('Save recording').click()
    expect((await replay(await (await downloading).path())).difference).toBeUndefined()
  })

  it('hides no character of a command', async () => {
    await open()
    await control('POST', '/faults', { effect: { status: 418, message: 'tea\u202epot' } })
    await row('rule added').click()
    await page.locator('.detail code', { hasText: "--message 'tea\\u202epot'" }).waitFor()
    await page.locator('.footer output', { hasText: "--message 'tea\\u202epot'" }).waitFor()
  })

  it('of a replayed recording says how far its clock is behind real time', async () => {
    const file = fileURLToPath(new URL('../recordings/0.1.0.jsonl', import.meta.url))
    setProgram(await start(['replay', file, '--port', '0', '--log', 'silent']))
    await control('DELETE', '/clock')
    await visit()
    await page.locator('.time + p', { hasText: / (ahead|behind)$/ }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await page.getByRole('row', { name: /^default .* [+−]\d+ / }).waitFor()
  })

  it('creates no namespace by a link, confirms a drop, and shows all namespaces in one list', async () => {
    await open('#/requests?namespace=wroker-1')
    await page.getByText('There is no namespace wroker-1.').waitFor()
    await api('/pets?limit=1', { key: 'psk_pro.worker-1' })
    await page.getByRole('link', { name: 'worker-1', exact: true }).click()
    await row('limit=1').waitFor()
    expect((await control('GET', '/namespaces')).length).toBe(2)
    await expect.poll(() => button('+61 s').getAttribute('data-command')).toContain('--namespace worker-1')
    await api('/pets?limit=2')
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await button('New namespace w2…').waitFor()
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
    await expect.poll(() => command().textContent()).toContain("requests --namespace '*'")
    await row('possible duplicate').getByRole('link', { name: 'req_000002' }).click()
    await expect.poll(hash).toBe('#/requests/req_000002?namespace=*&of=worker-1')
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
    await expect.poll(() => command().textContent()).toContain('pets --q zebul')
    await page.locator('mark', { hasText: 'Zebul' }).waitFor()
    await page.getByRole('link', { name: 'req_000001' }).first().waitFor()
    // A seed replaces the pet by another one with its id.
    await control('POST', '/seed', { pets: [{ id: 1_000_001, name: 'Zebulun', categoryId: 1 }] })
    await page.locator('#pets tr', { hasText: 'Zebulun' }).getByText('seed').waitFor()
    expect(await page.locator('#pets').getByRole('link').count()).toBe(0)
    await api('/pets', { body: { name: 'Zebul', categoryId: 1 } })
    await page.getByRole('link', { name: 'req_000002' }).first().click()
    await page.locator('.detail h2', { hasText: 'POST' }).waitFor()
  })

  it('names the caller of a control call', async () => {
    await open()
    await button('+1 day').click()
    await row('clock +1d').click()
    await page.locator('.detail').getByText('by page').waitFor()
    await control('POST', '/clock', { advance: '1s' })
    await row('clock +1s').click()
    await page.locator('.detail').getByText('by node').waitFor()
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

  it('says after a restart that pets of the data file may be earlier than the requests', async () => {
    const args = ['--port', '0', '--log', 'silent', '--db', join(temporaryFolder(), 'db.json')]
    setProgram(await start(args))
    await api('/pets', { body: { name: 'Kit', categoryId: 1 } })
    await program.stop()
    setProgram(await start(args))
    await api('/pets', { body: { name: 'Zed', categoryId: 1 } })
    await visit('#/pets')
    await page.locator('#pets tr', { hasText: 'Kit' }).getByText('seed or earlier').waitFor()
    await page.locator('#pets tr', { hasText: 'Zed' }).getByRole('link', { name: 'req_000001' }).waitFor()
  })

  it('compares two snapshots, and updates with changes', async () => {
    await open('#/pets')
    await page.getByText('named states, none saved').waitFor()
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
    await page.setViewportSize({ width: 768, height: 760 })
    await page.locator('.compare a', { hasText: 'req_000001' }).waitFor()
    const fields = page.locator('.compare td:nth-child(4)')
    const lefts = await fields.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left))
    expect(new Set(lefts).size).toBe(1)
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
    await page.keyboard.press('Escape')
    await page.locator('[aria-label="Send listPets"]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /^req_/ }).click()
    await page.locator('.detail h2', { hasText: 'GET /v1/pets?limit=1' }).waitFor()
    await page.goBack()
    const photos = page.locator('.operation', { hasText: 'listPhotos' })
    await photos.getByLabel('pet-id of listPhotos').fill('7')
    await photos.getByLabel('X-Shop of listPhotos').fill('north')
    expect(await photos.getByLabel('Authorization').count()).toBe(0)
    for (const size of ['small', 'large']) await photos.getByLabel(size, { exact: true }).check()
    await photos.getByRole('button').click()
    await photos.getByText('200 req_').waitFor()
    const sent = (await control('GET', '/requests')).at(-1)
    expect([sent.path, sent.query, sent.request.headers['x-shop']]).toEqual([
      '/v1/pets/7/photos',
      'size=small&size=large',
      'north',
    ])
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

  it('a number of the report leads to as many requests in the list, also at a point', async () => {
    await open()
    for (const query of ['a=1&b=2', 'a=1', 'a=2']) await api(`/pets?${query}`)
    await page.goto(`${program.origin}/_sandbox/#/report?at=req_000003`)
    const gate = page.locator('[aria-label=Gates] tr', { hasText: 'ignored-input' })
    await gate.filter({ hasText: '3 in 2 listed requests' }).getByRole('link').click()
    await page.locator('.bar .amount', { hasText: '2 of 2 requests, 1 later' }).waitFor()
    await button('findings 2').waitFor()
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
      const ends = page.locator('#pets tbody td:is(:first-child, :nth-child(3))').evaluateAll((cells) =>
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
    await page.locator('.keys tbody th', { hasText: ' key ' }).waitFor()
    const name = (await names()).find((each) => each.includes(' key ')) as string
    await page.locator('.keys tr', { hasText: name }).hover()
    await button(`Revoke: ${name}`).click()
    await page.locator('.keys tr', { hasText: name }).getByText('revoked').waitFor()
  })

  it.skipIf(!hasNginx)('works behind nginx below a path, with and without a trailing slash', async () => {
    setProgram(await start(['--port', '0', '--memory', '--log', 'silent']))
    const port = await freePort()
    const origin = `http://localhost:${port}`
    // The shortest configuration, in which nginx buffers responses.
    const server = `server { listen 127.0.0.1:${port}; location /petstore/ { proxy_pass ${program.origin}/; } }`
    await using _ = await startNginx(temporaryFolder(), server, `${origin}/petstore/openapi.json`)
    setProgram({ ...program, origin: `${origin}/petstore`, baseUrl: `${origin}/petstore/v1` })
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
    setProgram(await start(['proxy', `http://127.0.0.1:${port}/v1`, '--port', '0', '--log', 'silent']))
    await visit('#/connect')
    await page.getByText('Animal Store 1.0.0').waitFor()
    await page.getByText(`proxy of http://127.0.0.1:${port}/v1`).waitFor()
    // From here on, the page knows that it is one of a proxy. What it asked before may be answered later.
    const refused: string[] = []
    const sent = new Set<PageRequest>()
    page.on('request', (request) => sent.add(request))
    page.on('response', (response) => {
      if (sent.has(response.request()) && response.status() >= 400) refused.push(response.url())
    })
    const views = () => page.locator('nav[aria-label=Views] a').allTextContents()
    await expect.poll(views).toEqual(['Requests', 'Report', 'Connect'])
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    expect(hash()).toBe('#/connect')
    await page.keyboard.press('?')
    expect(await page.locator('#help td').allTextContents()).toEqual(
      expect.not.arrayContaining(['Pets', 'Limits', 'namespaces', 'undo the last rewind or action']),
    )
    await page.keyboard.press('Escape')
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=w2`)
    await page.getByText('There is no namespace w2.').waitFor()
    expect(await button('Make it').count()).toBe(0)
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=*`)
    await page.reload()
    await expect.poll(hash).toBe('#/requests')
    await page.locator('.instruments').waitFor()
    await page.getByRole('link', { name: 'Connect', exact: true }).first().click()
    await button('Vite proxy').waitFor()
    expect(await button('Playwright').count()).toBe(0)
    await page.goto(`${program.origin}/_sandbox/#/pets`)
    await page.getByText("/v1/pets -H 'Authorization: Bearer YOUR_KEY'").waitFor()
    expect(await page.locator('.namespace, .start a').allTextContents()).toEqual(['Connect'])
    await api('/pets')
    await row('/v1/pets').waitFor()
    // At an address of a view that a proxy does not have, its first view is shown, with its keys.
    await page.keyboard.press('j')
    await expect.poll(focusedText).toContain('/v1/pets')
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
    await page.getByText('give it a token (--control-token, PETSTORE_SANDBOX_CONTROL_TOKEN,').waitFor()
    expect(await page.getByText('petstore-sandbox start').count()).toBe(0)
  })

  it('of a public sandbox offers no namespace but that of its key', async () => {
    // There, the key of a world is the control token of this world.
    await open('', ['--control-token', 'psk_pro.w1'])
    await page.getByLabel('Control token').fill('psk_pro.w1')
    await button('Open').click()
    await api('/pets', { key: 'psk_pro.w1' })
    await row('/v1/pets').click()
    await button('Rewind to before').waitFor()
    expect(hash()).toContain('namespace=w1')
    await page.setViewportSize({ width: 390, height: 760 })
    await button('Save recording').waitFor()
    await button('Send again ▾').click()
    await button('Now').waitFor()
    const others = page.getByRole('button', { name: /Fork|In a copy/, includeHidden: true })
    expect([await page.locator('.chooser').count(), await others.count()]).toEqual([0, 0])
    await page.goto(`${program.origin}/_sandbox/#/connect`)
    await page.reload()
    await page.getByText("-H 'Authorization: Bearer psk_pro.w1'").waitFor()
    expect(await button('Playwright').count()).toBe(0)
    await page.getByRole('link', { name: 'Pets', exact: true }).click()
    await page.getByRole('combobox').first().waitFor()
    expect(
      await page
        .locator('optgroup')
        .evaluateAll((all) => all.map((each) => (each as HTMLOptGroupElement).label)),
    ).not.toContain('namespaces')
  })

  it('requires the control token once; commands contain its variable', async () => {
    await open('', ['--control-token', 's3cret'])
    await page.locator('[name=token]:focus').waitFor()
    await page.getByText('or the key of your world in a public sandbox').waitFor()
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
    await expect
      .poll(() => command().textContent())
      .toContain('--control-token "$PETSTORE_SANDBOX_CONTROL_TOKEN"')
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
    // The name of a line to copy stands at its first line; on phones, above it.
    const tops = () =>
      page
        .locator('.snippet')
        .first()
        .evaluate(({ children }) => Array.from(children, (each) => each.getBoundingClientRect().top))
    await page.setViewportSize({ width: 640, height: 760 })
    const [label = 0, code = 0] = await tops()
    expect(Math.abs(label - code)).toBeLessThan(9)
    await page.setViewportSize({ width: 320, height: 760 })
    const [above = 0, below = 0] = await tops()
    expect(below - above).toBeGreaterThan(12)
  })

  it('asks again after the same wrong token, also if the browser refuses its storage', async () => {
    await open('', ['--control-token', 's3cret'])
    await page.addInitScript(() =>
      Object.defineProperty(window, 'sessionStorage', {
        get() {
          throw new DOMException('Access is denied.', 'SecurityError')
        },
      }),
    )
    await page.reload()
    for (const token of ['wrong', 'wrong', 's3cret']) {
      await page.getByLabel('Control token').fill(token)
      await button('Open').click()
    }
    await page.getByText('No request yet').waitFor()
  })

  it('shows how to start if the guard refuses its data', async () => {
    setProgram(await start(['--port', '0', '--memory', '--log', 'silent']))
    setProgram({ ...program, origin: program.origin.replace('localhost', 'sandbox.localhost') })
    await visit()
    await page.getByText('answers under localhost, 127.0.0.1 or [::1] only').waitFor()
    await page.getByText('give it a token (--control-token, PETSTORE_SANDBOX_CONTROL_TOKEN,').waitFor()
  })

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
    let isRead = false
    await page.route('**/requests?*', async (route) => {
      const response = await route.fetch()
      if (!isRead) await burst(300)
      isRead = true
      await route.fulfill({ response })
    })
    await burst(200)
    await expect.poll(() => isRead).toBe(true)
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
    let isCleared = () => {}
    const cleared = new Promise<void>((resolve) => {
      isCleared = resolve
    })
    await page.route('**/requests?*', async (route) => {
      await cleared
      await route.continue()
    })
    await burst(200)
    await page.locator('.amount', { hasText: 'more counted' }).waitFor()
    // Counts come up to an interval later; those after the click are not hidden.
    await expect.poll(async () => (await counted()).all).toBe(200)
    await button('Clear').click()
    isCleared()
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
    const list = page.locator('.rows')
    await row('/v1/pets').waitFor()
    await page.locator('.instruments', { hasText: 'no rule waits' }).waitFor()
    await row('/v1/pets').focus()
    await command().getByText('rewind req_000001').waitFor()
    const before = await list.boundingBox()
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
