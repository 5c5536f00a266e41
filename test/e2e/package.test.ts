import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { publint } from 'publint'
import { beforeAll, describe, expect, it } from 'vitest'
import { cloneProject } from '../support/clone.ts'
import { temporaryFolder } from '../support/folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = temporaryFolder()
const project = join(folder, 'project')
const cache = join(folder, 'cache')
const npm = (args: readonly string[], cwd: string): string => {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`)
  return stdout + stderr
}

describe('the packed package', () => {
  let installation: string
  beforeAll(() => {
    const source = cloneProject(join(folder, 'clone'))
    const before = readFileSync(join(source, 'package.json'), 'utf8')
    npm(['pack', '--pack-destination', folder], source)
    expect(readFileSync(join(source, 'package.json'), 'utf8')).toBe(before)
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"type":"module"}')
    const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) as string)
    const quietly = ['--offline', '--no-audit', '--no-fund', '--cache', cache]
    installation = npm(['install', ...quietly, tarball], project)
  })

  it('contains only the files that users need', () => {
    const own = join(project, 'node_modules/petstore-sandbox')
    const files = readdirSync(own, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => relative(own, join(each.parentPath, each.name)))
    const expected = [
      /^(LICENSE|(ARCHITECTURE|CHANGELOG|CONTRIBUTING|README|SECURITY)\.md|llms\.txt|package\.json|bin\/petstore-sandbox\.js|skills\/petstore-sandbox\/SKILL\.md)$/,
      /^fixtures\/[\w-]+\.json$/,
      /^examples\/.+$/,
      /^deploy\/(cloudflare|cluster)\/[\w.]+$/,
      /^docs\/[\w-]+\.(md|webp)$/,
      /^dist\/([\w-]+\.(js|cjs|d\.ts|d\.cts)|config\.schema\.json|THIRD-PARTY-NOTICES\.txt)$/,
      /^dist\/(chunks|chunks\/core|types)\/[\w.-]+$/,
      /^dist\/inspector\/([\w-]+\.html\.(br|gz)|[\w-]+\.txt|assets\/[\w.-]+\.(br|gz))$/,
    ]
    expect(files.filter((name) => !expected.some((form) => form.test(name)))).toEqual([])
    expect(files).toEqual(
      expect.arrayContaining(['docs/start.md', 'dist/cli.js', 'dist/index.d.ts', 'LICENSE']),
    )
    expect(files.filter((name) => /index\.md|releasing/.test(name))).toEqual([])
  })

  it('has what its documentation links to', () => {
    const docs = join(project, 'node_modules/petstore-sandbox/docs')
    const pages = readdirSync(docs).filter((name) => name.endsWith('.md'))
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(docs, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
        .map(([, link]) => link ?? '')
        .filter((link) => !existsSync(join(docs, link)))
        .map((link) => `${page}: ${link}`),
    )
    expect(missing).toEqual([])
  })

  it('has a manifest whose entry points publint finds, in the format that it names', async () => {
    const pkgDir = join(project, 'node_modules/petstore-sandbox')
    expect((await publint({ pkgDir, pack: false, strict: true })).messages).toEqual([])
  })

  it('has no install script, of which npm would warn', () => {
    const manifest = readFileSync(join(project, 'node_modules/petstore-sandbox/package.json'), 'utf8')
    expect(Object.keys(JSON.parse(manifest))).not.toContain('scripts')
    expect(installation).not.toContain('install-scripts')
  })

  it('has a core that loads without the globals of Node, even all of it, as in one file of rollup', () => {
    const parts = join(project, 'node_modules/petstore-sandbox/dist/chunks/core')
    const script = `for (const name of ['Buffer', 'process', 'global', 'setImmediate']) delete globalThis[name]
      for (const part of ${JSON.stringify(readdirSync(parts))}) await import(${JSON.stringify(pathToFileURL(`${parts}/`))} + part)`
    const loaded = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    })
    expect(loaded).toMatchObject({ stderr: '', status: 0 })
  })

  it('has no dependencies, and stays small', () => {
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'petstore-sandbox',
    ])
    expect(sizeOf(join(project, 'node_modules'))).toBeLessThan(12 * 1024 * 1024)
  })

  it('makes npm look up no other package, not even an optional one', () => {
    const logs = join(cache, '_logs')
    const log = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
    const requested = [...log.join('').matchAll(/fetch manifest (\S+)/g)].map(([, spec]) => spec)
    expect(requested).toEqual([expect.stringMatching(/^petstore-sandbox@file:/)])
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

  it('throws errors of which Node prints the class and a short line if nobody catches them', () => {
    const open = "require('petstore-sandbox').createSandbox({ listen: false, db: '.' })"
    const { stderr } = spawnSync(process.execPath, ['-e', open], { cwd: project, encoding: 'utf8' })
    expect(stderr).toMatch(/^DataFileError: .: it names a folder/m)
    for (const line of stderr.split('\n')) expect(line.length).toBeLessThan(500)
  })

  it('has the names and licences of bundled packages', () => {
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

  it('serves tools for agents, and contains a skill and a summary', async () => {
    const own = join(project, 'node_modules/petstore-sandbox')
    expect(readFileSync(join(own, 'skills/petstore-sandbox/SKILL.md'), 'utf8')).toContain(
      'name: petstore-sandbox',
    )
    expect(readFileSync(join(own, 'llms.txt'), 'utf8')).toContain('# petstore-sandbox')
    const client = new Client({ name: 'test', version: '1' })
    const args = [join(own, 'bin/petstore-sandbox.js'), 'mcp']
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: project }))
    const { structuredContent } = await client.callTool({ name: 'start_sandbox', arguments: {} })
    const { baseUrl } = structuredContent as { baseUrl: string }
    const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: 'Bearer psk_pro' } })
    expect(await response.json()).toHaveLength(12)
    await client.close()
  })

  const tsc = (...flags: string[]): string => {
    const program = join(root, 'node_modules/typescript/bin/tsc')
    return spawnSync(process.execPath, [program, ...flags], { cwd: project, encoding: 'utf8' }).stdout
  }

  it('has correct types', () => {
    writeFileSync(
      join(project, 'use.ts'),
      `import { createSandbox, type Report } from 'petstore-sandbox'
const sandbox = await createSandbox({ listen: false, limits: { free: '5/10' } })
const report: Report = await sandbox.namespace('w').report()
const ids: (number | bigint)[] = (await sandbox.export()).pets.map(({ id }) => id)
await sandbox.faults.add({ effect: { status: 503 }, times: 2 })
// @ts-expect-error a fault needs an effect
await sandbox.faults.add({ times: 2 }).catch(() => {})
const { status }: Response = await sandbox.fetch(new URL('http://localhost/v1/pets'))
await sandbox.close()
console.log(report.requests, ids.length, status)
`,
    )
    expect(
      tsc('--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom', 'use.ts'),
    ).toBe('')
    const ran = spawnSync(process.execPath, ['use.js'], { cwd: project, encoding: 'utf8' })
    expect(ran.stdout, ran.stderr).toBe('0 12 401\n')
  })

  it.each(['es2022', 'es2024,dom'])('has types that need only %s', (lib) => {
    const use = (
      name: string,
    ) => `import { ControlError, createSandbox, type Sandbox } from 'petstore-sandbox'
export const open = (): Promise<Sandbox> => createSandbox()
export const close = (sandbox: Sandbox): PromiseLike<void> => sandbox[Symbol.asyncDispose]()
export const ask = async ({ fetch }: Sandbox): Promise<number> => (await fetch('/v1/pets')).status
export const ${name} = (error: unknown) => error instanceof ControlError && error.code
`
    for (const name of ['module.mts', 'commonjs.cts'])
      writeFileSync(join(project, name), use(name.slice(0, -4)))
    // Without the types of its runtime.
    const worker = "export { default, World } from 'petstore-sandbox/worker'\n"
    writeFileSync(join(project, 'worker.mts'), worker)
    const compilerOptions = {
      noEmit: true,
      strict: true,
      module: 'nodenext',
      target: 'es2022',
      types: [],
      skipLibCheck: false,
    }
    const isOfTheWeb = lib.includes('dom')
    const settings = {
      compilerOptions: { ...compilerOptions, lib: lib.split(',') },
      files: ['module.mts', 'commonjs.cts', ...(isOfTheWeb ? ['worker.mts'] : [])],
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings))
    expect(tsc('--project', '.')).toBe('')
  })
})

function sizeOf(path: string): number {
  if (!existsSync(path)) return 0
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
