const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/

/** A text in the quotes of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A word of a command line, in quotes if it has special characters. */
export const shellWord = (text: string): string => (PLAIN.test(text) ? text : quoted(text))
