import { expect, it } from 'vitest'
import { markdownCode, markdownTable, markdownText } from '../../src/views/markdown.ts'

it('writes a table whose cells are plain text', () => {
  const rows = [
    ['a|b', '<img src=x>\n`rm`', '*&amp;*'],
    ['', '[x](y)', 'back\\slash'],
  ]
  expect(markdownTable(['One', 'Two', 'Three'], rows)).toBe(
    [
      '| One | Two | Three |',
      '| --- | --- | --- |',
      '| a\\|b | \\<img src=x\\> \\`rm\\` | \\*\\&amp;\\* |',
      '|  | \\[x\\](y) | back\\\\slash |',
      '',
    ].join('\n'),
  )
})

it.each([
  ['https://evil.test/x', 'https\\://evil.test/x'],
  ['www.evil.test', 'www\\.evil.test'],
  ['@team a@b.test', '@&#8203;team a@&#8203;b.test'],
  ['a\u202eb\u001b[2J', 'a\\\\u202eb\\\\u001b\\[2J'],
  ['- 1. x', '\\- 1. x'],
])('%s becomes no link, no mention and no list', (text, shown) => {
  expect(markdownText(text)).toBe(shown)
})

it.each([
  ['a\nb\n', '```\na\nb\n```\n'],
  ['a', '```\na\n```\n'],
  ['```\n# A heading\n````', '`````\n```\n# A heading\n````\n`````\n'],
  ['a\u001b[2J\u202e\r', '```\na\\u001b[2J\\u202e\\u000d\n```\n'],
])('a block of %j cannot be closed by its text', (text, block) => {
  expect(markdownCode(text)).toBe(block)
})
