import { copyOf } from '../../text/shorten.ts'
import type { Budget, Kept } from '../budget.ts'
import { PLAN_NAMES } from '../plan.ts'
import { splitToken } from './bearer-token.ts'
import { builtInKey } from './built-in-keys.ts'
import { isCredential } from './named-values.ts'
import { type Rewriter, secretRewriter } from './redaction.ts'
import { isDistinct, knownPartOf, SecretIndex } from './secret-index.ts'

/** The limits of pseudonyms, and of the characters of their secrets; the least recently used are dropped first. */
const MAX = 10_000
const MAX_CHARACTERS = 4 * 1024 * 1024

/** The bytes of a secret in addition to its characters. */
const SECRET_BYTES = 256

/** A secret as people see it. Built-in keys are not secret and stay, with or without a suffix. */
export const maskKey = (key: string): string => (isBuiltIn(key) ? key : hasOwnForm(key) ? 'psk_…' : '…')

const isBuiltIn = (token: string): boolean =>
  builtInKey(token) !== undefined || builtInKey(splitToken(token).key) !== undefined

/**
 * The secrets that a sandbox has seen: the keys of its namespaces, dropped ones included, its control token, and texts
 * sent as keys. They are removed from each text that leaves the process, at any position and in any encoding. Secrets
 * that are not known are removed too: whatever begins with `psk_`, and values of header fields, parameters and members
 * whose name says that they are secret.
 */
export class Secrets {
  /** For people: replaces a secret by its beginning and an ellipsis. */
  readonly masks: Rewriter
  /** For recordings: replaces a secret by another text of the same length and form, always the same one. */
  readonly pseudonyms: Rewriter
  readonly #index = new SecretIndex()
  readonly #keys = new Set<string>()
  /** The texts sent as keys, by the part that is searched for, in lower case. */
  readonly #sent = new Map<string, Kept>()
  readonly #budget: Budget | undefined

