/**
 * What could move a terminal's cursor, forge a line or turn the direction of a text: C0, DEL and C1, the controls of
 * bidirectional text, separators of lines, and halves of a character.
 */
const UNSAFE = /[\p{Cc}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\p{Cs}]/gu

/** The same without C0, which JSON never holds unescaped: what is left of it there sets the text out. */
const UNSAFE_IN_JSON = /[\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\p{Cs}]/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text from outside, in one line that is safe for a terminal. */
export const printable = (text: string): string => text.replace(UNSAFE, escaped)

/** The same of a text that may have lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

/** JSON of equal meaning that is safe for a terminal. */
export const printableJson = (json: string): string => json.replace(UNSAFE_IN_JSON, escaped)
