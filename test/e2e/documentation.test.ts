import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configSchema } from '../../build/config-schema.ts'
import { flagOf, OPTION_NAMES, OPTIONS, variableOf } from '../../src/config/table.ts'
import { describeDecisions, resolvePolicy } from '../../src/contract/decisions/decisions.ts'
import { API_ERRORS } from '../../src/world/api-error.ts'
import { BUILT_IN_KEYS } from '../../src/world/keys/built-in-keys.ts'
import { GATE_NAMES } from '../../src/world/traffic/gates.ts'
import { temporaryFolder } from '../support/folder.ts'
import { BIN, type Program, start, stopAll } from '../support/program.ts'

const root = new URL('../../', import.meta.url)
const text = (name: string): string => readFileSync(new URL(name, root), 'utf8')

const PAGES = ['README.md', ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
)

const between = (page: string, name: string): string =>
  text(page).split(`<!-- ${name} -->\n`)[1]?.split(`\n<!-- /${name} -->`)[0] ?? ''

it('the README takes a few minutes to read', () => {
  expect(text('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130)
})

it('docs/decisions.md has the decisions of the table', () => {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
  const rows = describeDecisions(resolvePolicy()).map(
    ({ name, section, question, choices, default: usual, why }) =>
      `| \`${name}\` | ${section} | ${cell(question)} | ${cell(usual) || 'none'} | ${cell(choices)} | ${cell(why)} |`,
  )
  const head = '| Decision | § | Question | Default | Choices | Why |\n| --- | --- | --- | --- | --- | --- |'
  expect(between('docs/decisions.md', 'decisions')).toBe([head, ...rows].join('\n'))
})

it('docs/start.md names every built-in key', () => {
  for (const key of Object.keys(BUILT_IN_KEYS)) expect(text('docs/start.md')).toContain(`\`${key}\``)
})

it('docs/errors.md explains every error code, with its status', () => {
  const rows = [...text('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d+) \| [^|]+ \| [^|]+ \|$/gm)]
  expect(Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(API_ERRORS)
})

it('docs/ci.md names every gate', () => {
  for (const gate of GATE_NAMES) expect(text('docs/ci.md')).toContain(`| \`${gate}\` |`)
})

it('docs/command-line.md names every option and variable, and its configuration is valid', () => {
  const commandLine = text('docs/command-line.md')
  for (const name of OPTION_NAMES) {
    const { flags, schema } = OPTIONS[name]
    if (!flags && !schema) continue
    const cells = flags ? [flagOf(name), variableOf(name)] : ['', '']
    const row = [...cells, schema ? name : ''].map((cell) => (cell ? ` \`${cell}\` |` : ' |'))
    expect(commandLine).toContain(`|${row.join('')}\n`)
  }
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(commandLine) ?? []
  expect(new Ajv2020({ strict: false }).validate(configSchema(), JSON.parse(example))).toBe(true)
})

it('docs/integrations.md names every option that only code can set', () => {
  const names = OPTION_NAMES.filter((name) => !OPTIONS[name].flags && !OPTIONS[name].schema)
  expect(names).not.toEqual([])
  for (const name of names) expect(text('docs/integrations.md')).toContain(`${name}: `)
})

const unindented = (shown = '') => shown.replace(/^ {3}/gm, '')

/** The commands of a page with the mark `try`, each with its expected output. */
const triedOn = (page: string) =>
  [...text(page).matchAll(/<!-- try -->\n *```sh\n([\s\S]*?) *```(?:\n *```\w*\n([\s\S]*?) *```)?/g)].map(
    ([, typed, shown]) => [unindented(typed), unindented(shown)] as const,
  )

const triedPages = PAGES.filter((page) => triedOn(page).length > 0)

it('pages have commands with that mark', () => {
  expect(triedPages).toEqual(expect.arrayContaining(['README.md', 'docs/start.md', 'docs/ci.md']))
})

describe.each(triedPages)('the commands of %s', (page) => {
  const folder = temporaryFolder()
  let program: Program
  beforeAll(async () => {
    program = await start(['--port', '0'], { cwd: folder })
  })
  afterAll(stopAll)

  it('the start message is that of the page, if it shows one', () => {
    const shown = between(page, 'banner')
    const printed = program.output.out.replaceAll(new URL(program.origin).port, '4010')
    if (page === 'docs/start.md') expect(shown).toBe(`\`\`\`\n${printed.trimEnd()}\n\`\`\``)
    else expect(shown).toBe('')
  })

  it.each(triedOn(page))('%s', (typed, shown) => {
    const script = typed
      .replaceAll('localhost:4010', new URL(program.origin).host)
      .replaceAll('npx petstore-sandbox', `'${process.execPath}' '${BIN}'`)
    const { stdout, stderr, status } = spawnSync('sh', ['-c', script], {
      encoding: 'utf8',
      env: { ...process.env, PETSTORE_SANDBOX_URL: program.origin, NO_COLOR: '1', no_proxy: '*' },
    })
    expect(status, stderr).toBe(0)
    if (shown) expect(stdout.trim()).toBe(shown.trim())
    else expect(stdout).not.toBe('')
  })
})
