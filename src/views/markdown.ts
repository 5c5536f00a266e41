import { printable } from '../domain/text/printable.ts'

/** A Markdown table (of GitHub's kind). Cells are plain text: nothing in them is taken for Markdown or HTML. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const rule = line(headings.map(() => '---'))
  return `${line(headings.map(markdownText))}${rule}${rows.map((row) => line(row.map(markdownText))).join('')}`
}

/**
 * Plain text in one line of Markdown: no markup, no HTML, no table, no link that a renderer finds in bare text, and no
 * mention of a person: that is found after rendering, so that an escape does not help, but a space of no width does.
 */
export const markdownText = (text: string): string =>
  printable(text.replaceAll(/\s+/g, ' '))
    .replaceAll(/[\\`*_{}[\]<>#|~&!$]/g, (character) => `\\${character}`)
    .replaceAll('@', '@&#8203;')
    .replaceAll(/:(?=\/\/)|(?<=mailto|xmpp):|(?<=www)\./gi, (character) => `\\${character}`)
    .replace(/^(?:[-+=]|\d+[.)])/, (marker) => `${marker.slice(0, -1)}\\${marker.slice(-1)}`)
