const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/

/** A text in quotes. Backslashes are outside of them, too: fish reads them as escapes between quotes, other shells do not. */
export const quoted = (text: string): string => `'${text.replace(/['\\]/g, "'\\$&'")}'`

/** A word of a command line, in quotes if it has special characters. */
export const shellWord = (text: string): string => (PLAIN.test(text) ? text : quoted(text))
