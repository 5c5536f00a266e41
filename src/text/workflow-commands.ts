/**
 * Escapes the workflow commands of GitHub Actions in a text: `::` at the beginning of a line, also after blanks, and
 * `##[` anywhere. JSON keeps its meaning.
 */
export const escapeCommands = (text: string): string =>
  text.replaceAll('##[', '\\u0023#[').split('\n').map(escapeLine).join('\n')

const escapeLine = (line: string): string =>
  line.trimStart().startsWith('::') ? line.replace('::', '\\u003a:') : line
