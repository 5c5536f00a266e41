import { builtInKey } from '../keys/built-in-keys.ts'

/** A key that is shorter than this is replaced only as a whole word: it may be part of ordinary words. */
const SHORTEST_INSIDE = 12

/** So many keys of a form of their own are known; beyond that, the oldest are forgotten. */
const MOST_KEYS = 10_000

const LONGEST_KEY = 128

/** From so many characters on, the part of a key at the end of a cut text is masked. */
const SHORTEST_BEGINNING = 4

const OWN_FORM = 'psk_[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)?'

/** How a key is shown: masked, except for the built-in ones. */
export const maskKey = (key: string): string => {
  const [, bare = ''] = /^([a-z_]+)(?:\.[A-Za-z0-9_-]{1,64})?$/.exec(key) ?? []
  if (builtInKey(bare)) return key
  return /^psk_/i.test(key) ? 'psk_…' : '…'
}

/**
 * The keys that must not be shown: every key that any namespace has had. Masks them in texts, whatever their place
 * and encoding. Keys that begin with `psk_` need not be known.
 */
export class Secrets {
  readonly #keys = new Set<string>()
  #pattern: RegExp | undefined
  #latest: { readonly key: string; readonly pattern: RegExp } | undefined

  add(keys: Iterable<string>): void {
    for (const key of keys) {
      if (/^psk_/i.test(key) || this.#keys.has(key)) continue
      this.#keys.add(key)
      this.#pattern = undefined
      if (this.#keys.size > MOST_KEYS) this.#keys.delete(this.#keys.values().next().value as string)
    }
  }

  /** A text without any key; `key`: one more that must not be shown, whatever its form. */
  mask(text: string, key?: string): string {
    this.#pattern ??= patternOf(this.#keys)
    const plain = replaceKeys(text, this.#pattern)
    return masked(plain, this.#pattern, this.#patternOf(key))
  }

  /** Header fields, flat, as a record: credentials masked, repeated names joined as RFC 9110 (section 5.3) has it. */
  maskHeaders(headers: readonly string[], key?: string): Record<string, string> {
    const fields = new Map<string, string>()
    for (let i = 0; i < headers.length; i += 2) {
      const name = this.mask(headers[i] ?? '', key).toLowerCase()
      const value = headers[i + 1] ?? ''
      const shown = isCredential(name) ? maskCredential(value) : this.maskTarget(value, key)
      const before = fields.get(name)
      fields.set(name, before === undefined ? shown : `${before}, ${shown}`)
    }
    return Object.fromEntries(fields)
  }

  /** A query, or a path with one: parameters whose name says that they hold a secret are masked too. */
  maskTarget(text: string, key?: string): string {
    return this.mask(maskPairs(text), key)
  }

  /**
   * A body: fields and parameters whose name says that they hold a secret are masked too. `isCut`: it ends where it
   * was cut, which may be within a key.
   */
  maskBody(text: string, key?: string, isCut = false): string {
    const shown = this.mask(maskPairs(maskMembers(text)), key)
    return isCut ? this.#withoutBegunKey(shown, key) : shown
  }

  #withoutBegunKey(text: string, key?: string): string {
    const end = text.slice(-LONGEST_KEY)
    for (const known of key === undefined ? this.#keys : [key, ...this.#keys]) {
      const at = end.lastIndexOf(known.slice(0, SHORTEST_BEGINNING))
      if (at >= 0 && known.startsWith(end.slice(at))) return `${text.slice(0, at - end.length)}…`
    }
    return text
  }

  /** The pattern of the key of one exchange, which is asked for with each text of it. */
  #patternOf(key: string | undefined): RegExp | undefined {
    if (!key || /^psk_/i.test(key)) return undefined
    if (this.#latest?.key !== key) this.#latest = { key, pattern: patternOfOne(key) }
    return this.#latest.pattern
  }

  /** The words of a command line. */
  maskWords(words: readonly string[]): string[] {
    return words.map((word, i) => {
      const flag = /^--?([\w.-]{1,64})$/.exec(words[i - 1] ?? '')?.[1]
      if (flag !== undefined && isCredential(flag)) return maskKey(word)
      return this.maskBody(maskField(word))
    })
  }
}

/** Masks what needs no knowledge of a namespace: keys of the sandbox's own form, and `key`. */
export const maskText = (text: string, key?: string): string => NOTHING_KNOWN.mask(text, key)

const escapeForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const inPattern = (key: string): string =>
  key.length < SHORTEST_INSIDE
    ? `(?<![A-Za-z0-9])${escapeForPattern(key)}(?![A-Za-z0-9])`
    : escapeForPattern(key)

/** One pattern for all: the longest first, so that no rest of a key stays; a suffix goes with its key. */
function patternOf(keys: Iterable<string>): RegExp {
  const known = [...keys].sort((a, b) => b.length - a.length).map(inPattern)
  const own = known.length > 0 ? `|(?:${known.join('|')})(?:\\.[A-Za-z0-9_-]+)*` : ''
  return new RegExp(`${OWN_FORM}${own}`, 'gi')
}

const patternOfOne = (key: string): RegExp => new RegExp(`${inPattern(key)}(?:\\.[A-Za-z0-9_-]+)*`, 'gi')

const NOTHING_KNOWN = new Secrets()

const replaceKeys = (text: string, pattern: RegExp): string => text.replace(pattern, maskKey)

/** A word that may contain encoded characters: percent-encoded, or escaped as JSON has it. */
const WORD = /[^\s"'&]+/g
const HIDDEN = /%([0-7][0-9A-Fa-f])|\\u00([0-7][0-9A-Fa-f])/g

/** How often a character may be encoded upon another encoding. */
const MOST_LAYERS = 4

function masked(text: string, known: RegExp, own: RegExp | undefined): string {
  const replaced = (given: string): string => {
    const shown = replaceKeys(given, known)
    return own ? replaceKeys(shown, own) : shown
  }
  const shown = own ? replaceKeys(text, own) : text
  if (!shown.includes('%') && !shown.includes('\\u00')) return shown
  return shown.replace(WORD, (word) => {
    let decoded = word
    for (let layer = 0; layer < MOST_LAYERS; layer++) {
      const next = decodeHidden(decoded)
      if (next === decoded) break
      decoded = next
    }
    if (decoded === word) return word
    const mask = replaced(decoded)
    return mask === decoded ? word : mask
  })
}

/** Every encoded ASCII character as itself, whatever else the text holds. */
const decodeHidden = (text: string): string =>
  text.replace(HIDDEN, (_, percent?: string, escaped?: string) =>
    String.fromCharCode(Number.parseInt(percent ?? escaped ?? '', 16)),
  )

const CREDENTIAL =
  /(?:authorization|cookie|api-?key|token|secret|password|passwd|passphrase|credentials?|(?:access|secret|private)-?key|session-?id|jwt)$/
const CREDENTIAL_WORDS = new Set(['key', 'auth', 'pass', 'pwd', 'sid'])

/** Whether a header field, parameter or member of this name holds a secret. */
export function isCredential(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[_. ]/g, '-')
  return CREDENTIAL_WORDS.has(plain) || CREDENTIAL.test(plain)
}

const SCHEME = /^(bearer|basic|digest|negotiate|token|key|api-?key|dpop) +(\S.*)$/is

/** The value of a credential: the scheme stays. */
function maskCredential(value: string): string {
  const [, scheme, rest] = SCHEME.exec(value) ?? []
  return scheme === undefined || rest === undefined ? maskKey(value) : `${scheme} ${maskKey(rest)}`
}

const PAIR = /(?<=^|[?&;\s"'#])([^=&;?#\s"']{1,64})=([^&;#\s"']+)/g

/** Parameters as a query, a form or a command line has them. */
const maskPairs = (text: string): string =>
  text.includes('=')
    ? text.replace(PAIR, (pair, name: string, value: string) =>
        isCredential(decodeHidden(name)) ? `${name}=${maskKey(value)}` : pair,
      )
    : text

const MEMBER = /"([\w.\- $]{1,64})"(\s*:\s*)("(?:[^"\\]|\\[\s\S])*"?|[^\s",{}[\]]+)/g

/** Members of JSON, whether it is whole or cut. */
const maskMembers = (text: string): string =>
  text.includes('":') || text.includes('" ')
    ? text.replace(MEMBER, (member, name: string, colon: string, value: string) =>
        isCredential(name) && value !== 'null'
          ? `"${name}"${colon}"${maskKey(value.replaceAll('"', ''))}"`
          : member,
      )
    : text

/** A header field in one word, as `curl -H` takes it. */
const maskField = (word: string): string => {
  const [, name, colon, value] = /^([\w-]{1,64})(: *)(\S.*)$/s.exec(word) ?? []
  return name !== undefined && isCredential(name) ? `${name}${colon}${maskCredential(value ?? '')}` : word
}
