import { shorten } from '../../text/shorten.ts'
import { parseJson } from './json.ts'

/** Characters per step. */
const STEP = 64 * 1024

/** The longest value that is parsed in one step, in characters, and the longest list. */
const LONGEST_VALUE = 1024 * 1024
const MAX_ITEMS = 1_000_000

/** Parses a JSON object like `parseJson`, in steps: member by member, and lists item by item. */
export function* parseObjectSteps(text: string): Generator<undefined, unknown> {
  return yield* new Steps(text).object()
}

class Steps {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  *object(): Generator<undefined, unknown> {
    yield* this.#blanks()
    // Callers accept objects only.
    if (this.#text[this.#at] !== '{') return undefined
    const members: Record<string, unknown> = {}
    yield* this.#items('}', function* (this: Steps) {
      const name = String(yield* this.#value(':'))
      this.#expect(':')
      if (Object.hasOwn(members, name)) throw new SyntaxError(`Duplicate key '${shorten(name)}' encountered`)
      yield* this.#blanks()
      const value = this.#text[this.#at] === '[' ? yield* this.#list() : yield* this.#value(',}')
      Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true })
    })
    yield* this.#blanks()
    if (this.#at < this.#text.length) throw this.#unexpected()
    return members
  }

  *#list(): Generator<undefined, unknown[]> {
    const items: unknown[] = []
    yield* this.#items(']', function* (this: Steps) {
      if (items.length === MAX_ITEMS) throw new SyntaxError('A list has more than 1,000,000 items')
      items.push(compact(yield* this.#value(',]')))
    })
    return items
  }

  /** The items up to a closing bracket, separated by commas; `read` reads one. */
  *#items(end: string, read: (this: Steps) => Generator<undefined, void>): Generator<undefined, void> {
    this.#at++
    yield* this.#blanks()
    if (this.#text[this.#at] === end) {
      this.#at++
      return
    }
    for (;;) {
      yield* read.call(this)
      yield* this.#blanks()
      if (this.#text[this.#at] === end) break
      this.#expect(',')
      yield
    }
    this.#at++
  }

  /** A value, up to a character of `ends` outside of it. */
  *#value(ends: string): Generator<undefined, unknown> {
    const start = this.#at
    let depth = 0
    let quoted = false
    for (; this.#at < this.#text.length; this.#at++) {
      if ((this.#at - start) % STEP === STEP - 1) yield
      const character = this.#text[this.#at] as string
      if (quoted) {
        if (character === '\\') this.#at++
        else if (character === '"') quoted = false
      } else if (character === '"') quoted = true
      else if (depth === 0 && ends.includes(character)) break
      else if (character === '{' || character === '[') depth++
      else if (character === '}' || character === ']') depth--
    }
    if (this.#at - start > LONGEST_VALUE)
      throw new SyntaxError(`The value at position ${start} is longer than 1 MiB`)
    return parseJson(this.#text.slice(start, this.#at))
  }

  *#blanks(): Generator<undefined, void> {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? 'x')) {
      if (++this.#at % STEP === 0) yield
    }
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw this.#unexpected()
    this.#at++
  }

  #unexpected(): SyntaxError {
    const found = this.#text[this.#at]
    return new SyntaxError(
      found === undefined ? 'Unexpected end' : `Unexpected ${JSON.stringify(found)} at position ${this.#at}`,
    )
  }
}

/** The parser builds a string character by character; until it is flattened it takes thirty times the memory. */
function compact(item: unknown): unknown {
  if (typeof item === 'object' && item !== null) {
    for (const member of Object.values(item)) if (typeof member === 'string') member.charCodeAt(0)
  }
  return item
}
