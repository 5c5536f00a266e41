import { inThousands } from '../text/in-thousands.ts'
import { printable } from '../text/printable.ts'
import { widthOf, wordsOf, wrapText } from './wrap.ts'

/** A cell of a table: a count, or untrusted text, made safe for a terminal, with an optional colour. */
export type Cell = string | number | { readonly text: string; readonly paint: Paint }

type Paint = (text: string) => string

type Rows = readonly (readonly Cell[])[]

type Column = ReturnType<typeof columnsOf>[number]

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
export function textTable(headings: readonly string[], rows: Rows, head: Paint, columns?: number): string {
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
    laid.flatMap((each) => bandLines(each, cells, columns !== undefined))
  return { head: linesOf(all.map(({ name }) => name)), rows: rows.map(linesOf) }
}

/** `flexible`: its cells may be wrapped. `least`: its smallest width, that of the longest word, within limits. */
const columnsOf = (headings: readonly string[], rows: Rows) =>
  headings.map((heading, index) => {
    const name = heading.replace(/^[>~]/, '')
    const texts = rows.map((row) => textOf(row[index]))
    const flexible = heading.startsWith('~')
    const natural = widest([name, ...texts])
    const word = widest([name, ...texts.flatMap(wordsOf)])
    const least = flexible ? Math.min(natural, Math.max(MIN, Math.min(word, MAX))) : natural
    return { name, index, right: heading.startsWith('>'), flexible, natural, least }
  })

const widest = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, widthOf(text)), 0)

function textOf(cell: Cell = ''): string {
  if (typeof cell === 'number') return inThousands(cell)
  return printable(typeof cell === 'object' ? cell.text : cell)
}

const spaceOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + GAP, -GAP)

/** The columns grouped by the lines that a row needs. */
function bandsOf(all: readonly Column[], columns: number): Column[][] {
  const bands: Column[][] = []
  let band: Column[] = []
  for (const column of all) {
    const room = columns - (bands.length === 0 ? 0 : INDENT)
    if (band.length > 0 && spaceOf([...band, column].map(({ least }) => least)) > room) {
      bands.push(band)
      band = []
    }
    band.push(column)
  }
  return [...bands, band]
}

/** The width of each column. Flexible ones share the remaining width, the narrowest first. */
function widthsOf(band: readonly Column[], room: number | undefined): number[] {
  if (room === undefined)
    return band.map(({ flexible, natural, name }) =>
      flexible ? Math.min(natural, Math.max(MAX, widthOf(name))) : natural,
    )
  const widths = band.map(({ least }) => Math.min(least, room))
  const flexible = band.filter((column) => column.flexible).sort((a, b) => a.natural - b.natural)
  flexible.forEach((column, i) => {
    const at = band.indexOf(column)
    const share = Math.floor((room - spaceOf(widths)) / (flexible.length - i))
    widths[at] = Math.min(column.natural, (widths[at] ?? 0) + Math.max(0, share))
  })
  return widths
}

function bandLines(
  { band, indent, widths }: { band: readonly Column[]; indent: number; widths: readonly number[] },
  cells: readonly Cell[],
  wraps: boolean,
): string[] {
  const laid = band.map(({ index, right }, i) => {
    const cell = cells[index]
    const width = widths[i] ?? 0
    const paint = typeof cell === 'object' ? cell.paint : String
    const text = textOf(cell)
    return { right, width, paint, lines: wraps ? wrapText(text, width) : [text] }
  })
  const height = Math.max(...laid.map(({ lines }) => lines.length))
  const lines = Array.from({ length: height }, (_, i) => {
    const line = laid.map(({ right, width, paint, lines }) => {
      const text = lines[i] ?? ''
      const space = ' '.repeat(Math.max(0, width - widthOf(text)))
      return right ? space + paint(text) : paint(text) + space
    })
    return `${' '.repeat(indent)}${line.join(' '.repeat(GAP))}`.trimEnd()
  })
  return lines.filter((line, i) => line !== '' || (i === 0 && indent === 0))
}
