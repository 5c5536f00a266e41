/** Controls, also of direction, and characters without width: what could make a text look like another one. */
const UNSEEN = /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu

/** Text from outside with its unseen characters written out; `\u202e` rather than an effect. Line ends may stay. */
export const visible = (text: string, { lines = false } = {}): string =>
  text.replace(UNSEEN, (character) =>
    lines && (character === '\n' || character === '\t')
      ? character
      : `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`,
  )

/** One line of at most so many characters. */
export const brief = (text: string, length = 240): string =>
  visible(text.length > length ? `${text.slice(0, length)}…` : text)

/** What was typed as a number, where it is one; anything else is for the sandbox to refuse. */
export const typedNumber = (text: string): number | string =>
  /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text

export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount.toLocaleString('en')} ${amount === 1 ? one : many}`
