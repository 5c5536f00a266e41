import { printable } from '../../text/printable.ts'
import { shorten } from '../../text/shorten.ts'

/** Untrusted text whose invisible characters are escaped, such as `\u202e`. `lines`: keeps line ends. */
export const visible = (text: string, { lines = false } = {}): string =>
  lines ? text.replace(/[^\n\t]+/g, (part) => printable(part)) : printable(text)

/** A text in one line, cut to `length` characters. */
export const brief = (text: string, length = 240): string => visible(shorten(text, length))

/** With a capital letter, unless the first word is a name, such as that of an operation or a key. */
export const sentence = (text: string): string =>
  text.replace(/^[a-z]+ /, (word) => word.charAt(0).toUpperCase() + word.slice(1))

export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount.toLocaleString('en')} ${amount === 1 ? one : many}`

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

/** An ordinal number: `3rd`. */
export const ordinal = (number: number): string => `${number}${ENDS[ORDINALS.select(number)] ?? 'th'}`
