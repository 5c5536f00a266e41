/**
 * Characters that could move a terminal's cursor, forge a line, turn the direction of a text, or hide text in it from people that
 * a program reads: C0, DEL and C1, controls of direction, separators of lines, characters without width, tags, variation
 * selectors behind anything but an ideograph, and halves of a character. Joiners of pictures and of letters other than
 * ASCII are a part of words.
 */
const UNSEEN =
  '\\u007F-\\u009F\\u00AD\\u061C\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\u{E0000}-\\u{E007F}\\p{Cs}'
const JOINERS =
  '(?<![^\\0-\\x7F\\u200C\\u200D])[\\u200C\\u200D]|[\\u200C\\u200D](?![^\\0-\\x7F\\u200C\\u200D])|(?<!\\p{sc=Han})[\\u{E0100}-\\u{E01EF}]'

const UNSAFE = new RegExp(`[\\p{Cc}${UNSEEN}]|${JOINERS}`, 'gu')

/** The same without C0, which JSON never holds unescaped: what is left of it there sets the text out. */
const UNSAFE_IN_JSON = new RegExp(`[${UNSEEN}]|${JOINERS}`, 'gu')

/** A character in each code unit, as JSON has it. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')

/** A text from outside, in one line that is safe for a terminal and hides nothing. */
export const printable = (text: string): string => text.replace(UNSAFE, escaped)

/** The same of a text that may have lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

/** JSON of equal meaning that is safe for a terminal. */
export const printableJson = (json: string): string => json.replace(UNSAFE_IN_JSON, escaped)
