/** The limit of items that a list names; the others are counted. */
export const MAX_NAMED = 20

/** `1,234`. */
export function inThousands(count: number): string {
  // toLocaleString would load the data of all locales, which takes longer than the rest of the start.
  const digits = String(count)
  const first = digits.length % 3 || 3
  const groups = [digits.slice(0, first)]
  for (let i = first; i < digits.length; i += 3) groups.push(digits.slice(i, i + 3))
  return groups.join(',')
}

/** Texts in one line; those beyond the limit as a number: `a; b; and 1,234 more`. */
export function listed(texts: readonly string[], most: number = MAX_NAMED): string {
  const named = texts.slice(0, most)
  const more = texts.length - named.length
  return [...named, ...(more > 0 ? [`and ${inThousands(more)} more`] : [])].join('; ')
}

/** A copy in memory of its own: a slice keeps the whole text, a concatenation keeps its parts. */
export const copyOf = (text: string): string => Array.from(text).join('')

/** The first characters of a text that a client chose, as a copy in memory of its own. */
export const shorten = (text: string, most = 100): string =>
  text.length > most ? `${copyOf(text.slice(0, most))}…` : text
