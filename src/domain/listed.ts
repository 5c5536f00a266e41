/** So many of a list are named; the others are counted. */
export const MOST_NAMED = 20

/** `1,234`. */
export const inThousands = (count: number): string => count.toLocaleString('en-US')

/** The texts in one line, those beyond a bound as their number: `a; b; and 1,234 more`. */
export function listed(texts: readonly string[], most: number = MOST_NAMED): string {
  const named = texts.slice(0, most)
  const more = texts.length - named.length
  return [...named, ...(more > 0 ? [`and ${inThousands(more)} more`] : [])].join('; ')
}

/** A text that a client chose, as it is shown or kept: a copy of its beginning where it is long. */
export const shorten = (text: string, most = 100): string =>
  // A slice alone would keep the whole text alive.
  text.length > most ? `${Array.from(text.slice(0, most)).join('')}…` : text
