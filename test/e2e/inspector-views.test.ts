import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
    await page.getByRole('group', { name: 'free key 1' }).getByRole('button', { name: 'Refill' }).click()
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

  it('says how long nothing happened, and drags the handle over that to a point, to which Enter rewinds', async () => {
    const file = fileURLToPath(new URL('../recordings/0.1.0.jsonl', import.meta.url))
    setProgram(await start(['replay', file, '--until', 'req_000043', '--port', '0', '--log', 'silent']))
    const points = await control('GET', '/history')
    const real = (n: number) => Date.parse(points[n]?.receivedAt)
    const [later] = points.filter((_: unknown, n: number) => real(n) - real(n - 1) > 30_000)
    await visit()
    const box = async (selector: string) => {
      const found = await page.locator(selector).first().boundingBox()
      return found as NonNullable<typeof found>
    }
    // The timeline becomes longer meanwhile.
    const valueOfGap = async () => {
      const { x, y, width } = await box('.plot rect.gap')
      await page.mouse.move(x + width / 2, y + 10)
      return page.locator('.value').textContent()
    }
    await expect.poll(valueOfGap).toMatch(/nothing for 4\d s/)
    const handle = await box('.handle')
    await page.mouse.move(handle.x + handle.width / 2, handle.y + 10)
    await page.mouse.down()
    const gap = await box('.plot rect.gap')
    await page.mouse.move(gap.x + gap.width + 1, handle.y + 10)
    await page.mouse.up()
    await page.mouse.move(gap.x - 50, handle.y + 10)
    await page.getByText(`The state before ${later.id}.`).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.notice', { hasText: `Back before ${later.id}.` }).waitFor()
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

  it('compares no state of another namespace with a snapshot', async () => {
    await open()
    await control('PUT', '/snapshots/sale')
    await api('/pets', { key: 'psk_pro.w2' })
    await page.goto(`${program.origin}/_sandbox/#/pets`)
    const side = page.getByLabel('Compare', { exact: true })
    await expect.poll(() => side.inputValue()).toBe('snapshot:sale')
    const compared: string[] = []
    page.on('request', (request) => {
      // The comparison in default may still be read again.
      if (request.url().includes('/diff?namespace=w2')) compared.push(new URL(request.url()).search)
    })
    await page.goto(`${program.origin}/_sandbox/#/pets?namespace=w2`)
    await expect.poll(() => side.inputValue()).toBe('start')
    await expect.poll(() => new Set(compared)).toEqual(new Set(['?namespace=w2&a=start&b=now']))
  })

  it('names the caller of a control call', async () => {
    await open()
    await button('+1 day').click()
    await row('clock +1d').click()
    await page.locator('.detail').getByText('by this page').waitFor()
    await control('POST', '/clock', { advance: '1s' })
    await row('clock +1s').click()
    await page.locator('.detail').getByText('by node').waitFor()
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
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(response.url())
    })
    // It does not know for a while that it is one of a proxy.
    await page.route('**/_sandbox/health?**', async (route) => {
      await page.waitForTimeout(500)
      await route.continue()
    })
    await page.reload()
    await page.getByText('Animal Store 1.0.0').waitFor()
    await page.getByText(`proxy of http://127.0.0.1:${port}/v1`).waitFor()
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
    await page.goto(`${program.origin}/_sandbox/#/requests?namespace=*&key=psk_pro`)
    await expect.poll(hash).toBe('#/requests?key=psk_pro')
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
    expect(refused).toEqual([])
    expect(asked).toBe(1)
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
})
