import { expect, it } from 'vitest'
import { printable, printableJson, printableLines } from '../../src/text/printable.ts'

it.each([
  ['a colour', 'a\u001b[31mb', 'a\\u001b[31mb'],
  ['a line', 'a\nb', 'a\\u000ab'],
  ['C1, which some terminals obey', 'a\u009b2Jb', 'a\\u009b2Jb'],
  ['a turned direction', 'a\u202egnp.exe', 'a\\u202egnp.exe'],
  ['a separator of lines', 'a\u2028b', 'a\\u2028b'],
  ['half a character', 'a\ud83d', 'a\\ud83d'],
  ['a text of tags', 'a\u{E0068}\u{E0069}', 'a\\udb40\\udc68\\udb40\\udc69'],
  ['a text of variation selectors', 'a\u{E0101}', 'a\\udb40\\udd01'],
  ['what has no width', 'a\u200b\u00ad\u2060\ufeffb', 'a\\u200b\\u00ad\\u2060\\ufeffb'],
  ['a joiner of nothing', 'a\u200db \u200c犬\u200d\u200d犬', 'a\\u200db \\u200c犬\\u200d\\u200d犬'],
  ['what covers other lines', `a${'\u0301'.repeat(9)}b`, `a${'\u0301'.repeat(7)}\\u0301\\u0301b`],
  [
    'such marks between joiners',
    `a${'\u0301\u200d'.repeat(4)}\u0301b`,
    `a${'\u0301\u200d'.repeat(4)}\\u0301b`,
  ],
])('%s is escaped', (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})

it('does not change letters and emoji', () => {
  const text =
    'Žofie Łódź 犬 🐕‍🦺 لولو 👩‍👩‍👧‍👦 ❤️‍🔥 می\u200cخواهم خانه\u200cها क्\u200dष 辻\u{E0101} בְּרֵאשִׁ֖ית བསྒྲུབས ệ'
  expect(printable(text)).toBe(text)
})

it('keeps the lines of a multi-line text', () => {
  expect(printableLines('a\nb\u001bc')).toBe('a\nb\\u001bc')
})

it('JSON keeps its meaning and its lines', () => {
  const json = JSON.stringify({ name: 'a\u202eb\u007f\u{E0041}' }, null, 2)
  const safe = printableJson(json)
  expect(safe).not.toMatch(/[\u202e\u007f\u{E0041}]/u)
  expect(safe.split('\n')).toHaveLength(3)
  expect(JSON.parse(safe)).toEqual(JSON.parse(json))
})
