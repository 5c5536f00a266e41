import { firstCharacters } from '../../text/shorten.ts'

/** A shorter secret, or one with one kind of characters, may be an ordinary word: only whole words match it. */
const SHORTEST_INSIDE = 12
const SHORTEST_MIXED = 6

/** Shorter secrets are not searched for, only looked up. */
const SHORTEST = 3

/** The shortest beginning of a secret that is found at the end of a cut text. */
const SHORTEST_BEGINNING = 4

/** One more than the longest key. A secret of this length is the beginning of a longer one, which ends with its word. */
const LONGEST = 129
const REST_OF_WORD = /(?:[^\s"'<>\\,;]*[A-Za-z0-9_~+/=-])?/y

/** Texts sent as keys that begin alike have at most this many lengths: a search compares one text of each length. */
const MAX_LENGTHS = 8

/** The part of a secret that is searched for: secrets that have it in common are one. */
export const knownPartOf = (secret: string): string => firstCharacters(secret, LONGEST)

/** Whether a secret is also found inside longer words. */
export const isDistinct = (secret: string): boolean =>
  secret.length >= SHORTEST_INSIDE || (secret.length >= SHORTEST_MIXED && !/^(?:[A-Za-z]+|\d+)$/.test(secret))

/**
 * Known secrets by their first characters and their length: a search takes as long for many secrets as for few, and for
 * long ones as for short ones.
 */
export class SecretIndex {
  /** With the number of times that each was added and not removed. */
  readonly #byBeginning = new Map<number, Map<number, Map<string, number>>>()
  /** Whether any secret may begin this way: faster than a look into the map. */
  readonly #filter = new Uint8Array(BEGINNINGS)
  /** Changes with each secret that is added. */
  version = 0

  add(secret: string): void {
    this.version++
    const beginning = beginningOf(secret)
    this.#filter[beginning] = 1
    const byLength = this.#byBeginning.get(beginning) ?? new Map<number, Map<string, number>>()
    const known = knownPartOf(secret)
    const others = byLength.get(known.length) ?? new Map<string, number>()
    const text = known.toLowerCase()
    others.set(text, (others.get(text) ?? 0) + 1)
    this.#byBeginning.set(beginning, byLength.set(known.length, others))
  }

  remove(secret: string): void {
    const beginning = beginningOf(secret)
    const byLength = this.#byBeginning.get(beginning)
    const known = knownPartOf(secret)
    const others = byLength?.get(known.length)
    const text = known.toLowerCase()
    const left = (others?.get(text) ?? 0) - 1
    if (left > 0) others?.set(text, left)
    else others?.delete(text)
    if (others?.size === 0) byLength?.delete(known.length)
    if (byLength?.size === 0) this.#byBeginning.delete(beginning)
  }

  /** Ignores case. */
  has(secret: string): boolean {
    const known = knownPartOf(secret)
    return this.#byBeginning.get(beginningOf(secret))?.get(known.length)?.has(known.toLowerCase()) === true
  }

  /** Whether a text sent as a key may be added. */
  hasRoomFor(secret: string): boolean {
    const byLength = this.#byBeginning.get(beginningOf(secret))
    return !byLength || byLength.size < MAX_LENGTHS || byLength.has(Math.min(secret.length, LONGEST))
  }

  /** The longest secret at each position of a text, ignoring case. `isCut`: the last secret may lack its end. */
  find(text: string, isCut: boolean): readonly { readonly start: number; readonly secret: string }[] {
    const found: { readonly start: number; readonly secret: string }[] = []
    if (this.#byBeginning.size === 0) return found
    let beginning = 0
    /** The end of the last secret that is longer than `LONGEST`. */
    let last = 0
    for (let end = 1; end <= text.length; end++) {
      beginning = next(beginning, text.charCodeAt(end - 1))
      if (this.#filter[beginning] === 0 || end < SHORTEST) continue
      const start = end - SHORTEST
      let longest = ''
      for (const [length, secrets] of this.#byBeginning.get(beginning) ?? []) {
        if (length < SHORTEST || length <= longest.length || (length === LONGEST && start < last)) continue
        const secret = text.slice(start, start + length)
        const lower = secret.toLowerCase()
        const isThere =
          secret.length === length
            ? secrets.has(lower) && (isDistinct(secret) || isWord(text, start, length))
            : isCut && secret.length >= SHORTEST_BEGINNING && isBeginning(lower, secrets.keys())
        if (isThere) longest = secret
      }
      if (longest.length === LONGEST) {
        REST_OF_WORD.lastIndex = start + LONGEST
        longest += REST_OF_WORD.exec(text)?.[0] ?? ''
        last = start + longest.length
      }
      if (longest !== '') found.push({ start, secret: longest })
    }
    return found
  }
}

const isBeginning = (text: string, secrets: Iterable<string>): boolean =>
  Array.from(secrets).some((secret) => secret.startsWith(text))

/** The number of hashes of beginnings. */
const BEGINNINGS = 0x8000

/** A hash of the last three characters, ignoring case. */
const next = (beginning: number, code: number): number => ((beginning << 5) ^ (code | 32)) & (BEGINNINGS - 1)

function beginningOf(secret: string): number {
  let beginning = 0
  for (let i = 0; i < SHORTEST; i++) beginning = next(beginning, secret.charCodeAt(i))
  return beginning
}

const isWord = (text: string, start: number, length: number): boolean =>
  !/[A-Za-z0-9]/.test((text[start - 1] ?? '') + (text[start + length] ?? ''))
