/** Makes the pictures of the inspector for the README, from the built program: npm run screenshots. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { launchChromium } from './e2e/chromium.ts'
import { type Program, start, stopAll } from './support/program.ts'

const folder = fileURLToPath(new URL('../docs/', import.meta.url))
const VIEWPORT = { width: 1440, height: 860 }
const LARGEST = 200_000

mkdirSync(folder, { recursive: true })
const program = await start([
  ...['--port', '4010', '--memory', '--log', 'silent', '--fixture', 'busy', '--seed', '1'],
  ...['--now', '2026-11-19T12:28:00Z', '--freeze', '--limits', 'free=60/1000'],
])
const browser = await launchChromium()
try {
  const refused = await happen(program)
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: VIEWPORT, colorScheme })
    await page.goto(`${program.origin}/_sandbox/#/requests/${refused}`)
    await page.locator('.why').waitFor()
    await page.getByRole('button', { name: 'Leave 1' }).hover()
    // The timeline is drawn a quarter of a second later.
    await page.waitForTimeout(1000)
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
    const picture = Buffer.from(data, 'base64')
    const path = `${folder}inspector-${colorScheme}.webp`
    writeFileSync(path, picture)
    console.log(`${path}: ${picture.length} bytes`)
    if (picture.length > LARGEST) throw new Error(`${path} is larger than ${LARGEST} bytes`)
    await page.close()
  }
} finally {
  await browser.close()
  await stopAll()
}

/** A client at work, with what clients do wrong; returns the request that is looked at. */
async function happen({ baseUrl, origin }: Program): Promise<string> {
  const send = async (key: string, path: string, json?: object, headers: object = {}): Promise<string> => {
    const response = await fetch(baseUrl + path, {
      method: json ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${key}`,
        ...(json && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json && { body: JSON.stringify(json) }),
    })
    await response.text().catch(() => '')
    return response.headers.get('x-request-id') ?? ''
  }
  const control = (path: string, body: object) =>
    fetch(`${origin}/_sandbox${path}`, { method: 'POST', body: JSON.stringify(body) })
  const wait = (milliseconds: number) => control('/clock', { advance: `${Math.round(milliseconds)}ms` })

  for (let step = 0; step < 230; step++) {
    await wait(700 + 500 * Math.sin(step / 7) + 300 * Math.sin(step * 3))
    const busy = 2 + Math.sin(step / 11) + Math.sin(step / 3)
    for (let i = 0; i < busy; i++)
      await send('psk_pro', ['/pets?limit=20', '/pets?status=available', '/pets'][i % 3] as string)
    if (step % 2 === 0) await send('psk_free', '/pets?limit=20')
    if (step % 37 === 5) await send('psk_pro', '/pets/404')
  }
  const left = { method: 'PUT', body: '{"remaining":3}' }
  await fetch(`${origin}/_sandbox/keys/psk_free/limits`, left)
  for (let i = 0; i < 9; i++) {
    await wait(350)
    await send('psk_free', '/pets?limit=20')
    if (i % 3 === 0) await send('psk_pro', '/pets?status=available')
  }
  await wait(350)
  const refused = await send('psk_free', '/pets?limit=20')
  await send('psk_pro', '/pets')
  await wait(900)
  await send('psk_pro', '/pets/7')
  await wait(300)
  await send('psk_pro', '/pets', { name: 7, categoryId: 2 })
  await wait(450)
  await send('psk_expired', '/pets')
  await wait(800)
  await send('psk_pro', '/pets', { name: 'Kit', categoryId: 2, status: 'pending' })
  await wait(1200)
  await send('psk_pro', '/pets', { name: 'Kit', categoryId: 2, status: 'pending' })
  await wait(600)
  await control('/faults', {
    match: { operationId: 'createPet' },
    effect: { wire: 'truncate' },
    when: 'after',
    times: 1,
  })
  await control('/faults', {
    match: { method: 'GET', path: '/pets*', key: 'psk_business' },
    effect: { status: 503 },
    times: 2,
  })
  await send('psk_business', '/pets')
  await send('psk_pro', '/pets?color=red')
  await wait(400)
  await send('psk_pro', '/pets', { name: 'Ghost', categoryId: 3 }).catch(() => '')
  await send('psk_pro', '/pets?status=sold')
  return refused
}
