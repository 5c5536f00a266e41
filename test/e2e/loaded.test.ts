import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { start, stopAll } from '../support/program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = temporaryFolder()

afterEach(stopAll)

it('the package is one module for import and require', () => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/petstore-sandbox'), 'junction')
  writeFileSync(
    join(folder, 'both.cjs'),
    `const { createSandbox, ControlError } = require('petstore-sandbox')
import('petstore-sandbox').then(async (module) => {
  const sandbox = await createSandbox({ listen: false })
  const { status } = await sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
  console.log(status, module.ControlError === ControlError)
})
`,
  )
  const ran = spawnSync(process.execPath, ['both.cjs'], { cwd: folder, encoding: 'utf8' })
  expect(ran.stdout + ran.stderr).toBe('200 true\n')
})

it('tsx, which unwraps modules that export CommonJS only, runs a script whose request Prism answers', () => {
  const use = `import { createSandbox } from ${JSON.stringify(pathToFileURL(join(root, 'dist/index.js')))}
const sandbox = await createSandbox({ listen: false })
const headers = { authorization: 'Bearer psk_pro', prefer: 'dynamic=true' }
const { status } = await sandbox.fetch('/v1/pets', { headers })
await sandbox.close()
console.log(status)
`
  const script = join(folder, 'script.mts')
  writeFileSync(script, use)
  const tsx = import.meta.resolve('tsx')
  const ran = spawnSync(process.execPath, ['--import', tsx, script], { encoding: 'utf8' })
  expect(ran.stdout + ran.stderr).toBe('200\n')
})

it('the matchers for Vitest judge the world of a core, and need nothing of Node, so that they run in a page', async () => {
  const { createCore }: typeof import('../../src/core.ts') = await import(join(root, 'dist/core.js'))
  await import(join(root, 'dist/vitest.js'))
  const core = await createCore()
  const world = core.namespace('w1')
  await expect(world).not.toHaveReceived({ operationId: 'createPet' })
  await expect(expect(world).toHaveReceived({})).rejects.toThrow('In the namespace w1: Expected at least 1')
  await core.close()
  expect(readFileSync(join(root, 'dist/vitest.js'), 'utf8')).not.toMatch(/\bprocess\.|node:|chunks/)
})

it('a start loads no perf_hooks', async () => {
  const [preload, list] = [join(folder, 'preload.cjs'), join(folder, 'loaded.json')]
  writeFileSync(
    preload,
    `const before = new Set(process.moduleLoadList)
process.on('exit', () => {
  const loaded = process.moduleLoadList.filter((name) => !before.has(name))
  require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(loaded))
})
`,
  )
  const program = await start(['--port', '0', '--db', join(folder, 'hooks.json')], {
    env: { NODE_OPTIONS: `--require ${JSON.stringify(preload)}` },
  })
  await fetch(`${program.baseUrl}/pets`, { headers: { authorization: 'Bearer psk_pro' } })
  await program.stop()
  const loaded = JSON.parse(readFileSync(list, 'utf8')) as string[]
  expect(loaded).toContain('NativeModule http')
  expect(loaded).not.toContain('NativeModule perf_hooks')
})

/** Parts of the names of chunks; `violations` has Prism. */
const HEAVY = ['violations', 'faker', 'ajv', 'yaml', 'csv', 'overlay', 'control', 'generate']

it('no large module is loaded before the first answer', async () => {
  const coverage = join(folder, 'coverage')
  const program = await start(['--port', '0', '--db', join(folder, 'first.json')], {
    env: { NODE_V8_COVERAGE: coverage },
  })
  const response = await fetch(`${program.baseUrl}/pets`, { headers: { authorization: 'Bearer psk_pro' } })
  expect(response.status).toBe(200)
  await program.stop()
  const files = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as {
      result: { url: string }[]
    }
    return result.map(({ url }) => url).filter((url) => url.includes('/dist/'))
  })
  const names = files.map((url) => url.replace(/.*\/dist\//, ''))
  expect(names).toContain('chunks/start.js')
  const built = readdirSync(join(root, 'dist/chunks'))
  for (const heavy of HEAVY) {
    const named = (name: string) => name.includes(heavy)
    expect(built.some(named), heavy).toBe(true)
    expect(names.filter(named), heavy).toEqual([])
  }
})
