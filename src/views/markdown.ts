import { inThousands } from '../text/in-thousands.ts'
import { printable, printableLines } from '../text/printable.ts'

/** A table in GitHub's Markdown. Cells are counts or plain text, in which Markdown and HTML are escaped. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const cellText = (cell: string | number) =>
    typeof cell === 'number' ? inThousands(cell) : markdownText(cell)
  const rule = line(headings.map(() => '---'))
  return `${line(headings.map(markdownText))}${rule}${rows.map((row) => line(row.map(cellText))).join('')}`
}

/**
 * Plain text as one line of Markdown: markup, HTML, table separators, bare links and mentions have no effect. Mentions
 * are found after rendering, so `@` gets a zero-width space instead of an escape.
 */
export const markdownText = (text: string): string =>
  printable(text.replaceAll(/\s+/g, ' '))
    .replaceAll(/[\\`*_{}[\]<>#|~&!$]/g, (character) => `\\${character}`)
    .replaceAll('@', '@&#8203;')
    .replaceAll(/:(?=\/\/)|(?<=mailto|xmpp):|(?<=www)\./gi, (character) => `\\${character}`)
    .replace(/^(?:[-+=]|\d+[.)])/, (marker) => `${marker.slice(0, -1)}\\${marker.slice(-1)}`)

/** A page with a title and its parts, except those that are false. */
export const markdownPage = (title: string, parts: readonly (string | false)[]): string =>
  [`# ${markdownText(title)}\n`, ...parts.filter((part) => part !== false)].join('\n')

export const markdownSection = (heading: string, body: string): string =>
  `## ${markdownText(heading)}\n\n${body}`

export const markdownList = (lines: readonly string[]): string =>
  lines.map((line) => `- ${markdownText(line)}\n`).join('')

/** Lines as a block of code, whose fence is longer than any in the text. */
export function markdownCode(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${printableLines(text.replace(/\n$/, ''))}\n${fence}\n`
}
