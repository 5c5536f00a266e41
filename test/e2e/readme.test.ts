import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configSchema } from '../../src/config/schema.ts'
import { flagOf, OPTION_NAMES, OPTIONS, variableOf } from '../../src/config/table.ts'
import { describeDecisions, resolvePolicy } from '../../src/contract/decisions/decisions.ts'
import { GATE_NAMES } from '../../src/views/report/gate.ts'
import { BUILT_IN_KEYS } from '../../src/world/keys/key.ts'
import { BIN, type Program, start, stopAll } from './program.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

const commandLine = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')

const between = (name: string): string =>
  readme.split(`<!-- ${name} -->\n`)[1]?.split(`\n<!-- /${name} -->`)[0] ?? ''

it('shows the decisions as the table has them', () => {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
  const rows = describeDecisions(resolvePolicy()).map(
    ({ name, section, question, choices, default: usual, why }) =>
      `| \`${name}\` | ${section} | ${cell(question)} | ${cell(usual) || 'none'} | ${cell(choices)} | ${cell(why)} |`,
  )
  const head = '| Decision | § | Question | Default | Choices | Why |\n| --- | --- | --- | --- | --- | --- |'
  expect(between('decisions')).toBe([head, ...rows].join('\n'))
})

it('names every key that is there from the start', () => {
  for (const key of Object.keys(BUILT_IN_KEYS)) expect(readme).toContain(`\`${key}\``)
})

it('docs/command-line.md names every gate, option and variable, and each configuration is one', () => {
  for (const gate of GATE_NAMES) expect(commandLine).toContain(`| \`${gate}\` |`)
  const rows = OPTION_NAMES.map((name) => {
    const { flags, schema } = OPTIONS[name]
    const cells = flags ? [flagOf(name), variableOf(name)] : ['', '']
    return `|${[...cells, schema ? name : ''].map((cell) => (cell ? ` \`${cell}\` |` : ' |')).join('')}`
  })
  for (const row of rows) expect(commandLine).toContain(`${row}\n`)
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(commandLine) ?? []
  expect(new Ajv2020({ strict: false }).validate(configSchema(), JSON.parse(example))).toBe(true)
})

describe('what a newcomer types', () => {
  let folder: string
  let program: Program
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'petstore-sandbox-'))
    program = await start(['--port', '0'], { cwd: folder })
  })
  afterAll(async () => {
    await stopAll()
    rmSync(folder, { recursive: true })
  })

  it('prints what the README shows', () => {
    const printed = program.stdout().replaceAll(new URL(program.origin).port, '4010')
    expect(between('banner')).toBe(`\`\`\`\n${printed.trimEnd()}\n\`\`\``)
  })

  const blocks = [
    ...`${readme}${commandLine}`.matchAll(
      /<!-- try -->\n *```sh\n([\s\S]*?) *```(?:\n *```\w*\n([\s\S]*?) *```)?/g,
    ),
  ]
  const unindented = (text = '') => text.replace(/^ {3}/gm, '')

  it.each(blocks.map(([, typed, shown]) => [unindented(typed), unindented(shown)]))('%s', (typed, shown) => {
    const script = typed
      .replaceAll('localhost:4010', new URL(program.origin).host)
      .replaceAll('npx petstore-sandbox', `'${process.execPath}' '${BIN}'`)
    const { stdout, stderr, status } = spawnSync('sh', ['-c', script], {
      encoding: 'utf8',
      env: { ...process.env, PETSTORE_SANDBOX_URL: program.origin, NO_COLOR: '1' },
    })
    expect(status, stderr).toBe(0)
    if (shown) expect(stdout.trim()).toBe(shown.trim())
    else expect(stdout).not.toBe('')
  })
})
