import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { widthOf, wordsOf, wrapLine, wrapText } from '../../src/views/wrap.ts'

const withoutBlanks = (text: string) => text.replaceAll(/\s/g, '')
/** The text of a table is printable: without control characters, with spaces as the only blanks. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(' ', '/v1/pets?a=1&b=2', 'a, b', '日本語', '🐕', 'e\u0301'),
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join('').replaceAll(/[\s\u200B-\u200F]+/g, ' '))

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['ＡＢ', 4],
    ['🐕', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['\u001b[31mred\u001b[39m', 3],
  ])('of %j is %i', (given, width) => {
    expect(widthOf(given)).toBe(width)
  })
})

it('a wrapped text has all its characters in order, in lines that fit', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (given, width) => {
      const lines = wrapText(given, width)
      expect(withoutBlanks(lines.join(''))).toBe(withoutBlanks(given))
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
    }),
  )
})

it('ends even if nothing fits', () => {
  expect(wrapText('日本a', 1)).toEqual(['日', '本', 'a'])
  expect(wrapText('ab', 0)).toEqual(['a', 'b'])
  // A terminal of one column, minus an indent.
  expect(wrapText('ab', -3)).toEqual(['a', 'b'])
})

it('is broken after parts of a path or a query, and only a word that is too wide is split', () => {
  expect(wrapText('/v1/pets?limit=2&status=sold', 14)).toEqual(['/v1/pets', '?limit=2', '&status=sold'])
  expect(wrapText('one, two', 5)).toEqual(['one,', 'two'])
  expect(wrapText('abcdefgh ij', 5)).toEqual(['abcde', 'fgh', 'ij'])
  expect(wordsOf('a, b/c?d')).toEqual(['a,', 'b', '/c', '?d', ''])
})

it('a line keeps its colours, its words and its indentation', () => {
  const line = '  \u001b[31mone two\u001b[39m three'
  expect(wrapLine(line, undefined, 4)).toBe(line)
  expect(wrapLine(line, 15, 4)).toBe(line)
  expect(wrapLine(line, 9, 4)).toBe('  \u001b[31mone two\u001b[39m\n    three')
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 20 }), (given, columns) => {
      const words = (each: string) => each.split(/[ \n]+/).filter(Boolean)
      expect(words(wrapLine(given, columns, 2))).toEqual(words(given))
    }),
  )
})
