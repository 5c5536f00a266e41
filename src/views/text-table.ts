import { stripVTControlCharacters } from 'node:util'

/**
 * A table as text, its columns two spaces apart, its lines without spaces at the end. Columns whose heading
 * begins with `>` are aligned to the right.
 */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  head = same,
): string {
  const names = headings.map((heading) => heading.replace(/^>/, ''))
  const widths = names.map((name, column) =>
    Math.max(...[name, ...rows.map((row) => row[column] ?? '')].map(widthOf)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell))
        return headings[column]?.startsWith('>') ? space + cell : cell + space
      })
      .join('  ')
      .trimEnd()
  return `${[head(line(names)), ...rows.map(line)].join('\n')}\n`
}

const widthOf = (cell: string): number => [...stripVTControlCharacters(cell)].length

const same = (text: string): string => text
