import stringWidth from 'fast-string-width'

/** The width of a text in columns of a terminal; colours have none. */
export const widthOf = (text: string): number => stringWidth(text)

/** A part of a text that is not split: it ends after a space or comma, or before a separator of a path or query. */
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
    while (line !== '' && widthOf(line.trimEnd()) > width) {
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
export function wrapLine(line: string, columns = Infinity, indent = 0): string {
  if (columns === Infinity || widthOf(line) <= columns) return line
  return line.split(/(?<! |^) +/).reduce((text, word) => {
    const last = text.slice(text.lastIndexOf('\n') + 1)
    return widthOf(`${last} ${word}`) <= columns ? `${text} ${word}` : `${text}\n${' '.repeat(indent)}${word}`
  })
}
