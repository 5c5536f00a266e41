import { shorten } from '../../text/shorten.ts'
import { parseJson } from './json.ts'

/** Characters per step. */
const STEP = 64 * 1024

/** The longest value that is parsed in one step, in characters, and the longest list. */
const LONGEST_VALUE = 1024 * 1024
const MAX_ITEMS = 1_000_000

/** An assignment would change the prototype instead if the name is `__proto__`. */
const PLAIN = { enumerable: true, configurable: true, writable: true }

/** Parses a JSON object like `parseJson`, in steps: member by member, and lists item by item. */
export function* parseObjectSteps(text: string): Generator<undefined, unknown> {
  let at = 0

  function* object(): Generator<undefined, unknown> {
    const members: Record<string, unknown> = {}
    yield* items('}', function* () {
      const name = String(yield* value(':'))
      expect(':')
      if (Object.hasOwn(members, name)) throw new SyntaxError(`Duplicate key '${shorten(name)}' encountered`)
      yield* blanks()
      const member = text[at] === '[' ? yield* list() : yield* value(',}')
      Object.defineProperty(members, name, { ...PLAIN, value: member })
    })
    return members
  }

  function* list(): Generator<undefined, unknown[]> {
    const found: unknown[] = []
    yield* items(']', function* () {
      if (found.length === MAX_ITEMS) throw new SyntaxError('A list has more than 1,000,000 items')
      found.push(compact(yield* value(',]')))
    })
    return found
  }

  /** The items up to a closing bracket, separated by commas; `read` reads one. */
  function* items(end: string, read: () => Generator<undefined, void>): Generator<undefined, void> {
    at++
    yield* blanks()
    let hasMore = text[at] !== end
    while (hasMore) {
      yield* read()
      yield* blanks()
      hasMore = text[at] !== end
      if (hasMore) {
        expect(',')
        yield
      }
    }
    at++
  }

  /** A value, up to a character of `ends` outside of it. */
  function* value(ends: string): Generator<undefined, unknown> {
    const start = at
    let depth = 0
    let quoted = false
    for (; at < text.length; at++) {
      if ((at - start) % STEP === STEP - 1) yield
      const character = text.charAt(at)
      if (quoted) {
        if (character === '\\') at++
        else if (character === '"') quoted = false
      } else if (character === '"') quoted = true
      else if (depth === 0 && ends.includes(character)) break
      else if (character === '{' || character === '[') depth++
      else if (character === '}' || character === ']') depth--
    }
    if (at - start > LONGEST_VALUE)
      throw new SyntaxError(`The value at position ${start} is longer than 1 MiB`)
    return parseJson(text.slice(start, at))
  }

  function* blanks(): Generator<undefined, void> {
    while (' \t\n\r'.includes(text[at] ?? 'x')) if (++at % STEP === 0) yield
  }

  function expect(character: string): void {
    if (text[at] !== character) throw unexpected()
    at++
  }

  function unexpected(): SyntaxError {
    if (at >= text.length) return new SyntaxError('Unexpected end')
    return new SyntaxError(`Unexpected ${JSON.stringify(text[at])} at position ${at}`)
  }

  yield* blanks()
  // Callers accept objects only.
  if (text[at] !== '{') return undefined
  const read = yield* object()
  yield* blanks()
  if (at < text.length) throw unexpected()
  return read
}

/** The parser builds a string character by character; until it is flattened it takes thirty times the memory. */
function compact(item: unknown): unknown {
  if (typeof item === 'object' && item !== null)
    for (const member of Object.values(item)) if (typeof member === 'string') member.charCodeAt(0)
  return item
}
