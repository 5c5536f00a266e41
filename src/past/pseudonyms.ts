import { splitToken } from '../world/keys/bearer-token.ts'
import { builtInKey } from '../world/keys/built-in-keys.ts'
import { PLAN_NAMES } from '../world/limits/plan.ts'
import { isCredential } from '../world/traffic/masking.ts'
import { objectIn } from './recording.ts'

/** A key that is shorter is replaced only as a whole word: it may be a part of ordinary words. */
const SHORTEST_INSIDE = 12

const SCHEME = /^([A-Za-z-]+) +(\S.*)$/s

/** Replaces a credential that does not belong to this sandbox. */
const CUT = 'cut'

/** Replaces keys by pseudonyms of the same length and form, each key always by the same. */
export class Pseudonyms {
  readonly #byKey = new Map<string, string>()
  readonly #used = new Set<string>()
  #pattern: RegExp | undefined
  /** The names of header fields so far, and whether their values are credentials. */
  readonly #credentials = new Map<string, boolean>()

  /** How many keys have one. */
  get size(): number {
    return this.#byKey.size
  }

  add(key: string): void {
    if (key === '' || builtInKey(key) || this.#byKey.has(key) || this.#used.has(key)) return
    const pseudonym = this.#newPseudonym(key)
    this.#used.add(pseudonym)
    this.#byKey.set(key, pseudonym)
    this.#pattern = undefined
  }

  /** A key that was sent and may be unknown here: a short one may be any word, and is not replaced. */
  addSent(key: string): void {
    if (key.length >= SHORTEST_INSIDE) this.add(key)
  }

  /** The pseudonym of a key; a built-in key has none and is returned. */
  key(key: string): string {
    return this.#byKey.get(key) ?? key
  }

  /** A text of any kind: a target, a body, the value of a header field. Encoded characters stay encoded. */
  text(text: string): string {
    if (this.#byKey.size === 0) return text
    this.#pattern ??= patternOf([...this.#byKey.keys()])
    const shown = text.replace(this.#pattern, (key) => this.key(key))
    return shown.includes('%') || shown.includes('\\u00') ? this.#encodedText(shown, this.#pattern) : shown
  }

  #encodedText(text: string, pattern: RegExp): string {
    const found = [...text.replace(ENCODED, decodeCharacter).matchAll(pattern)]
    if (found.length === 0) return text
    const characters = text.match(CHARACTER) ?? []
    for (const { 0: key, index } of found) {
      for (const [i, character] of [...this.key(key)].entries()) {
        const before = characters[index + i] as string
        characters[index + i] = before.length === 1 ? character : before.slice(0, -2) + hexOf(character)
      }
    }
    return characters.join('')
  }

  /** Header fields, flat: credentials that are no keys of this sandbox are cut. `isControl`: so is its token. */
  headers(headers: readonly string[], isControl: boolean): string[] {
    const shown: string[] = []
    for (let i = 0; i < headers.length; i += 2) {
      const [name = '', value = ''] = [headers[i], headers[i + 1]]
      shown.push(
        this.text(name),
        this.#isCredential(name) ? this.#shown(name, value, isControl) : this.text(value),
      )
    }
    return shown
  }

  /** The body of a control call; a request that is sent again has header fields in `edits.headers`. */
  callBody(text: string): string {
    const call = text.includes('"edits"') ? objectIn<EditingCall>(text, JSON.parse) : undefined
    const headers = call?.edits?.headers
    if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return this.text(text)
    const shown = Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' && this.#isCredential(name) ? this.#shown(name, value, false) : value,
    ])
    return this.text(
      JSON.stringify({ ...call, edits: { ...call?.edits, headers: Object.fromEntries(shown) } }),
    )
  }

  #shown(name: string, value: string, isControl: boolean): string {
    return name.toLowerCase() === 'authorization' && !isControl ? this.#authorization(value) : cut(value)
  }

  #isCredential(name: string): boolean {
    const known = this.#credentials.get(name)
    if (known !== undefined) return known
    const found = isCredential(name.toLowerCase())
    if (this.#credentials.size < MOST_NAMES) this.#credentials.set(name, found)
    return found
  }

  #authorization(value: string): string {
    const [, scheme = '', token = ''] = SCHEME.exec(value) ?? []
    if (scheme.toLowerCase() !== 'bearer') return cut(value)
    const { key } = splitToken(token)
    this.addSent(key)
    const shown = this.#byKey.get(key) ?? key
    return value.slice(0, value.length - token.length) + shown + token.slice(key.length)
  }

  #newPseudonym(key: string): string {
    const [head = ''] = HEAD.exec(key) ?? []
    for (let number = this.#byKey.size + 1; ; number++) {
      const digits = String(number).padStart(4, '0')
      const long = `${head}k${digits}`
      const made =
        long.length <= key.length
          ? long.padEnd(key.length, 'x')
          : head.slice(0, 4) +
            number
              .toString(36)
              .padStart(key.length, '0')
              .slice(-(key.length - head.slice(0, 4).length))
      const isTaken = this.#used.has(made) || this.#byKey.has(made) || builtInKey(made)
      if (!isTaken || number > MOST_TRIES) return made.slice(0, key.length)
    }
  }
}

/** An ASCII character that is percent-encoded, or escaped as JSON has it. */
const ENCODED = /%[0-7][0-9A-Fa-f]|\\u00[0-7][0-9A-Fa-f]/g

/** Or any other one. */
const CHARACTER = new RegExp(`${ENCODED.source}|[^]`, 'g')

const decodeCharacter = (encoded: string): string =>
  String.fromCharCode(Number.parseInt(encoded.slice(-2), 16))

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')

interface EditingCall {
  readonly edits?: { readonly headers?: unknown }
}

/** Names of header fields that are remembered. */
const MOST_NAMES = 1000

/** How keys begin, those of a plan with its name. */
const HEAD = new RegExp(`^psk_(?:(?:${PLAN_NAMES.join('|')})_)?`)

/** Keys of this length may have no unused pseudonym. */
const MOST_TRIES = 100_000

/** The scheme stays. */
function cut(value: string): string {
  const [, scheme] = SCHEME.exec(value) ?? []
  if (scheme !== undefined) return `${scheme} ${CUT}`
  return /^psk_/i.test(value) ? `psk_${CUT}` : CUT
}

const escapeForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

function patternOf(keys: readonly string[]): RegExp {
  const sorted = keys.toSorted((a, b) => b.length - a.length)
  const all = sorted.map((key) =>
    key.length >= SHORTEST_INSIDE
      ? escapeForPattern(key)
      : STANDING.map((make) => make(escapeForPattern(key))).join('|'),
  )
  return new RegExp(all.join('|'), 'g')
}

/** The places where a short key is a key: in a path, a query, a member of that name, and in messages. */
const STANDING: readonly ((key: string) => string)[] = [
  (key) => `(?<=/keys/)${key}(?=[./?]|$)`,
  (key) => `(?<=[?&]key=)${key}(?=[.&]|$)`,
  (key) => `(?<="key" ?: ?")${key}(?=[."])`,
  (key) => `(?<=\\b[Kk]ey )${key}(?= )`,
]
