import { expect, it } from 'vitest'
import { markdownTable } from '../../src/views/markdown.ts'

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
