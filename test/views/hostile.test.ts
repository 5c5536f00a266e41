import { describe, expect, it } from 'vitest'
import { viewOf } from '../../src/mcp/explain.ts'
import { escapeCommands } from '../../src/text/workflow-commands.ts'
import { PLAIN as plain } from '../../src/views/colours.ts'
import { entryLine, exchangeLine, jsonLine } from '../../src/views/exchange-line.ts'
import { harEntry } from '../../src/views/har.ts'
import { junit } from '../../src/views/junit.ts'
import { createRunRecorder } from '../../src/views/report/run-recorder.ts'
import { reportText } from '../../src/views/report-text.ts'
import {
  annotations,
  gatesText,
  runSummaryMarkdown,
  runSummarySuite,
  testsText,
} from '../../src/views/run-summary.ts'
import { textTable } from '../../src/views/text-table.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'
import { entryOf, notesOf } from '../../src/world/traffic/journal-entry.ts'
import { exchange } from '../support/exchange.ts'

/** Hostile values for test names and other text of clients. */
const HOSTILE = [
  '\u001b[2J\u001b]0;title\u0007\u009b31m',
  'a\r\n::error::b\n##[error]c\u2028::stop-commands::d',
  '  ::stop-commands::x',
  '##[group]x',
  ']]></system-out><failure message="x"/>&amp;',
  '| a | `b` **c** <img src=x onerror=y> [d](http://e) @f',
  '\u202Egnp.exe\u2066\u200F',
  '\uD800',
]

const sent = (name: string): Exchange =>
  exchange({
    status: 400,
    test: name,
    path: `/v1/${name}`,
    query: name,
    reason: { code: 'invalid_parameter', message: `${name} is not a parameter of listPets` },
    findings: [
      { kind: 'invalid-request' },
      { kind: 'ignored-input', inputs: [`parameter ${name}`], more: 0 },
    ],
    request: { headers: ['X-A', name], body: name },
    response: { headers: [], body: name },
  })

function runOf(name: string) {
  const recorder = createRunRecorder(['invalid-request', 'ignored-input'])
  recorder.record(sent(name))
  return recorder.summary(['listPets'])
}

const RUN = { command: 'npm test', code: 0, at: '2026-11-19T12:34:56.000Z', ms: 1 }

/** The output of each printer for a request of a test with this name. */
const PRINTERS: Readonly<Record<string, (name: string) => string>> = {
  log: (name) => exchangeLine(sent(name), plain),
  'log as JSON': (name) => jsonLine(sent(name)),
  'requests --follow': (name) => entryLine(entryOf(sent(name)), notesOf(entryOf(sent(name))), 1, plain),
  requests: (name) => textTable(['~WHY'], [[notesOf(entryOf(sent(name)))]], plain.strong),
  report: (name) => reportText(runOf(name).report, plain),
  tests: (name) => testsText(runOf(name).tests),
  gates: (name) => gatesText(runOf(name).gates, plain),
  JUnit: (name) => junit([runSummarySuite(runOf(name), { ...RUN, command: name })]),
  Markdown: (name) => runSummaryMarkdown(runOf(name), { ...RUN, command: name }),
  'annotations of GitHub': (name) => annotations(runOf(name).tests, runOf(name).gates),
}

/** Characters that control a terminal, end a line or change the text direction, and lone surrogates. */
const UNSAFE = /[\p{Cc}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\p{Cs}]/u

describe.each(Object.entries(PRINTERS))('%s', (_, print) => {
  const linesOf = (text: string) => text.split('\n').length

  it.each(HOSTILE)('prints %j in as many lines as any name, none of them unsafe', (name) => {
    const text = print(name)
    expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE)
    expect(linesOf(text)).toBe(linesOf(print('a name')))
  })

  it.each(HOSTILE)('prints %j without a command for the runner of GitHub Actions', (name) => {
    const commands = (text: string) => text.split('\n').filter((each) => /^\s*::|##\[/.test(each)).length
    const isAnnotation = /^::(?:warning|error) title=/
    const text = print(name)
    const shown = isAnnotation.test(text)
      ? text.split('\n').filter((each) => !isAnnotation.test(each))
      : [escapeCommands(text)]
    expect(commands(shown.join('\n'))).toBe(0)
    expect(isAnnotation.test(text) ? text.includes('##[') : false).toBe(false)
  })
})

it.each(HOSTILE)('JUnit stays one document with the same elements: %j', (name) => {
  const elements = (text: string) => text.match(/<\/?[a-z-]+/g)
  expect(elements(PRINTERS.JUnit?.(name) ?? '')).toEqual(elements(PRINTERS.JUnit?.('a name') ?? ''))
})

it.each(HOSTILE)('Markdown has the same cells, and no markup of the name: %j', (name) => {
  const text = PRINTERS.Markdown?.(name) ?? ''
  const bars = (all: string) => all.match(/(?<!\\)\|/g)?.length
  expect(bars(text)).toBe(bars(PRINTERS.Markdown?.('a name') ?? ''))
  expect(text).not.toMatch(/(?<!\\)<img|(?<!\\)`b|(?<!\\)\[d\]|@f/)
})

it.each(HOSTILE)(
  'it is in the views for agents under received and answered only, and in HAR as valid JSON: %j',
  (name) => {
    const entry = entryOf(sent(name))
    const { received, answered, ...rest } = viewOf(entry, true) as Record<string, unknown>
    expect(JSON.stringify(rest)).not.toContain(JSON.stringify(name).slice(1, -1))
    const har = harEntry(entry, 'http://localhost')
    expect(JSON.parse(JSON.stringify(har))).toEqual(har)
  },
)
