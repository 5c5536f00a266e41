/** A copy in memory of its own: a slice keeps the whole text, a concatenation keeps its parts. */
export const copyOf = (text: string): string => Array.from(text).join('')

/** The first characters of a text that a client chose, as a copy in memory of its own. No surrogate pair is cut. */
export const firstCharacters = (text: string, most: number): string =>
  text.length > most ? copyOf(text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')) : text

/** The first characters of a text, and an ellipsis if there are more. */
export const shorten = (text: string, most = 100): string =>
  text.length > most ? `${firstCharacters(text, most)}…` : text

/** The first characters of a name that a client chose. An empty name is `""`, since it would not be seen. */
export const shortName = (name: string): string => shorten(name) || '""'
