/**
 * Characters that could move the cursor of a terminal, forge a line, reverse the direction of a text, or hide text from
 * people that programs read: C0, DEL and C1, bidirectional controls, line separators, zero-width characters, tags,
 * variation selectors not after an ideograph, lone surrogates, and marks on more marks than letters of any script have,
 * which would cover other lines. Joiners of emoji and of letters other than ASCII are part of words.
 */
const UNSEEN =
  '\\u007F-\\u009F\\u00AD\\u061C\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\u{E0000}-\\u{E007F}\\p{Cs}'
const JOINED =
  '(?<![^\\0-\\x7F\\u200C\\u200D])[\\u200C\\u200D]|[\\u200C\\u200D](?![^\\0-\\x7F\\u200C\\u200D])|(?<!\\p{sc=Han})[\\u{E0100}-\\u{E01EF}]|\\p{M}(?<=[\\p{M}\\u200C\\u200D]{8})'

const UNSAFE = new RegExp(`[\\p{Cc}${UNSEEN}]|${JOINED}`, 'gu')

/** The unsafe characters in JSON: it contains C0 only as white space between values. */
const UNSAFE_IN_JSON = new RegExp(`[${UNSEEN}]|${JOINED}`, 'gu')

/** Each UTF-16 unit as a JSON escape. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')

/** A text from outside as one line, safe for a terminal, with nothing hidden. */
export const printable = (text: string): string => text.replace(UNSAFE, escaped)

/** A text from outside as several lines, each safe for a terminal. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

/** JSON with the same meaning that is safe for a terminal. */
export const printableJson = (json: string): string => json.replace(UNSAFE_IN_JSON, escaped)
