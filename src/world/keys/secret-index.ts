/** A shorter secret, or one with one kind of characters, may be an ordinary word: only whole words match it. */
const SHORTEST_INSIDE = 12
const SHORTEST_MIXED = 6

/** Shorter secrets are not searched for. */
const SHORTEST = 3

/** The shortest beginning of a secret that is found at the end of a cut text. */
const SHORTEST_BEGINNING = 4

/** Whether a secret is also found inside longer words. */
export const isDistinct = (secret: string): boolean =>
  secret.length >= SHORTEST_INSIDE || (secret.length >= SHORTEST_MIXED && !/^(?:[A-Za-z]+|\d+)$/.test(secret))

/** Known secrets by their first characters and their length: a search takes as long for many secrets as for few. */
export class SecretIndex {
  readonly #byBeginning = new Map<number, Map<number, Set<string>>>()
  /** Whether any secret may begin this way: faster than a look into the map. */
  readonly #filter = new Uint8Array(BEGINNINGS)
  /** Changes with each secret that is added. */
  version = 0

  add(secret: string): void {
    if (secret.length < SHORTEST) return
    this.version++
    const beginning = beginningOf(secret)
    this.#filter[beginning] = 1
    const byLength = this.#byBeginning.get(beginning) ?? new Map<number, Set<string>>()
    const others = byLength.get(secret.length) ?? new Set()
    this.#byBeginning.set(beginning, byLength.set(secret.length, others.add(secret.toLowerCase())))
  }

  remove(secret: string): void {
    const beginning = beginningOf(secret)
    const byLength = this.#byBeginning.get(beginning)
    const others = byLength?.get(secret.length)
    others?.delete(secret.toLowerCase())
    if (others?.size === 0) byLength?.delete(secret.length)
    if (byLength?.size === 0) this.#byBeginning.delete(beginning)
  }

  /** Ignores case. */
  has(secret: string): boolean {
    const others = this.#byBeginning.get(beginningOf(secret))?.get(secret.length)
    return others?.has(secret.toLowerCase()) === true
  }

  /** The positions of secrets in a text, ignoring case. `isCut`: the last secret may lack its end. */
  find(text: string, isCut: boolean): readonly { readonly start: number; readonly secret: string }[] {
    const found: { readonly start: number; readonly secret: string }[] = []
    if (this.#byBeginning.size === 0) return found
    let beginning = 0
    for (let end = 1; end <= text.length; end++) {
      beginning = next(beginning, text.charCodeAt(end - 1))
      if (this.#filter[beginning] === 0 || end < SHORTEST) continue
      const start = end - SHORTEST
      for (const [length, secrets] of this.#byBeginning.get(beginning) ?? []) {
        const secret = text.slice(start, start + length)
        const isThere =
          secret.length === length
            ? secrets.has(secret.toLowerCase()) && (isDistinct(secret) || isWord(text, start, length))
            : isCut && secret.length >= SHORTEST_BEGINNING && isBeginning(secret.toLowerCase(), secrets)
        if (isThere) found.push({ start, secret })
      }
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
