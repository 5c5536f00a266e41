/** How many items of a list are named; the others are counted. */
export const MOST_NAMED = 20

/** `1,234`. */
export function inThousands(count: number): string {
  // toLocaleString would load the data of all locales, which takes longer than everything else at the start.
  const digits = String(count)
  const first = digits.length % 3 || 3
  const groups = [digits.slice(0, first)]
  for (let i = first; i < digits.length; i += 3) groups.push(digits.slice(i, i + 3))
  return groups.join(',')
}

/** The texts in one line, those beyond a bound as their number: `a; b; and 1,234 more`. */
export function listed(texts: readonly string[], most: number = MOST_NAMED): string {
  const named = texts.slice(0, most)
  const more = texts.length - named.length
  return [...named, ...(more > 0 ? [`and ${inThousands(more)} more`] : [])].join('; ')
}

/** A copy that keeps nothing else alive: a slice of a text keeps the whole text, a concatenation keeps each part. */
export const copyOf = (text: string): string => Array.from(text).join('')

/** A text that a client chose, as it is shown or kept: a copy of its first characters where it is long. */
export const shorten = (text: string, most = 100): string =>
  text.length > most ? `${copyOf(text.slice(0, most))}…` : text
