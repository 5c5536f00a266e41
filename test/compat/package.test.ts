import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installPackage } from './npm.ts'
import { here, runNode } from './run.ts'

function link(path: string, modules: string, name = path): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(tool(path), join(modules, name), 'junction')
}

/** The path of a tool that test/compat has installed. */
const tool = (path: string): string => here(`node_modules/${path}`)

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-compat-'))
  let tarball: string
  beforeAll(() => {
    tarball = installPackage(folder)
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    for (const name of ['jest', 'typescript'])
      symlinkSync(tool(name), join(folder, 'node_modules', name), 'junction')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('has correct types for every way to import it', async () => {
    // Doors for tools that are ES modules have no CommonJS form.
    const profiles = [
      ['--profile', 'node16', '--exclude-entrypoints', 'core', 'vite', 'vitest', 'worker'],
      ['--profile', 'esm-only', '--entrypoints', 'core', 'vite', 'vitest', 'worker'],
    ]
    for (const profile of profiles) {
      const { code, text } = await runNode(
        [tool('@arethetypeswrong/cli/dist/index.js'), tarball, ...profile],
        folder,
      )
      expect(code, text).toBe(0)
    }
  })

  it('compiles with TypeScript 7, without other types', async () => {
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

  it('compiles with TypeScript 5.2, the oldest that it supports', async () => {
    const playwright = '@playwright/test'
    link(`../../../node_modules/${playwright}`, join(folder, 'node_modules'), playwright)
    writeFileSync(
      join(folder, 'oldest.mts'),
      `import { createSandbox } from 'petstore-sandbox'
import { createCore } from 'petstore-sandbox/core'
import { test } from 'petstore-sandbox/playwright'
export { createCore, createSandbox }
test('a world', async ({ sandbox, world }) => {
  const { control } = sandbox
  await control.call('POST', '/clock', { body: { advance: '61s' } })
  // @ts-expect-error this call needs a body
  await control.call('POST', '/clock')
  const key = { path: { key: world.key() } }
  const { value } = await control.call('GET', '/keys/{key}/limits', key)
  const left: number = value.minute.remaining
  // @ts-expect-error a number is not a text
  const wrong: string = left
  // @ts-expect-error this call has no body
  await control.call('GET', '/keys/{key}/limits', { ...key, body: wrong })
})
`,
    )
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', '']
    const { text } = await runNode([tool('typescript52/bin/tsc'), ...flags, 'oldest.mts'], folder)
    // The types of Playwright and Node may need a newer TypeScript; those of this package must not.
    expect(text.match(/^(oldest\.mts|node_modules\/petstore-sandbox\/).*/gm)).toBe(null)
  })

  it("can be imported and required with Yarn's Plug'n'Play", async () => {
    const project = join(folder, 'yarn')
    mkdirSync(project)
    const dependencies = { 'petstore-sandbox': `file:${tarball}` }
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, dependencies }))
    writeFileSync(join(project, 'yarn.lock'), '')
    writeFileSync(
      join(project, '.yarnrc.yml'),
      'enableGlobalCache: false\nenableNetwork: false\nenableTelemetry: false\n',
    )
    const yarn = tool('@yarnpkg/cli-dist/bin/yarn.js')
    const installed = await runNode([yarn, 'install', '--no-immutable'], project)
    expect(installed.code, installed.text).toBe(0)
    const body = `createSandbox({ listen: false }).then(async (sandbox) => {
  console.log((await sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })).status)
  await sandbox.close()
})
`
    writeFileSync(join(project, 'use.cjs'), `const { createSandbox } = require('petstore-sandbox')\n${body}`)
    writeFileSync(join(project, 'use.mjs'), `import { createSandbox } from 'petstore-sandbox'\n${body}`)
    for (const script of ['use.cjs', 'use.mjs'])
      expect(await runNode([yarn, 'node', script], project), script).toEqual({ code: 0, text: '200\n' })
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

  it('has matchers with types for ts-jest, compiled to CommonJS', async () => {
    const project = join(folder, 'ts-jest')
    mkdirSync(project)
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { module: 'commonjs', target: 'es2022', strict: true, skipLibCheck: true },
      }),
    )
    const transform = { '\\.ts$': tool('ts-jest') }
    const modulePaths = [here('node_modules')]
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({ private: true, jest: { transform, modulePaths, testEnvironment: 'node' } }),
    )
    for (const name of ['@types/jest', '@types/node', 'expect', '@jest/expect-utils', 'jest-mock'])
      link(name, join(project, 'node_modules'))
    writeFileSync(
      join(project, 'matchers.test.ts'),
      `import { createSandbox } from 'petstore-sandbox'
import 'petstore-sandbox/jest'
test('matchers', async () => {
  const sandbox = await createSandbox({ listen: false })
  await sandbox.fetch('/v1/pets', { headers: { authorization: 'Bearer psk_pro' } })
  await expect(sandbox).toHaveReceived({ operationId: 'listPets' }, { exactly: 1 })
  // @ts-expect-error times is an object
  await expect(expect(sandbox).toHaveReceived({}, 1)).rejects.toThrow()
  await sandbox.close()
})
`,
    )
    const { code, text } = await runNode([tool('jest/bin/jest.js'), '--rootDir', project], project)
    expect(text).toMatch(/Tests: +1 passed/)
    expect(code, text).toBe(0)
  })

  it.each([
    ['4', here('../../node_modules/vitest')],
    ['5', tool('vitest5')],
  ])('has matchers with types for Vitest %s', async (version, vitest) => {
    const project = join(folder, `vitest-${version}`)
    mkdirSync(join(project, 'node_modules'), { recursive: true })
    symlinkSync(vitest, join(project, 'node_modules/vitest'), 'junction')
    link('@types/node', join(project, 'node_modules'))
    writeFileSync(
      join(project, 'matchers.mts'),
      `import { createSandbox } from 'petstore-sandbox'
import 'petstore-sandbox/vitest'
import { expect } from 'vitest'
const sandbox = await createSandbox({ listen: false })
const received: Promise<void> = expect(sandbox).toHaveReceived({ operationId: 'listPets' }, { exactly: 1 })
await expect(sandbox).not.toHaveBackedOff()
await expect(received).resolves.toBeUndefined()
// @ts-expect-error there is no such finding
await expect(sandbox).toHaveNoFindings('dup')
`,
    )
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck']
    const { text } = await runNode(
      [tool('typescript7/bin/tsc'), ...flags, '--types', 'node', 'matchers.mts'],
      project,
    )
    expect(text).toBe('')
  })

  it('has matchers with types for bun test', async () => {
    // As in @types/bun.
    writeFileSync(
      join(folder, 'bun-test.d.ts'),
      `declare module 'bun:test' {
  export interface Matchers<T = unknown> { toBe(expected: T): void }
  export const expect: { <T>(actual: T): Matchers<T>; extend(matchers: object): void }
}
`,
    )
    writeFileSync(
      join(folder, 'bun.mts'),
      `import { expect } from 'bun:test'
import { createSandbox } from 'petstore-sandbox'
import { matchers } from 'petstore-sandbox/jest'
expect.extend(matchers)
const sandbox = await createSandbox({ listen: false })
await expect(sandbox).toHaveReceived({ operationId: 'listPets' }, { exactly: 0 })
// @ts-expect-error times is an object
await expect(sandbox).toHaveReceived({}, 1)
`,
    )
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022']
    const files = ['bun-test.d.ts', 'bun.mts']
    const { text } = await runNode([tool('typescript7/bin/tsc'), ...flags, ...files], folder)
    expect(text).toBe('')
  })

  it('can be required in a test of Jest', async () => {
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
