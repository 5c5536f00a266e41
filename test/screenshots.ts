/** Creates the pictures of the inspector for the README, from the built program: npm run screenshots. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { launchChromium } from './e2e/chromium.ts'
import { type Program, start, stopAll } from './support/program.ts'

const folder = fileURLToPath(new URL('../docs/', import.meta.url))
const VIEWPORT = { width: 1440, height: 860 }
const LARGEST = 200_000

mkdirSync(folder, { recursive: true })
const program = await start([
  ...['--port', '4010', '--memory', '--log', 'silent', '--set', 'ban.enabled=false'],
  ...['--now', '2026-11-22T12:31:00Z'],
])
const browser = await launchChromium()
try {
  const refused = await sendRequests(program)
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: VIEWPORT, colorScheme })
    await page.goto(`${program.origin}/_sandbox/#/requests/${refused}?key=psk_free`)
    await page.locator('.why').waitFor()
    await page.getByRole('button', { name: 'Leave 1' }).hover()
    // The timeline is drawn 250 ms later.
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

/** Sends typical requests with typical mistakes; returns the id of the request to show. */
async function sendRequests({ baseUrl, origin }: Program): Promise<string> {
  const send = async (key: string, path: string, test: string, json?: object): Promise<string> => {
    const response = await fetch(baseUrl + path, {
      method: json ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${key}`,
        baggage: `test.name=${encodeURIComponent(test)}`,
        ...(json && { 'content-type': 'application/json' }),
      },
      ...(json && { body: JSON.stringify(json) }),
    })
    await response.text().catch(() => '')
    return response.headers.get('x-request-id') ?? ''
  }
  const control = (path: string, body: object) =>
    fetch(`${origin}/_sandbox${path}`, { method: 'POST', body: JSON.stringify(body) })
  const times = async (count: number, pause: number, act: (i: number) => Promise<unknown>) => {
    for (let i = 0; i < count; i++) {
      await act(i)
      await setTimeout(pause + 20 * Math.sin(i))
    }
  }

  await control('/seed', { count: 24, seed: 7 })
  await times(40, 30, () => send('psk_pro', '/pets?limit=20', 'checkout › lists animals'))
  await setTimeout(700)
  await control('/keys', { plan: 'free', key: 'psk_free_uigh7shKq2vMx0pLd9eRt4Zb' })
  await times(12, 90, () =>
    send('psk_free_uigh7shKq2vMx0pLd9eRt4Zb', '/pets?status=sold', 'checkout › a shop’s own key'),
  )
  await setTimeout(900)
  await times(61, 45, () => send('psk_free', '/pets?limit=5', 'checkout › shows the limit'))
  await times(2, 900, () => send('psk_free', '/pets?limit=5', 'checkout › shows the limit'))
  const refused = await send('psk_free', '/pets?limit=5', 'checkout › shows the limit')
  await setTimeout(1200)
  await control('/faults', {
    match: { operationId: 'createPet' },
    effect: { wire: 'reset' },
    when: 'after',
    times: 1,
  })
  await setTimeout(500)
  const kit = { name: 'Kit', categoryId: 2, status: 'pending' }
  await times(2, 400, () => send('psk_pro', '/pets', 'checkout › adds a pet once', kit).catch(() => ''))
  await send('psk_pro', '/pets', 'checkout › adds a pet once', { name: 7, categoryId: 2 })
  await setTimeout(900)
  await control('/clock', { advance: '1d' })
  await setTimeout(400)
  await times(12, 80, () => send('psk_free', '/pets?limit=5', 'checkout › opens tomorrow'))
  await times(4, 200, (i) =>
    send(
      ['psk_pro', 'psk_expired', 'psk_pro', 'psk_unstable'][i] as string,
      ['/pets?color=red', '/pets', '/pets/404', '/pets?limit=20'][i] as string,
      'checkout › opens tomorrow',
    ),
  )
  await send('psk_slow', '/pets?status=available', 'checkout › opens tomorrow')
  return refused
}
