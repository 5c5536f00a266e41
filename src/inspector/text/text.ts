import { printable } from '../../text/printable.ts'
import { shorten } from '../../text/shorten.ts'

/** Untrusted text whose invisible characters are escaped, such as `\u202e`. `lines`: keeps line ends. */
export const visible = (text: string, { lines = false } = {}): string =>
  lines
    ? text
        .split(/([\n\t])/)
        .map((part, i) => (i % 2 === 0 ? printable(part) : part))
        .join('')
    : printable(text)

/** A text in one line, cut to `length` characters. */
export const brief = (text: string, length = 240): string => visible(shorten(text, length))

export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount.toLocaleString('en')} ${amount === 1 ? one : many}`

/** An ordinal number: `3rd`. */
export function ordinal(number: number): string {
  const isTeen = Math.floor((number % 100) / 10) === 1
  const end = isTeen ? undefined : ['th', 'st', 'nd', 'rd'][number % 10]
  return `${number}${end ?? 'th'}`
}

/** Groups items by a key, in the order of the first item of each key. */
export function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
