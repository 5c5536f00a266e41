import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { hasPart } from '../parts.ts'
import { freePort } from '../support/port.ts'
import { CHROMIUM_FLAGS, chromiumPath, hasChromium } from './chromium.ts'
import { createWorkspace, type Outcome, type Workspace } from './workspace.ts'

const examples = fileURLToPath(new URL('../../examples/', import.meta.url))

const hasPytest = hasPart(
  spawnSync('python3', ['-m', 'pytest', '--version']).status === 0,
  'pytest (the package python3-pytest)',
  'the tests of examples/python',
)

/** Each recipe is a project under examples/, which is run as a user runs it. */
describe('recipes', () => {
  let workspace: Workspace
  beforeAll(() => {
    workspace = createWorkspace()
  })
  afterAll(() => workspace?.remove())

  const test = (name: string, env?: NodeJS.ProcessEnv): Promise<Outcome> =>
    workspace.run(workspace.project(name), 'npm test', env)

  it('Vitest with several workers, each in its namespace', async () => {
    const { code, text } = await test('vitest-workers')
    expect(text).toMatch(/Tests +15 passed/)
    expect(text).toMatch(/report: requests 36\n/)
    expect(text).toContain('passed  early-retry\n')
    expect(code, text).toBe(0)
  })

  it('the test of the README', async () => {
    const [, shown = ''] =
      /```ts\n([\s\S]*?)```/.exec(readFileSync(join(examples, '../README.md'), 'utf8')) ?? []
    const folder = workspace.project('msw', 'readme')
    writeFileSync(join(folder, 'src/readme.test.ts'), shown)
    const { code, text } = await workspace.run(folder, 'npx vitest run readme')
    expect(text).toMatch(/Tests +1 passed/)
    expect(code, text).toBe(0)
  })

  it('the suite of the Compose example, with a sandbox that has a control token', async () => {
    const folder = workspace.project('compose')
    const { services } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'))
    expect(services.tests.depends_on.petstore.condition).toBe('service_healthy')
    const token = services.petstore.environment.PETSTORE_SANDBOX_CONTROL_TOKEN
    const line = `npx petstore-sandbox exec --control-token ${token} -- ${services.tests.command}`
    const { code, text } = await workspace.run(folder, line)
    expect(text).toMatch(/pass 1/)
    expect(code, text).toBe(0)
  })

  it('node:test with the module', async () => {
    const { code, text } = await test('node-test')
    expect(text).toMatch(/pass 4/)
    expect(code, text).toBe(0)
  })

  it.skipIf(!hasChromium)(
    'Playwright with workers and a page under test, each test in its namespace',
    async () => {
      const folder = workspace.project('playwright')
      // A busy machine needs longer than the 30 s of Playwright for a test, and its 5 s for an expectation.
      writeFileSync(
        join(folder, 'patient.config.ts'),
        `import config from './playwright.config'
export default { ...config, timeout: 300_000, expect: { timeout: 60_000 } }`,
      )
      const { code, text } = await workspace.run(folder, 'npm test -- --config patient.config.ts', {
        PAGE_PORT: String(await freePort()),
        CHROMIUM_PATH: chromiumPath,
        CHROMIUM_FLAGS: CHROMIUM_FLAGS.join(' '),
      })
      expect(code, text).toBe(0)
      expect(text).toMatch(/3 passed/)
    },
  )

  it('MSW in Node, which passes requests to sandbox.fetch', async () => {
    const { code, text } = await test('msw')
    expect(text).toMatch(/Tests +3 passed/)
    expect(code, text).toBe(0)
  })

  it.skipIf(!hasPytest)('pytest, which calls the control API with the standard library', async () => {
    const { code, text } = await test('python', { PYTHONDONTWRITEBYTECODE: '1' })
    expect(text).toContain('5 passed')
    expect(text).toContain('passed  server-error\n')
    expect(code, text).toBe(0)
  })

  it.each(readdirSync(examples))('the first lines of examples/%s describe it and how to run it', (name) => {
    const folder = join(examples, name)
    const [title, , shows, run, read] = readFileSync(join(folder, 'README.md'), 'utf8').split('\n')
    expect(title).toMatch(/^# /)
    expect(shows).toMatch(/^Shows: .+ {2}$/)
    const commands = /^Run: `(.+)` {2}$/.exec(run ?? '')?.[1]?.split(' && ') ?? []
    expect(commands, run).toContain('npm install')
    const script = /^npm (?:run )?(\w+)$/.exec(commands.at(-1) ?? '')?.[1] ?? ''
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(manifest.scripts[script], run).toBeTypeOf('string')
    const page = /^Read: \[[^\]]+\]\(([^)#]+)(?:#[^)]+)?\)$/.exec(read ?? '')?.[1] ?? ''
    expect(existsSync(join(folder, page)), read).toBe(true)
    expect(readFileSync(join(examples, '../docs/examples.md'), 'utf8')).toContain(`(../examples/${name})`)
  })

  it('a client that is generated from /openapi.json, type-checked and run', async () => {
    const { code, text } = await test('openapi-client')
    expect(text).toContain('201 Kit pending\n200 3\n200 true\n404 pet_not_found 404\n')
    expect(code, text).toBe(0)
  })

  describe('a GitHub Actions job', () => {
    interface Step {
      readonly uses?: string
      readonly run?: string
    }

    it('is valid, and its own steps run', async () => {
      const folder = workspace.project('github-actions')
      const workflow = parse(readFileSync(join(folder, '.github/workflows/test.yml'), 'utf8'))
      expect(Object.keys(workflow)).toEqual(['name', 'on', 'permissions', 'jobs'])
      const steps: Step[] = workflow.jobs.test.steps
      for (const { uses, run } of steps) {
        expect([uses, run].filter(Boolean)).toHaveLength(1)
        if (uses) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/)
      }
      const summary = join(folder, 'summary.md')
      // The package is installed already; its registry cannot be tested here.
      const lines = steps.flatMap(({ run }) => (run && run !== 'npm ci' ? [run] : []))
      expect(lines).toHaveLength(1)
      for (const line of lines) {
        const { code, text } = await workspace.run(folder, line, { GITHUB_STEP_SUMMARY: summary, CI: 'true' })
        expect(code, text).toBe(0)
      }
      expect(readFileSync(join(folder, 'reports/petstore.xml'), 'utf8')).toContain('tests="5" failures="0"')
      expect(readFileSync(summary, 'utf8')).toContain('| deprecated | passed |')
      expect(existsSync(join(folder, '.petstore-sandbox'))).toBe(false)
    })
  })
})
