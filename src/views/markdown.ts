/** A Markdown table (of GitHub's kind). Cells are plain text: nothing in them is taken for Markdown or HTML. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const rule = line(headings.map(() => '---'))
  return `${line(headings.map(markdownText))}${rule}${rows.map((row) => line(row.map(markdownText))).join('')}`
}

/** Plain text in one line of Markdown. */
export const markdownText = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>#|~&]/g, (character) => `\\${character}`)
