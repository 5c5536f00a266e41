import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { start, stopAll } from './program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'petstore-sandbox-'))
const project = join(folder, 'project')
const cache = join(folder, 'cache')
const npm = (args: readonly string[], cwd: string) => {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`)
  return stdout
}

afterAll(() => rmSync(folder, { recursive: true }))
afterEach(stopAll)

describe('the package, as npm packs it', () => {
  beforeAll(() => {
    npm(['pack', '--ignore-scripts', '--pack-destination', folder], root)
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"type":"module"}')
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string
    const quietly = ['--offline', '--no-audit', '--no-fund', '--cache', cache]
    npm(['install', ...quietly, join(folder, tarball)], project)
  })

  it('brings no tree behind it, and stays small', () => {
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'petstore-sandbox',
    ])
    expect(sizeOf(join(project, 'node_modules'))).toBeLessThan(12 * 1024 * 1024)
  })

  it('makes npm look up no other package, not even one that is optional', () => {
    const logs = join(cache, '_logs')
    const log = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
    const asked = [...log.join('').matchAll(/fetch manifest (\S+)/g)].map(([, spec]) => spec)
    expect(asked).toEqual([expect.stringMatching(/^petstore-sandbox@file:/)])
  })

  it('runs without a build step', async () => {
    const child = spawn('npx', ['petstore-sandbox', '--port', '0', '--memory'], {
      cwd: project,
      detached: true,
    })
    const url = await new Promise<string>((resolve, reject) => {
      let text = ''
      child.stdout.on('data', (chunk) => {
        text += chunk
        const ready = /is ready on (\S+)/.exec(text)?.[1]
        if (ready) resolve(ready)
      })
      child.on('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)))
    })
    const response = await fetch(`${url}/pets`, { headers: { authorization: 'Bearer psk_pro' } })
    expect(await response.json()).toHaveLength(12)
    process.kill(-(child.pid as number), 'SIGTERM')
  })

  it('names what it bundles, with the licences', () => {
    const notices = readFileSync(
      join(project, 'node_modules/petstore-sandbox/dist/THIRD-PARTY-NOTICES.txt'),
      'utf8',
    )
    for (const name of [
      'commander',
      '@stoplight/prism-http',
      'json-schema-faker',
      '@faker-js/faker',
      'lowdb',
      'chalk',
    ]) {
      expect(notices).toContain(name)
    }
  })

  it('has types that need nothing else', () => {
    writeFileSync(
      join(project, 'use.ts'),
      `import { createSandbox, type Report } from 'petstore-sandbox'
const sandbox = await createSandbox({ listen: false, limits: { free: '5/10' } })
const report: Report = await sandbox.namespace('w').report()
const ids: (number | bigint)[] = (await sandbox.export()).pets.map(({ id }) => id)
await sandbox.faults.add({ effect: { status: 503 }, times: 2 })
// @ts-expect-error a fault needs an effect
await sandbox.faults.add({ times: 2 }).catch(() => {})
await sandbox.close()
console.log(report.requests, ids.length)
`,
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const flags = [
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom,esnext.disposable',
      '--skipLibCheck',
      'false',
      'use.ts',
    ]
    const compiled = spawnSync(process.execPath, [tsc, ...flags], { cwd: project, encoding: 'utf8' })
    expect(compiled.stdout).toBe('')
    const ran = spawnSync(process.execPath, ['use.js'], { cwd: project, encoding: 'utf8' })
    expect(ran.stdout, ran.stderr).toBe('0 12\n')
  })
})

describe('on the way to the first answer', () => {
  const HEAVY = ['stoplight', 'faker', 'ajv', 'yaml', 'csv', 'overlay', 'control', 'generate']

  it('nothing heavy is loaded', async () => {
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
    for (const heavy of HEAVY)
      expect(
        names.filter((name) => name.includes(heavy)),
        heavy,
      ).toEqual([])
  })
})

function sizeOf(path: string): number {
  if (!existsSync(path)) return 0
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
