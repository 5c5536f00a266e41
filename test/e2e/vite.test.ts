import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, launchChromium } from './chromium.ts'
import { addPet, asPro, startVite, type ViteApp } from './vite-app.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

const program = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))

describe('the plugin of Vite, in examples/vite', () => {
  let workspace: Workspace
  let project: string
  beforeAll(() => {
    workspace = createWorkspace()
    project = workspace.project('vite')
  })
  afterAll(() => workspace?.remove())

  const apps: ViteApp[] = []
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.stop()))
    // The next test begins without the pets of this one.
    rmSync(join(project, '.petstore-sandbox'), { recursive: true, force: true })
  })
  const start = async (...args: string[]): Promise<ViteApp> => {
    const app = await startVite(program, project, args)
    apps.push(app)
    return app
  }

  it('prints its address, serves both APIs and the inspector, and Vite serves all other paths', async () => {
    const app = await start()
    expect(app.text()).toContain(
      `  ➜  API:     ${app.origin}/v1  key psk_pro, 12 pets, .petstore-sandbox/db.json`,
    )
    const typeOf = async (path: string) => (await fetch(app.origin + path)).headers.get('content-type')
    expect(await typeOf('/')).toBe('text/html')
    expect(await typeOf('/src/main.js')).toBe('text/javascript')
    expect(await typeOf('/_sandbox/')).toBe('text/html; charset=utf-8')
    expect(await typeOf('/_sandbox/health')).toBe('application/json')
    const { servers } = await (await fetch(`${app.origin}/openapi.json`)).json()
    expect(servers[0].url).toBe(`${app.origin}/v1`)
  })

  it('does not serve the data file under any path', async () => {
    const { origin } = await start()
    await addPet(origin, 'Kit')
    for (const path of [
      '/.petstore-sandbox/db.json',
      '/.petstore-sandbox/db.json?raw',
      '/%2Epetstore-sandbox//db.json',
      `/@fs${project}/.petstore-sandbox/db.json?import`,
    ])
      expect((await fetch(origin + path)).status, path).toBe(404)
    expect(existsSync(join(project, '.petstore-sandbox/.gitignore'))).toBe(true)
  })

  it('does not serve a data file outside its root, but inside the workspace, under any spelling', async () => {
    const common = join(project, '..', 'common')
    mkdirSync(common, { recursive: true })
    symlinkSync(common, join(project, 'public-of-common'))
    const config = join(project, 'outside.config.js')
    writeFileSync(join(project, '..', 'pnpm-workspace.yaml'), 'packages: []\n')
    writeFileSync(join(common, 'db.ts'), 'export const greeting = "served"\n')
    writeFileSync(
      config,
      `import { petstoreSandbox } from 'petstore-sandbox/vite'
export default { plugins: [petstoreSandbox({ db: '../common/db.json' })] }`,
    )
    const before = await start('--config', config)
    const made = await fetch(`${before.origin}/_sandbox/keys`, {
      method: 'POST',
      body: JSON.stringify({ plan: 'free' }),
    })
    const { key } = await made.json()
    await Promise.all(apps.splice(0).map((app) => app.stop()))
    const { origin } = await start('--config', config)
    await addPet(origin, 'Kit')
    expect(existsSync(join(common, 'db.json'))).toBe(true)
    const files = readdirSync(common).filter((name) => name !== 'db.ts')
    for (const name of files)
      for (const path of [
        `/@fs${common}/${name}`,
        `/@fs//${project}/../common/./${name}`,
        `/@fs${common.replace('common', '%63ommon')}/${name}`,
        `/@fs${project}/public-of-common/${name}`,
        `/public-of-common/${name}`,
        `/@id/${common}/${name}`,
        `${common}/${name}`,
      ])
        for (const query of ['', '?raw', '?import&raw', '?url', '?import', '?raw&import&t=1']) {
          const answer = await fetch(origin + path + query, { headers: { accept: '*/*' } })
          const text = await answer.text()
          expect(text.includes('nextId') || text.includes(key), path + query).toBe(false)
          expect(answer.status, path + query).toBe(404)
        }
    const beside = await fetch(`${origin}/@fs${common}/db.ts`)
    expect(await beside.text()).toContain('served')
  })

  it('finds the files of its options from its root, wherever it is started', async () => {
    const config = join(project, 'files.config.js')
    writeFileSync(join(project, 'pets.csv'), 'name,categoryId\nKit,1\n')
    writeFileSync(
      config,
      `import { petstoreSandbox } from 'petstore-sandbox/vite'
export default { plugins: [petstoreSandbox({ fixture: './pets.csv', memory: true })] }`,
    )
    const app = await startVite(program, join(project, '..'), [project, '--config', config])
    apps.push(app)
    expect(app.text()).toContain('1 pet, in memory')
  })

  it('serves the API also under a prefix, for a page that was built for one', async () => {
    const config = join(project, 'prefix.config.js')
    writeFileSync(
      config,
      `import { petstoreSandbox } from 'petstore-sandbox/vite'
export default { plugins: [petstoreSandbox({ path: '/api', memory: true })] }`,
    )
    const app = await start('--config', config)
    expect(app.text()).toContain(`API:     ${app.origin}/api/v1`)
    for (const path of ['/api/v1/pets?limit=2', '/api/pets?limit=2', '/v1/pets?limit=2'])
      expect(await (await fetch(app.origin + path, asPro)).json(), path).toHaveLength(2)
    expect((await fetch(`${app.origin}/api/nothing`, asPro)).status).toBe(404)
    expect(await (await fetch(`${app.origin}/apis`)).text()).toContain('<h1>Animals</h1>')
  })

  it('uses the sandbox of another dev server, including wire faults', async () => {
    const first = await start()
    const config = join(project, 'second.config.js')
    writeFileSync(
      config,
      `import { petstoreSandbox } from 'petstore-sandbox/vite'
export default { plugins: [petstoreSandbox({ url: '${first.origin}', path: '/api' })] }`,
    )
    const app = await start('--config', config)
    expect(app.text()).toContain(`Sandbox: ${first.origin}/_sandbox/`)
    // It is printed beside the address of the inspector, which is that of the first server.
    const second = /API: +(http:\S+)\/api\/v1/.exec(app.text())?.[1] ?? ''
    const { id } = await (await addPet(second, 'Shared')).json()
    expect((await fetch(`${second}/@fs${project}/.petstore-sandbox/db.json`)).status).toBe(404)
    for (const base of [`${first.origin}/v1`, `${second}/v1`, `${second}/api`])
      expect(await (await fetch(`${base}/pets/${id}`, asPro)).text(), base).toContain('Shared')
    const fault = async (wire: string) =>
      expect(
        (
          await fetch(`${second}/_sandbox/faults`, {
            method: 'POST',
            body: JSON.stringify({ match: { operationId: 'createPet' }, effect: { wire }, times: 1 }),
          })
        ).status,
      ).toBe(201)
    for (const wire of ['reset', 'empty', 'garbage', 'truncate']) {
      await fault(wire)
      const lost = addPet(second, 'Lost').then((response) => response.text())
      await expect(lost, wire).rejects.toThrow(/fetch failed|terminated/)
    }
    await first.stop()
    const refused = await addPet(second, 'Late')
    expect(refused.status).toBe(502)
    expect((await refused.json()).message).toContain('Start its dev server first.')
  })

  it('passes its sandbox to the next server if Vite restarts its server', async () => {
    const app = await start()
    const { id } = await (await addPet(app.origin, 'Heir')).json()
    appendFileSync(join(project, 'vite.config.js'), '// touched\n')
    await app.printed('server restarted')
    // One change of a file can restart Vite twice.
    const found = async () => (await fetch(`${app.origin}/v1/pets/${id}`, asPro)).status
    await expect.poll(found).toBe(200)
    const journal = await (await fetch(`${app.origin}/_sandbox/requests`)).json()
    expect(journal[0]).toMatchObject({ method: 'POST' })
  })

  it('continues if Vite cannot restart its server', async () => {
    const config = join(project, 'restarted.config.js')
    const written = (options: object) =>
      writeFileSync(
        config,
        `import { petstoreSandbox } from 'petstore-sandbox/vite'
export default { plugins: [petstoreSandbox(${JSON.stringify(options)})] }`,
      )
    written({ fixture: 'busy' })
    const app = await start('--config', config)
    const { id } = await (await addPet(app.origin, 'Heir')).json()
    written({ fixture: 'nope' })
    await app.printed('server restart failed')
    // One change of a file can restart Vite twice.
    const found = async () => (await fetch(`${app.origin}/v1/pets/${id}`, asPro)).text()
    await expect.poll(found).toContain('Heir')
  })

  it('keeps its state for the next start, and is in memory if another process uses the file', async () => {
    const first = await start()
    const { id } = await (await addPet(first.origin, 'Keep')).json()
    const second = await start()
    await second.printed('keeps its state in memory')
    expect(second.text()).toContain('in use by process')
    expect((await fetch(`${second.origin}/v1/pets/${id}`, asPro)).status).toBe(404)
    await Promise.all(apps.splice(0).map((app) => app.stop()))
    const third = await start()
    expect((await fetch(`${third.origin}/v1/pets/${id}`, asPro)).status).toBe(200)
  })

  it('serves in vite preview too', async () => {
    const { code, text } = await workspace.run(project, 'npx vite build')
    expect(code, text).toBe(0)
    const { origin } = await start('preview')
    expect(await (await fetch(origin)).text()).toContain('<h1>Animals</h1>')
    expect((await addPet(origin, 'Seen')).status).toBe(201)
  })

  it.skipIf(!hasChromium)('a page uses it in its own origin, and detects a wire fault', async () => {
    const { origin } = await start()
    await fetch(`${origin}/_sandbox/reset`, { method: 'POST' })
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      await page.goto(origin)
      await page.getByLabel('Name').fill('<b>Kit</b>')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByText('297 requests left').waitFor()
      expect(await page.getByRole('listitem').allTextContents()).toEqual(['<b>Kit</b>'])
      const rule = { match: { operationId: 'createPet' }, effect: { wire: 'reset' }, when: 'after', times: 1 }
      await fetch(`${origin}/_sandbox/faults`, { method: 'POST', body: JSON.stringify(rule) })
      await page.getByLabel('Name').fill('Ghost')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByText('TypeError: Failed to fetch').waitFor()
      await page.reload()
      await page.getByText('Ghost').waitFor()
      expect(await page.getByRole('listitem').allTextContents()).toEqual(['<b>Kit</b>', 'Ghost'])
    } finally {
      await browser.close()
    }
  })
})
