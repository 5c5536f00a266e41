import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { COMMAND_ROWS } from '../../src/cli/registry.ts'
import { controlContract } from '../../src/contract/control.ts'
import { controlTools } from '../../src/mcp/control-tools.ts'
import { ownTools } from '../../src/mcp/tools.ts'
import { runCli } from './run-cli.ts'

const fileOf = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8')

const processes = { use: () => {}, start: async () => {}, stop: async () => false }
const tools = [...ownTools(processes), ...controlTools(controlContract().document)]
const toolNames = tools.map(({ name }) => name)

describe.each(['skills/petstore-sandbox/SKILL.md', 'llms.txt', 'docs/agents.md'])('%s', (name) => {
  const text = fileOf(name)

  it('names only existing commands and options', async () => {
    const lines = [...text.matchAll(/npx petstore-sandbox ([a-z][^`\n]*)/g)].map(
      ([, words = '']) => words.split(' -- ')[0] ?? '',
    )
    for (const line of lines) {
      const [command = '', part = ''] = line.split(' ')
      expect(
        COMMAND_ROWS.map((row) => row.name),
        line,
      ).toContain(command)
      const parts = /^(add|advance|list)$/.test(part) ? [part] : []
      const { out } = await runCli([command, ...parts, '--help'])
      for (const flag of line.match(/--[a-z-]+/g) ?? []) expect(out, line).toContain(flag)
    }
  })

  it('names only existing tools', () => {
    const named = [...text.matchAll(/`((?!psk_)[a-z]+_[a-z_]+)`/g)].map(([, tool]) => tool)
    expect(named.filter((tool) => !toolNames.includes(tool as string))).toEqual([])
  })
})

it('refusals advise existing commands and calls', async () => {
  const sources = readdirSync(fileURLToPath(new URL('../../src', import.meta.url)), {
    recursive: true,
    encoding: 'utf8',
  })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file}`)
  const advice = /with petstore-sandbox ([a-z ]+?)(?: <\w+>| \$\{into\})? or (\w+ \/_sandbox\/[\w/]+)/g
  const advised = sources.flatMap((file) => [...fileOf(file).matchAll(advice)])
  expect(advised.length).toBeGreaterThan(5)
  const calls = Object.entries(controlContract().document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} /_sandbox${path}`),
  )
  for (const [, words = '', call = ''] of advised) {
    const { code, out } = await runCli([...words.split(' '), '--help'])
    expect([code, out.includes(`petstore-sandbox ${words}`)], words).toEqual([0, true])
    expect(calls.filter((each) => each.startsWith(call)).length, call).toBeGreaterThan(0)
  }
})

it('the documentation lists every tool', () => {
  const text = fileOf('docs/agents.md')
  expect(toolNames.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
})
