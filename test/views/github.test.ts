import { describe, expect, it } from 'vitest'
import { escapeCommands } from '../../src/text/workflow-commands.ts'
import { annotations } from '../../src/views/run-summary.ts'

const found = { requests: 3, first: [], others: [], findings: { 'early-retry': 2, banned: 1 } }

describe('annotations', () => {
  it('are one line per test, which no test name can end or forge', () => {
    const forged = 'a,title=b::c\r\n::error::100%\u001b[2J##[error]'
    expect(annotations([{ ...found, test: 'checkout › retries' }], [])).toBe(
      '::warning title=checkout › retries::2 early retries, 1 ban\n',
    )
    expect(annotations([{ ...found, test: forged }], [])).toBe(
      '::warning title=a%2Ctitle=b%3A%3Ac%0D%0A%3A%3Aerror%3A%3A100%25\\u001b[2J\\u0023#[error]::2 early retries, 1 ban\n',
    )
  })

  it('are an error for each failed gate, with the violations', () => {
    const gate = { gate: 'banned', title: 'bans', count: 2, first: ['req_1: 100%\nx'] } as const
    const passed = { gate: 'duplicate', title: 'possible duplicates', count: 0, first: [] } as const
    expect(annotations([], [gate, passed])).toBe(
      '::error title=gate banned::bans: 2%0Areq_1: 100%25\\u000ax%0A… and 1 more\n',
    )
  })
})

describe('text without workflow commands', () => {
  it.each([
    ['::error::x', '\\u003a:error::x'],
    ['a\n \t::stop-commands::x', 'a\n \t\\u003a:stop-commands::x'],
    ['a ##[error]##[x', 'a \\u0023#[error]\\u0023#[x'],
    ['{"a":"##["}', '{"a":"\\u0023#["}'],
    ['a::b # [c] :d', 'a::b # [c] :d'],
  ])('%j', (text, safe) => {
    expect(escapeCommands(text)).toBe(safe)
  })
})
