import { printable } from '../../text/printable.ts'

/** Text from outside with its unseen characters written out; `\u202e` rather than an effect. Line ends may stay. */
export const visible = (text: string, { lines = false } = {}): string =>
  lines
    ? text
        .split(/([\n\t])/)
        .map((part, i) => (i % 2 === 0 ? printable(part) : part))
        .join('')
    : printable(text)

/** One line of at most so many characters. */
export const brief = (text: string, length = 240): string =>
  visible(text.length > length ? `${text.slice(0, length)}…` : text)

export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount.toLocaleString('en')} ${amount === 1 ? one : many}`

/** What is one more of so many: `3rd`. */
export function ordinal(number: number): string {
  const isTeen = Math.floor((number % 100) / 10) === 1
  const end = isTeen ? undefined : ['th', 'st', 'nd', 'rd'][number % 10]
  return `${number}${end ?? 'th'}`
}

/** Items by a key, in the order in which the keys come. */
export function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