  constructor(budget?: Budget) {
    this.#budget = budget
    this.masks = secretRewriter(this.#index, maskKey)
    const keyOf = createPseudonyms((text) => this.#index.has(text))
    this.pseudonyms = secretRewriter(this.#index, keyOf, (key) => this.addSent(key))
  }

  /** Masks the secrets of a text for people. */
  readonly mask = (text: string): string => this.masks.text(text)

  /** Adds keys of a namespace, or other secrets of this sandbox. */
  add(keys: Iterable<string>): void {
    for (const key of keys) {
      if (this.#keys.has(key) || hasOwnForm(key)) continue
      this.#keys.add(key)
      this.#index.add(key)
      this.#budget?.reserve(SECRET_BYTES + key.length)
      const oldest = this.#keys.size > MAX ? firstOf(this.#keys) : undefined
      if (oldest === undefined) continue
      this.#keys.delete(oldest)
      this.#index.remove(oldest)
      this.#budget?.reserve(-SECRET_BYTES - oldest.length)
    }
  }

  /** Adds the control token, unless it may be an ordinary word. */
  addToken(token: string): void {
    if (isDistinct(token)) this.add([token])
  }

  /**
   * Adds a text sent as a key, unless it may be an ordinary word. The budget drops it with the requests of the last time
   * that it was sent.
   */
  addSent(key: string): void {
    if (hasOwnForm(key) || !isDistinct(key)) return
    const before = this.#sent.get(knownPartOf(key).toLowerCase())
    if (before) {
      this.#budget?.release(before)
      this.#budget?.keep(before)
      return
    }
    if (this.#index.has(key) || !this.#index.hasRoomFor(key)) return
    // A copy: it may be a part of a long text, which it would keep.
    const part = copyOf(knownPartOf(key))
    const name = part.toLowerCase()
    const forget = () => {
      this.#sent.delete(name)
      this.#index.remove(part)
    }
    const sent = { bytes: SECRET_BYTES + part.length, forget }
    this.#index.add(part)
    this.#sent.set(name, sent)
    this.#budget?.keep(sent)
  }
}

/** Such a key is found by its form and need not be known. */
const hasOwnForm = (key: string): boolean => /^psk_/i.test(key)

const firstOf = <T>([first]: Iterable<T>): T | undefined => first

/**
 * Returns a function that replaces each secret by another text of the same length and form. It returns built-in keys and
 * pseudonyms unchanged. `isKnown`: whether a text is a secret, and therefore not a pseudonym.
 */
function createPseudonyms(isKnown: (text: string) => boolean): (secret: string) => string {
  const bySecret = new Map<string, { readonly secret: string; readonly pseudonym: string }>()
  const made = new Set<string>()
  let characters = 0
  let count = 0

  function pseudonymOf(secret: string): string {
    const [prefix = ''] = KEY_PREFIX.exec(secret) ?? []
    const head = prefix.slice(0, secret.length < prefix.length + 4 ? 4 : undefined)
    const last = ++count + MAX_TRIES
    for (let number = count; ; number++) {
      const pseudonym = head + likeText(secret.slice(head.length), number)
      const isTaken =
        made.has(pseudonym) || bySecret.has(pseudonym) || isKnown(pseudonym) || isBuiltIn(pseudonym)
      if ((!isTaken && pseudonym !== secret) || number >= last) return pseudonym
    }
  }

  function add(secret: string) {
    const added = { secret, pseudonym: pseudonymOf(secret) }
    characters += secret.length
    made.add(added.pseudonym)
    return added
  }

  return (found) => {
    if (found === '' || isBuiltIn(found) || made.has(found)) return found
    const known = bySecret.get(found) ?? add(copyOf(found))
    // Moves it to the end: the first entry is then the least recently used.
    bySecret.delete(found)
    bySecret.set(known.secret, known)
    while (bySecret.size > MAX || characters > MAX_CHARACTERS) {
      const { secret, pseudonym } = firstOf(bySecret.values()) as typeof known
      bySecret.delete(secret)
      made.delete(pseudonym)
      characters -= secret.length
    }
    return known.pseudonym
  }
}

const DIGITS = '0123456789'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/**
 * A number in the form of a text: a digit for each digit, a letter for each letter, so that the text still fits the
 * pattern of its field. A number in JSON stays one, and does not begin with 0.
 */
function likeText(text: string, number: number): string {
  const isNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)
  // With fewer letters and digits, there would be too few different texts.
  const keepsSigns = text.replaceAll(/[^A-Za-z0-9]/g, '').length >= 6
  const letters = LETTERS.slice(0, /[g-z]/i.test(text) ? undefined : 6)
  let rest = number
  const characters = Array.from({ length: text.length }, (_, i) => {
    const character = text[text.length - 1 - i] as string
    const isDigit = DIGITS.includes(character)
    if ((keepsSigns && /[-_:/+= ]/.test(character)) || (isNumber && !isDigit)) return character
    const alphabet = isDigit ? DIGITS : /[A-Z]/.test(character) ? letters.toUpperCase() : letters
    const made = alphabet[rest % alphabet.length]
    rest = Math.floor(rest / alphabet.length)
    return made
  })
  const made = characters.reverse().join('')
  return isNumber ? made.replace(/^(-?)0/, '$19') : made
}

/** The prefixes of keys; that of a plan contains its name. */
const KEY_PREFIX = new RegExp(`^psk_(?:(?:${PLAN_NAMES.join('|')})_)?`, 'i')

/** For a secret of few characters every pseudonym may be taken. */
const MAX_TRIES = 10_000

/** The words of a command line with their secrets masked. */
export const maskWords = (words: readonly string[], { masks }: Secrets): string[] =>
  words.map((word, i) => {
    const flag = /^--?([\w.-]{1,64})$/.exec(words[i - 1] ?? '')?.[1]
    if (flag !== undefined && isCredential(flag)) return maskKey(word)
    // A header field in one argument, as for `curl -H`, or the value of an option, which may contain spaces.
    const [, dashes = '', name = '', sign, value = ''] =
      /^(--?(?=[\w.-]+=)|(?=[\w-]+:))([\w.-]{1,64})(: *|=)(\S.*)$/s.exec(word) ?? []
    return isCredential(name) ? `${dashes}${name}${sign}${masks.headers([name, value])[1]}` : masks.text(word)
  })
