/**
 * Whether a regular expression certainly takes linear time: each character can be matched by one place of the pattern
 * only, and no part can be empty in two ways (a deterministic expression, as in DTDs and XML Schema). Patterns with
 * unknown syntax, such as a lookahead, count as not linear.
 */
export function isLinearPattern(pattern: string): boolean {
  const tokens = pattern.length > LONGEST ? [] : (pattern.match(TOKEN) ?? [])
  if (tokens.join('') !== pattern) return false
  try {
    const { longest, hasAlternatives } = parse(tokens)
    // Without an anchor, the search begins again at each character.
    return longest <= LONGEST || (tokens[0] === '^' && !hasAlternatives)
  } catch (error) {
    if (error instanceof Ambiguous) return false
    throw error
  }
}

/** The longest pattern, and the longest match of one that is searched for at each character, in characters. */
const LONGEST = 1000

const TOKEN =
  /\\(?:[dDwWsSfnrtv]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[pP]\{[\w=]+\}|[^\w\s])|\[(?:\\.|[^\]\\]){0,200}\]|\((?:\?:)?(?!\?)|[)|^$.]|(?:[*+?]|\{\d{1,9}(?:,\d{0,9})?\})\??|[^\\[\](){}|^$.*+?]/g

const QUANTIFIER = /^(?:[*+?]|\{(\d{1,9})(?:(,)(\d{0,9}))?\})/

/** A place of the pattern that matches one character. */
interface Place {
  /** The characters of `SAMPLES` that it matches. */
  readonly characters: string
  /** The places that can match the next character. */
  readonly next: Place[]
}

interface Part {
  readonly first: readonly Place[]
  readonly last: readonly Place[]
  readonly canBeEmpty: boolean
  /** The length of its longest match; repetitions within repetitions multiply it. */
  readonly longest: number
}

class Ambiguous extends Error {}

/** Throws an Ambiguous unless the expression is deterministic. `hasAlternatives`: outside of all groups. */
function parse(tokens: readonly string[]): { longest: number; hasAlternatives: boolean } {
  let at = 0

  function alternatives(first = sequence()): Part {
    let part = first
    while (tokens[at] === '|') {
      at++
      const other = sequence()
      if (part.canBeEmpty && other.canBeEmpty) throw new Ambiguous()
      part = {
        first: both(part.first, other.first),
        last: [...part.last, ...other.last],
        canBeEmpty: part.canBeEmpty || other.canBeEmpty,
        longest: Math.max(part.longest, other.longest),
      }
    }
    return part
  }

  function sequence(): Part {
    let part = EMPTY
    for (let token = tokens[at]; token && token !== '|' && token !== ')'; token = tokens[at]) {
      const next = quantified()
      connect(part.last, next.first)
      part = {
        first: part.canBeEmpty ? both(part.first, next.first) : part.first,
        last: next.canBeEmpty ? [...part.last, ...next.last] : next.last,
        canBeEmpty: part.canBeEmpty && next.canBeEmpty,
        longest: part.longest + next.longest,
      }
    }
    return part
  }

  function quantified(): Part {
    const part = atom()
    const quantifier = tokens[at] ?? ''
    const [all, least = '0', comma, most] = QUANTIFIER.exec(quantifier) ?? []
    if (all === undefined) return part
    at++
    // Repeating a part that can be empty is ambiguous.
    if (part.canBeEmpty) throw new Ambiguous()
    const times =
      all === '?' ? 1 : all.startsWith('{') && comma === undefined ? Number(least) : Number(most || Infinity)
    if (times > 1) connect(part.last, part.first)
    return { ...part, canBeEmpty: all !== '+' && Number(least) === 0, longest: part.longest * times }
  }

  function atom(): Part {
    const token = tokens[at++] as string
    if (token === '^' || token === '$') return EMPTY
    if (token.startsWith('(')) {
      const part = alternatives()
      if (tokens[at++] !== ')') throw new Ambiguous()
      return part
    }
    if (QUANTIFIER.test(token)) throw new Ambiguous()
    const place: Place = { characters: charactersOf(token), next: [] }
    return { first: [place], last: [place], canBeEmpty: false, longest: 1 }
  }

  const first = sequence()
  const hasAlternatives = tokens[at] === '|'
  const { longest } = alternatives(first)
  if (at < tokens.length) throw new Ambiguous()
  return { longest, hasAlternatives }
}

const EMPTY: Part = { first: [], last: [], canBeEmpty: true, longest: 0 }

/** Joins two lists of places that may match the same character. Throws if a character could match in both. */
function both(a: readonly Place[], b: readonly Place[]): readonly Place[] {
  for (const { characters } of a)
    for (const other of b)
      for (const character of characters) if (other.characters.includes(character)) throw new Ambiguous()
  return [...a, ...b]
}

function connect(last: readonly Place[], first: readonly Place[]): void {
  for (const { next } of last) {
    both(next, first)
    next.push(...first)
  }
}

/** ASCII, and one example of each class of other characters that a pattern can distinguish without naming it. */
const SAMPLES = `${String.fromCharCode(...Array(128).keys())}\u00a0\u2028\u4e00`

/** A token with characters beyond ASCII, or with a property of Unicode, counts as matching all characters. */
function charactersOf(token: string): string {
  if (/[^ -~]|\\[xucpP\d]/.test(token)) return SAMPLES
  const expression = new RegExp(`^${token}$`)
  return [...SAMPLES].filter((character) => expression.test(character)).join('')
}
