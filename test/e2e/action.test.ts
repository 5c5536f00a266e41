import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createWorkspace, type Outcome, type Workspace } from './workspace.ts'

interface Step {
  readonly if: string
  readonly shell?: string
  readonly env?: Readonly<Record<string, string>>
  readonly run?: string
  readonly uses?: string
}

const action = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'))

/** Runs the steps of action.yml like a runner, for a job that uses it twice. */
describe('the action for GitHub', () => {
  let workspace: Workspace
  let folder: string
  let files: Record<'GITHUB_ENV' | 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY', string>
  let exported: Record<string, string>

  beforeAll(() => {
    workspace = createWorkspace()
    folder = workspace.project('node-test', 'action')
    const file = (name: string) => {
      const path = join(folder, name)
      writeFileSync(path, '')
      return path
    }
    files = {
      GITHUB_ENV: file('env'),
      GITHUB_OUTPUT: file('output'),
      GITHUB_STEP_SUMMARY: file('summary.md'),
    }
    mkdirSync(join(folder, 'temp'))
  })
  afterAll(() => workspace?.remove())

  /** Runs the steps whose condition is true for these inputs, with the variables that earlier steps exported. */
  async function use(given: Readonly<Record<string, string>>): Promise<Outcome[]> {
    const inputs: Record<string, string> = {}
    for (const [name, { default: usual }] of Object.entries<{ default: string }>(action.inputs))
      inputs[name] = given[name] ?? usual
    const outcomes: Outcome[] = []
    for (const step of action.runs.steps as Step[]) {
      const [, wanted, value] = /^inputs\.finish (==|!=) '(\w+)'$/.exec(step.if) ?? []
      if ((inputs.finish === value) !== (wanted === '==') || !step.run) continue
      const env = Object.entries(step.env ?? {}).map(([name, text]) => [
        name,
        text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input) => inputs[input] ?? ''),
      ])
      const around = { ...files, ...exported, RUNNER_TEMP: join(folder, 'temp') }
      outcomes.push(await workspace.run(folder, step.run, { ...around, ...Object.fromEntries(env) }))
    }
    return outcomes
  }

  it('passes inputs to its scripts by environment variables only', () => {
    expect(action.runs.using).toBe('composite')
    for (const { run = '', shell, uses } of action.runs.steps as Step[]) {
      expect(run).not.toContain('${{')
      if (run) expect(shell).toBe('bash')
      if (uses) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/)
    }
  })

  it('starts a sandbox, waits for it, and exports its address', async () => {
    const [started] = await use({ options: '--fixture busy\n--limits enterprise=3/100\n' })
    expect(started?.code, started?.text).toBe(0)
    exported = Object.fromEntries(
      readFileSync(files.GITHUB_ENV, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    )
    expect(Object.keys(exported)).toEqual(['PETSTORE_BASE_URL', 'PETSTORE_API_KEY', 'PETSTORE_SANDBOX_URL'])
    expect(readFileSync(files.GITHUB_OUTPUT, 'utf8')).toBe(`base-url=${exported.PETSTORE_BASE_URL}\n`)
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const headers = { authorization: `Bearer ${exported.PETSTORE_API_KEY}` }
      const response = await fetch(`${exported.PETSTORE_BASE_URL}/pets?limit=100`, { headers })
      statuses.push(response.status)
      if (i === 0) expect(await response.json()).toHaveLength(100)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  it('refuses a control token that later steps would not know', async () => {
    const [refused] = await use({ options: '--memory --control-token secret' })
    expect(refused?.code).toBe(2)
    expect(refused?.text).toContain('Set PETSTORE_SANDBOX_CONTROL_TOKEN for the job')
  })

  it('adds the report to the summary, stops the sandbox, and leaves a recording that replays', async () => {
    const [finished] = await use({ finish: 'true' })
    expect(finished?.code, finished?.text).toBe(0)
    const summary = readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8')
    expect(summary).toMatch(/^## petstore-sandbox\n\n {4}/)
    expect(summary).toMatch(/requests +4/)
    await expect(fetch(`${exported.PETSTORE_BASE_URL}/pets`)).rejects.toThrow('fetch failed')
    const recording = join(folder, 'temp/petstore-sandbox/recording.jsonl.gz')
    expect(existsSync(recording)).toBe(true)
    const replayed = await workspace.run(folder, `npx petstore-sandbox replay ${recording}`)
    expect(replayed.code, replayed.text).toBe(0)
  })
})
