import { expect, it } from 'vitest'
import { PLAIN } from '../../src/views/colours.ts'
import { textTable } from '../../src/views/text-table.ts'
import { widthOf, wrapLine } from '../../src/views/wrap.ts'

const HEADINGS = ['ID', '~PATH', '>STATUS', '~WARNINGS']
const LONG = '/v1/pets?status=available&limit=2&cursor=abcdefghijklmnop&sort=name&filter=whatever'
const ROWS = [
  ['req_000001', '/v1/pets', '200', ''],
  ['req_000002', LONG, '200', 'parameter cursor is not known and was ignored; parameter sort is not known'],
]

it.each([30, 60, 80, 120])('fits a terminal of %i columns without breaking a word', (columns) => {
  const lines = textTable(HEADINGS, ROWS, PLAIN.strong, columns).trimEnd().split('\n')
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
  for (const word of ['/pets', '&limit=2', 'parameter', 'ignored;', 'req_000002', '&filter=whatever']) {
    expect(lines.some((line) => line.includes(word))).toBe(true)
  }
})

it('does not pad to the longest path without a terminal', () => {
  const [, short = '', long = ''] = textTable(HEADINGS, [...ROWS], PLAIN.strong).split('\n')
  expect(short).toMatch(/^req_000001 {2}\/v1\/pets {37}200$/)
  expect(long).toContain(LONG)
})

it('escapes cells, and adds colours afterwards', () => {
  const painted = { text: 'a\u001b[31m\u202e', paint: (text: string) => `<${text}>` }
  expect(textTable(['A', 'B'], [[painted, '\u009b']], (text) => `*${text}*`, 80)).toBe(
    '*A                  B*\n<a\\u001b[31m\\u202e>  \\u009b\n',
  )
})

it('breaks a coloured line between words', () => {
  expect(wrapLine('  \u001b[2mone\u001b[22m two   three', 10, 4)).toBe(
    '  \u001b[2mone\u001b[22m two\n    three',
  )
})
