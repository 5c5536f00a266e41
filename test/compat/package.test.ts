import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { npm } from './npm.ts'
import { here, runNode } from './run.ts'

/** A tool that test/compat has installed. */
const tool = (path: string): string => here(`node_modules/${path}`)

describe('the package, as npm packs it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-compat-'))
  let tarball: string
  beforeAll(() => {
    npm(['pack', '--ignore-scripts', '--pack-destination', folder], here('../..'))
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) as string)
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    npm(['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', tarball], folder)
    for (const name of ['jest', 'typescript'])
      symlinkSync(tool(name), join(folder, 'node_modules', name), 'junction')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('has types that are right for every way to import it', async () => {
    // What is for others that are ES modules themselves has no use for a CommonJS form.
    const profiles = [
      ['--profile', 'node16', '--exclude-entrypoints', 'playwright', 'vite', 'vitest'],
      ['--profile', 'esm-only', '--entrypoints', 'playwright', 'vite', 'vitest'],
    ]
    for (const profile of profiles) {
      const { code, text } = await runNode(
        [tool('@arethetypeswrong/cli/dist/index.js'), tarball, ...profile],
        folder,
      )
      expect(code, text).toBe(0)
    }
  })

  it('compiles with TypeScript 7, without any other types', async () => {
    writeFileSync(
      join(folder, 'use.mts'),
      `import { createSandbox } from 'petstore-sandbox'
await using sandbox = await createSandbox({ listen: false })
export const { status } = await sandbox.fetch('/v1/pets')
`,
    )
    const flags = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--skipLibCheck',
      'false',
    ]
    for (const lib of ['es2022', 'es2023', 'es2024']) {
      const { text } = await runNode([tool('typescript7/bin/tsc'), ...flags, '--lib', lib, 'use.mts'], folder)
      expect(text, lib).toBe('')
    }
  })

  it('has matchers for Jest, in CommonJS and as ES modules', async () => {
    const body = (load: string) => `${load}
test('matchers', async () => {
  const sandbox = await createSandbox({ listen: false })
  await sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
  await expect(sandbox).toHaveReceived({ operationId: 'listPets' }, { exactly: 1 })
  await expect(sandbox).toHaveNoFindings()
  await expect(expect(sandbox).toHaveReceived({ operationId: 'createPet' })).rejects.toThrow('nearest requests')
  await sandbox.close()
})
`
    const common = body(
      "require('petstore-sandbox/jest')\nconst { createSandbox } = require('petstore-sandbox')",
    )
    const module = body("import 'petstore-sandbox/jest'\nimport { createSandbox } from 'petstore-sandbox'")
    writeFileSync(join(folder, 'matchers.test.cjs'), common)
    writeFileSync(join(folder, 'matchers.test.mjs'), module)
    const args = [
      '--experimental-vm-modules',
      tool('jest/bin/jest.js'),
      '--testMatch',
      '**/matchers.test.*js',
    ]
    const { code, text } = await runNode(args, folder)
    expect(text).toMatch(/Tests: +2 passed/)
    expect(code, text).toBe(0)
  })

  it('is required by a test of Jest', async () => {
    writeFileSync(
      join(folder, 'pets.test.js'),
      `const { ControlError, createSandbox } = require('petstore-sandbox')
jest.useFakeTimers()
test('a sandbox of its own', async () => {
  const sandbox = await createSandbox({ port: 0 })
  const headers = { authorization: 'Bearer ' + sandbox.key('free') }
  const response = await fetch(sandbox.baseUrl + '/pets', { headers })
  expect(await response.json()).toHaveLength(12)
  await expect(sandbox.verify({ operationId: 'createPet' })).rejects.toThrow(ControlError)
  await sandbox.close()
})
`,
    )
    const { code, text } = await runNode([tool('jest/bin/jest.js'), 'pets.test.js'], folder)
    expect(text).toMatch(/Tests: +1 passed/)
    expect(code, text).toBe(0)
  })
})
