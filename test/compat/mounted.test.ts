import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../e2e/chromium.ts'
import { expectLostAnswers } from './lost-answer.ts'
import { installPackage } from './npm.ts'
import { here, runNode } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'petstore-mounted-'))
beforeAll(() => {
  installPackage(folder)
  cpSync(here('servers'), folder, { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

function link(name: string, as = name): void {
  const path = join(folder, 'node_modules', as)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(here(`node_modules/${name}`), path, 'junction')
}

const running: ChildProcess[] = []
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  }
})

/** Starts a server; resolves with the origin that it prints. */
async function start(args: readonly string[], cwd = folder): Promise<string> {
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NEXT_TELEMETRY_DISABLED: '1',
  }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  let text = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => {
        text += more
        const origin = /(?:ready on|Local:) +(http:\S+)/.exec(text)?.[1]
        if (origin) resolve(origin.replace(/\/$/, ''))
      })
    child.once('close', (code) => reject(new Error(`ended with ${code}:\n${text}`)))
  })
}

const pro = { authorization: 'Bearer psk_pro', 'content-type': 'application/json' }
const create = (origin: string): Promise<Response> =>
  fetch(`${origin}/v1/pets`, { method: 'POST', headers: pro, body: '{"name":"Kit","categoryId":1}' })
const fault = (origin: string, wire: string): Promise<Response> =>
  fetch(`${origin}/_sandbox/faults`, {
    method: 'POST',
    body: JSON.stringify({ effect: { wire }, when: 'after', times: 1 }),
  })
const petsIn = async (origin: string): Promise<number> =>
  (await (await fetch(`${origin}/_sandbox/export`)).json()).pets.length

/** Opens the page, and expects it to show the requests. */
async function expectInspector(url: string): Promise<void> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByText('/v1/pets').first().waitFor()
  } finally {
    await browser.close()
  }
}

it('in Express, a page detects each lost answer', async () => {
  link('express')
  mkdirSync(join(folder, 'page'))
  const example = here('../../examples/vite')
  for (const file of ['index.html', 'src/main.js']) {
    mkdirSync(dirname(join(folder, 'page', file)), { recursive: true })
    copyFileSync(join(example, file), join(folder, 'page', file))
  }
  // Transformed as Vite does it.
  const store = readFileSync(join(example, 'src/store.js'), 'utf8').replaceAll(
    'import.meta.env.',
    'globalThis.',
  )
  writeFileSync(join(folder, 'page/src/store.js'), store)
  await expectLostAnswers(await start(['express.js']))
})

describe('in Hono', () => {
  it('answers, and breaks connections', async () => {
    link('hono')
    link('@hono/node-server')
    const origin = await start(['hono.js'])
    expect((await create(origin)).status).toBe(201)
    for (const wire of ['reset', 'empty', 'garbage']) {
      const before = await petsIn(origin)
      expect((await fault(origin, wire)).status, wire).toBe(201)
      await expect(create(origin), wire).rejects.toThrow('fetch failed')
      expect(await petsIn(origin), wire).toBe(before + 1)
    }
    expect((await fault(origin, 'truncate')).status).toBe(201)
    await expect(create(origin).then((response) => response.text())).rejects.toThrow()
    expect((await (await fetch(`${origin}/openapi.json`)).json()).servers[0].url).toBe(`${origin}/v1`)
    for (const path of ['/_sandbox', '/_sandbox/']) await expectInspector(origin + path)
  })
})

describe('in Next, as in examples/next', () => {
  // Next loads its own package only from below the folder that it serves.
  const project = here('.next-project')
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it('answers, and opens the inspector', async () => {
    rmSync(project, { recursive: true, force: true })
    cpSync(here('../../examples/next'), project, { recursive: true })
    installPackage(project)
    const next = here('node_modules/next/dist/bin/next')
    const origin = await start([next, 'dev', '--hostname', 'localhost', '--port', '0'], project)
    expect((await create(origin)).status).toBe(201)
    expect((await (await fetch(`${origin}/openapi.json`)).json()).servers[0].url).toBe(`${origin}/v1`)
    expect(await petsIn(origin)).toBe(13)
    for (const path of ['/_sandbox', '/_sandbox/']) await expectInspector(origin + path)
    for (const wire of ['reset', 'empty', 'garbage']) {
      expect((await fault(origin, wire)).status, wire).toBe(201)
      expect((await create(origin)).status, wire).toBe(500)
    }
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      // Next compiles a page at its first request.
      page.setDefaultTimeout(120_000)
      await page.goto(origin)
      await page.getByLabel('Name').fill('Next')
      await page.getByText('requests left').waitFor()
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('listitem').filter({ hasText: 'Next' }).waitFor()
    } finally {
      await browser.close()
    }
  })
})

/** MSW 3 needs Node 22; CI also runs this test with it. */
const hasModernNode = Number(process.versions.node.split('.')[0]) >= 22

describe.each(['msw2', 'msw3'])('behind %s', (name) => {
  it.skipIf(name === 'msw3' && !hasModernNode)('answers, and breaks connections', async () => {
    rmSync(join(folder, 'node_modules/msw'), { force: true })
    link(name, 'msw')
    const { code, text } = await runNode(['msw.js'], folder)
    expect(text).toContain('all of it holds')
    expect(code, text).toBe(0)
  })
})
