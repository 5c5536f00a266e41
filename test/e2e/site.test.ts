import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { violationsOn } from '../support/axe.ts'
import { cloneProject } from '../support/clone.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasChromium, launchChromium } from './chromium.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const site = temporaryFolder()

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.webp': 'image/webp',
}

/** The number of gzip bytes that the server has sent. */
let sent = 0
const zippedFiles = new Map<string, Buffer>()

const server: Server = createServer(({ url = '/' }, response) => {
  const { pathname } = new URL(url, 'http://localhost')
  try {
    const file = join(site, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    const zipped = zippedFiles.get(file) ?? gzipSync(readFileSync(file))
    zippedFiles.set(file, zipped)
    sent += zipped.length
    response
      .setHeader('content-type', TYPES[extname(pathname) || '.html'] ?? 'application/octet-stream')
      .setHeader('content-encoding', 'gzip')
      .end(zipped)
  } catch {
    response.writeHead(404).end()
  }
})

/** The site on a static server. */
describe.skipIf(!hasChromium)('the site', () => {
  let browser: Browser
  let origin: string
  /** Requests of pages to other origins. */
  const foreign: string[] = []

  beforeAll(async () => {
    // In a copy, since the build writes pages into docs/, which other tests read.
    const clone = cloneProject(join(temporaryFolder(), 'clone'))
    symlinkSync(join(root, 'dist'), join(clone, 'dist'), 'junction')
    const built = spawnSync('npx', ['tsx', 'build/site.ts', '--out', site], { cwd: clone, encoding: 'utf8' })
    // A dead link fails the build.
    if (built.status !== 0) throw new Error(built.stdout + built.stderr)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await launchChromium()
  })
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
    expect(foreign).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    server.close()
  })

  const open = async (path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> => {
    const page = await browser.newPage(options)
    page.on('request', (request) => {
      const { protocol, origin: target } = new URL(request.url())
      if (/^https?:/.test(protocol) && target !== origin) foreign.push(request.url())
    })
    await page.goto(origin + path)
    return page
  }

  const pages = (): string[] =>
    readdirSync(site, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html') && !name.startsWith('try/'))
      .map((name) => `/${name}`)

  describe('the first page runs a sandbox in a worker', () => {
    let page: Page
    const answer = () => page.locator('[data-try=answer]')
    const status = (code: number) => page.locator('.try-status', { hasText: String(code) }).waitFor()
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const quota = (text: string) => page.locator('[data-try=quota]', { hasText: text }).waitFor()

    beforeEach(async () => {
      sent = 0
      page = await open('/')
      await quota('4 of 5')
    })

    it('has its first answer after at most 250 kB', async () => {
      await status(200)
      expect(sent).toBeLessThan(250_000)
      expect(await page.locator('.try-answer').textContent()).toContain('"name": "Rex"')
    })

    it('answers without the network after that', async () => {
      await page.context().setOffline(true)
      await press('Add a pet')
      await status(201)
      expect(await answer().textContent()).toContain('/v1/pets/13')
      await press('Get a pet that does not exist')
      await status(404)
      await press('Get pet 1 (deprecated)')
      await page.locator('.try-headers', { hasText: 'sunset' }).waitFor()
    })

    it('refuses requests above the limit, and answers again a minute later', async () => {
      for (const left of [3, 2, 1, 0]) {
        await press('List pets')
        await quota(`${left} of 5`)
      }
      await status(200)
      await press('List pets')
      await status(429)
      expect(await answer().textContent()).toContain('retry-after')
      await press('Clock +61 s')
      await page.locator('.try-command', { hasText: 'advance' }).waitFor()
      await press('List pets')
      await status(200)
      await quota('4 of 5')
    })

    it('breaks one response, and removes getPet on its date', async () => {
      await press('Break the next response')
      await status(201)
      await press('List pets')
      await status(503)
      await press('List pets')
      await status(200)
      await press('Clock to December 2030')
      await page.locator('[data-try=clock]', { hasText: '2030-12-06' }).waitFor()
      await press('Get pet 1 (deprecated)')
      await status(410)
    })

    describe('with the inspector', () => {
      const rowOf = (text: string) =>
        page.frameLocator('.try-inspector').locator('[data-row]').filter({ hasText: text })
      beforeEach(async () => {
        await press('Show the inspector')
        await rowOf('200').waitFor()
      })

      it('shows each request there, and controls the same sandbox', async () => {
        await press('Get a pet that does not exist')
        await rowOf('404').waitFor()
        await press('Reset')
        await press('List pets')
        await rowOf('404').waitFor({ state: 'detached' })
        await rowOf('200').waitFor()
      })

      it('sends no events to a reader that has enough', async () => {
        const errors: string[] = []
        page.on('pageerror', ({ message }) => errors.push(message))
        const frame = page.frames().find((each) => each !== page.mainFrame())
        await frame?.evaluate(async () => (await fetch('/try/_sandbox/events')).body?.cancel())
        await press('List pets')
        await rowOf('× 2').waitFor()
        expect(errors).toEqual([])
      })

      it('has no accessibility violation with all parts open', async () => {
        expect(await violationsOn(page)).toEqual([])
      })
    })
  })

  it('no file of the worker imports its first one, which WebKit would run a second time', () => {
    const assets = readdirSync(join(site, 'assets')).filter((name) => name.endsWith('.js'))
    const worker = assets.filter((name) => name.startsWith('worker-'))
    const imports = assets.filter((name) =>
      readFileSync(join(site, 'assets', name), 'utf8').includes(`from"./${worker[0]}"`),
    )
    expect(worker).toHaveLength(1)
    expect(imports).toEqual([])
  })

  it('the search finds words of the reference', async () => {
    const page = await open('/start.html')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('hold-until-operation')
    await page.locator('.result', { hasText: 'faults add' }).first().waitFor()
  })

  const NARROW = { width: 390, height: 800 }

  it('every page fits into 390 pixels', async () => {
    const page = await open('/', { viewport: NARROW })
    const wide: string[] = []
    for (const path of pages()) {
      await page.goto(origin + path)
      if ((await page.evaluate(() => document.documentElement.scrollWidth)) > NARROW.width) wide.push(path)
    }
    expect(pages().length).toBeGreaterThan(30)
    expect(wide).toEqual([])
  })

  it.each(['light', 'dark'] as const)('each kind of page is accessible (%s)', async (colorScheme) => {
    const page = await open('/', { viewport: NARROW, colorScheme })
    for (const path of ['/', '/start.html', '/reference/control-api.html', '/examples/python.html']) {
      await page.goto(origin + path)
      const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined
      expect(await violationsOn(page, rules), path).toEqual([])
    }
  })
})
