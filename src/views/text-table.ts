import { printable } from '../text/printable.ts'
import { widthOf, wordsOf, wrapText } from './wrap.ts'

/** A cell of a table: untrusted text, made safe for a terminal, with an optional colour. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string }

type Rows = readonly (readonly Cell[])[]

interface Column {
  readonly name: string
  readonly right: boolean
  /** Whether its cells may be wrapped. */
  readonly flexible: boolean
  readonly index: number
  readonly natural: number
  /** The width of its longest word. */
  readonly word: number
}

const GAP = 2
/** The smallest width of a flexible column. */
const MIN = 16
/** Without a terminal, flexible columns are aligned up to this width; longer cells exceed it. */
const MAX = 40
const INDENT = 4

/**
 * A table as text, with two spaces between columns and no trailing spaces. A heading that begins with `>` aligns its
 * column to the right; `~` makes it flexible: its cells may be wrapped. `columns`: of the terminal. If the table is wider,
 * flexible columns are narrowed first; then the last columns move below the first.
 */
export function textTable(headings: readonly string[], rows: Rows, head = same, columns?: number): string {
  const lines = tableLines(headings, rows, columns)
  return `${[...lines.head.map((line) => head(line)), ...lines.rows.flat()].join('\n')}\n`
}

/** The lines of the heading, and the lines of each row. */
export function tableLines(headings: readonly string[], rows: Rows, columns?: number) {
  const all = columnsOf(headings, rows)
  const bands = columns === undefined ? [all] : bandsOf(all, columns)
  const laid = bands.map((band, i) => {
    const indent = i === 0 ? 0 : INDENT
    return { band, indent, widths: widthsOf(band, columns && columns - indent) }
  })
  const linesOf = (cells: readonly Cell[]) =>
    laid.flatMap(({ band, indent, widths }) => bandLines(band, widths, indent, cells, columns !== undefined))
  return { head: linesOf(all.map(({ name }) => name)), rows: rows.map(linesOf) }
}

const columnsOf = (headings: readonly string[], rows: Rows): Column[] =>
  headings.map((heading, index) => {
    const name = heading.replace(/^[>~]/, '')
    const texts = rows.map((row) => textOf(row[index]))
    return {
      name,
      index,
      right: heading.startsWith('>'),
      flexible: heading.startsWith('~'),
      natural: widest([name, ...texts]),
      word: widest([name, ...texts.flatMap(wordsOf)]),
    }
  })

const widest = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, widthOf(text)), 0)

const textOf = (cell: Cell | undefined): string =>
  printable(typeof cell === 'object' ? cell.text : (cell ?? ''))

const leastOf = ({ flexible, natural, word }: Column): number =>
  flexible ? Math.min(natural, Math.max(MIN, Math.min(word, MAX))) : natural

const spaceOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + GAP, -GAP)

/** The columns grouped by the lines that a row needs. */
function bandsOf(all: readonly Column[], columns: number): Column[][] {
  const bands: Column[][] = []
  let band: Column[] = []
  for (const column of all) {
    const room = columns - (bands.length === 0 ? 0 : INDENT)
    if (band.length > 0 && spaceOf([...band, column].map(leastOf)) > room) {
      bands.push(band)
      band = []
    }
    band.push(column)
  }
  return [...bands, band]
}

/** Flexible columns share the remaining width, the narrowest first. */
function widthsOf(band: readonly Column[], room: number | undefined): ReadonlyMap<Column, number> {
  if (room === undefined) {
    const most = (column: Column) => Math.min(column.natural, Math.max(MAX, widthOf(column.name)))
    return new Map(band.map((column) => [column, column.flexible ? most(column) : column.natural]))
  }
  const widths = new Map(band.map((column) => [column, Math.min(leastOf(column), room)]))
  const flexible = band.filter((column) => column.flexible).sort((a, b) => a.natural - b.natural)
  flexible.forEach((column, i) => {
    const left = room - spaceOf([...widths.values()])
    const share = Math.floor(left / (flexible.length - i))
    const width = widths.get(column) ?? 0
    widths.set(column, Math.min(column.natural, width + Math.max(0, share)))
  })
  return widths
}

function bandLines(
  band: readonly Column[],
  widths: ReadonlyMap<Column, number>,
  indent: number,
  cells: readonly Cell[],
  wraps: boolean,
): string[] {
  const laid = band.map((column) => {
    const width = widths.get(column) ?? column.natural
    const cell = cells[column.index]
    const paint = typeof cell === 'object' ? cell.paint : same
    const text = textOf(cell)
    return { column, width, paint, lines: wraps ? wrapText(text, width) : [text] }
  })
  const height = Math.max(...laid.map(({ lines }) => lines.length))
  const isEmpty = indent > 0 && laid.every(({ lines }) => lines.every((text) => text === ''))
  if (isEmpty) return []
  return Array.from({ length: height }, (_, i) => {
    const line = laid.map(({ column, width, paint, lines }) => {
      const text = lines[i] ?? ''
      const space = ' '.repeat(Math.max(0, width - widthOf(text)))
      return column.right ? space + paint(text) : paint(text) + space
    })
    return `${' '.repeat(indent)}${line.join(' '.repeat(GAP))}`.trimEnd()
  }).filter((line, i) => i === 0 || line !== '')
}

const same = (text: string): string => text
