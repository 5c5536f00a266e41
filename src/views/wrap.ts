import { stripVTControlCharacters } from 'node:util'

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u
const NARROWLESS = /\p{M}|[\u200B-\u200D]/u

const widthOfCharacter = (character: string): number => {
  if (character < '\u0300') return 1
  if (NARROWLESS.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** The width of a text in columns of a terminal; colours have none. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of stripVTControlCharacters(text)) width += widthOfCharacter(character)
  return width
}

/** A part of a text that is not broken: it ends after a space or comma, or before a separator of a path or query. */
const PIECE = /[/?&]?[^\s/?&,;]*[,;]?\s*/g

/** The unbreakable parts of a text, without trailing spaces. */
export const wordsOf = (text: string): string[] => (text.match(PIECE) ?? []).map((piece) => piece.trimEnd())

/** A text in lines of at most `width` columns, broken between words. Only a word wider than that is split. */
export function wrapText(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const piece of text.match(PIECE) ?? []) {
    if (widthOf(line + piece.trimEnd()) <= width) {
      line += piece
      continue
    }
    if (line !== '') lines.push(line.trimEnd())
    line = piece
    while (widthOf(line.trimEnd()) > width) {
      const head = beginning(line, width)
      lines.push(head)
      line = line.slice(head.length)
    }
  }
  if (line !== '') lines.push(line.trimEnd())
  return lines
}

/** The start of a text that fits `width` columns; at least one character. */
function beginning(text: string, width: number): string {
  let head = ''
  for (const character of text) {
    if (head !== '' && widthOf(head + character) > width) break
    head += character
  }
  return head
}

/** A line, with or without colours, broken between words at the width of the terminal; further lines are indented. */
export function wrapLine(line: string, columns: number | undefined, indent: number): string {
  if (columns === undefined || widthOf(line) <= columns) return line
  const [leading = ''] = /^ */.exec(line) ?? []
  const lines: string[] = []
  let current = ''
  for (const word of line.slice(leading.length).split(/ +/)) {
    const longer = current === '' ? leading + word : `${current} ${word}`
    if (current === '' || widthOf(longer) <= columns) {
      current = longer
      continue
    }
    lines.push(current)
    current = ' '.repeat(indent) + word
  }
  return [...lines, current].join('\n')
}
