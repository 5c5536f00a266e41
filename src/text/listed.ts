import { inThousands } from './in-thousands.ts'

/** The limit of items that a list names; the others are counted. */
export const MAX_NAMED = 20

/** The first texts, and the number of the others: `a; b; and 1,234 more`. `more`: others that are not in `texts`. */
export function listed(texts: readonly string[], most = MAX_NAMED, more = 0, separator = '; '): string {
  const rest = more + Math.max(0, texts.length - most)
  return [...texts.slice(0, most), ...(rest > 0 ? [`and ${inThousands(rest)} more`] : [])].join(separator)
}
