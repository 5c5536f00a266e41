import { NAMESPACE_FORM, splitToken } from './bearer-token.ts'
import {
  base64In,
  decodeBase64,
  encodeBase64,
  encodedLike,
  type Layer,
  layersOf,
  mayBeEncoded,
} from './encodings.ts'
import { isCredential, type NamedValue, namedValuesIn } from './named-values.ts'
import { isDistinct, type SecretIndex } from './secret-index.ts'

/** A part of a text, and what is shown in its place. */
interface Replacement {
  readonly start: number
  readonly end: number
  readonly shown: string
}

/** Replaces secrets in texts: by masks, or by pseudonyms. */
export interface Rewriter {
  /** Changes when a text may be rewritten differently than before. */
  readonly version: number
  /** The text that is shown for a secret. */
  readonly key: (secret: string) => string
  /** A text of any kind: a target, a query, a body, a sentence. `isCut`: it was cut, possibly within a secret. */
  text(text: string, isCut?: boolean): string
  /** Header fields, flat: name, value, … */
  headers(headers: readonly string[]): readonly string[]
}

/** The limits of names of header fields that are remembered: of their number and length. */
const MAX_NAMES = 10_000
const LONGEST_NAME = 64

const same = <T>(value: T): T => value

/** Replaces nothing. */
export const AS_IT_IS: Rewriter = { version: 0, key: same, text: same, headers: same }

/**
 * Finds secrets in texts: known ones, those with the form of a key, and those that a name announces. `keyOf`: returns the
 * text that is shown for a secret. `learn`: receives each text sent as a key; without it the result is for people, and
 * suffixes of keys are removed.
 */
export function secretRewriter(
  index: SecretIndex,
  keyOf: (secret: string) => string,
  learn?: (key: string) => void,
): Rewriter {
  /** The names of header fields, and whether their values are secret. */
  const names = new Map<string, boolean>()
  return {
    get version() {
      return index.version
    },
    key: keyOf,
    text: rewritten,
    headers: fieldsOf,
  }

  function rewritten(text: string, isCut = false): string {
    if (!mayBeEncoded(text)) return replaced(text, partsIn({ text, at: same }, isCut))
    const layers = layersOf(text)
    const parts = layers.map((layer) => partsIn(layer, isCut).map((part) => inSource(part, layer, text)))
    // If two layers show the same part, the decoded one counts.
    return replaced(text, parts.reverse().flat())
  }

  function fieldsOf(headers: readonly string[]): string[] {
    const isSecret = (name = '') => {
      const known = names.get(name) ?? isCredential(name)
      if (names.size < MAX_NAMES && name.length <= LONGEST_NAME) names.set(name, known)
      return known
    }
    return headers.map((text, i) => {
      if (i % 2 === 0) return replaced(text, knownIn(text))
      return isSecret(headers[i - 1])
        ? replaced(text, secretIn(text, { name: '', start: 0, value: text, mayBeNumber: false }))
        : rewritten(text)
    })
  }

  function partsIn(layer: Layer, isCut: boolean): Replacement[] {
    const { text } = layer
    const parts = knownIn(text, isCut)
    for (const { run, start } of base64In(text)) parts.push(...inBase64(run, start))
    // A mask, such as in a reply of the journal, is not a secret.
    for (const { 0: userinfo, index } of text.includes('@') ? text.matchAll(USERINFO) : [])
      if (!NO_SECRET.test(userinfo)) parts.push(partAt(text, index, userinfo))
    for (const value of namedValuesIn(layer)) parts.push(...secretIn(text, value))
    return parts
  }

  /** Secrets that are known, or have the form of a key of this sandbox. */
  function knownIn(text: string, isCut = false): Replacement[] {
    const own = text.search(OWN_FORM) < 0 ? [] : [...text.matchAll(OWN_FORM)]
    const parts = own.map(({ 0: key, index }) => partAt(text, index, key))
    for (const { start, secret } of index.find(text, isCut)) {
      // A short key may be an ordinary word, which a recording must keep.
      if (!learn || isDistinct(secret) || /\b[Kk]ey $/.test(text.slice(Math.max(0, start - 5), start)))
        parts.push(partAt(text, start, secret))
    }
    for (const { 1: key = '', index: word } of learn ? text.matchAll(SHORTEST_KEY) : [])
      if (index.has(key)) parts.push(partAt(text, word + 'key '.length, key))
    return parts
  }

  /** Base64 that contains a secret, which may begin at any character of `run`. */
  function inBase64(run: string, start: number): Replacement[] {
    for (let offset = 0; offset < 4; offset++) {
      const rest = run.slice(offset)
      const bytes = decodeBase64(rest)
      const shown = replaced(bytes, knownIn(bytes))
      if (shown === bytes) continue
      const made = learn ? run.slice(0, offset) + encodeBase64(shown, rest) : '…'
      return [{ start, end: start + run.length, shown: made }]
    }
    return []
  }

  /** The secret in a value of a text; quotes and scheme are not part of it. */
  function secretIn(text: string, { name, start, value, mayBeNumber }: NamedValue): Replacement[] {
    const isQuoted = value.startsWith('"')
    const bare = isQuoted ? value.replaceAll(/^"|"$/g, '') : value
    const { scheme = '', rest: token = bare } = SCHEME.exec(bare)?.groups ?? {}
    if (token === '' || NO_SECRET.test(token)) return []
    const at = start + (isQuoted ? 1 : 0) + bare.length - token.length
    const isKey = scheme.toLowerCase() === 'bearer' || name.toLowerCase() === 'key'
    const { key, namespace } = splitToken(token)
    const secret = isKey && namespace !== undefined && NAMESPACE_FORM.test(namespace) ? key : token
    if (isKey) learn?.(secret)
    // A short text that is not a known key is an ordinary word, which the message of a refusal repeats.
    if (learn && scheme === '' && isKey && !isDistinct(secret) && !index.has(secret)) return []
    const part = partAt(text, at, secret)
    // A number in JSON becomes a text.
    return [mayBeNumber && !isQuoted && !learn ? { ...part, shown: `"${part.shown}"` } : part]
  }

  function partAt(text: string, start: number, secret: string): Replacement {
    const shown = keyOf(secret)
    const end = start + secret.length
    if (learn || shown === secret) return { start, end, shown }
    SUFFIX.lastIndex = end
    return { start, end: end + (SUFFIX.exec(text)?.[0].length ?? 0), shown }
  }
}

/** A part of a decoded text as a part of its source. Characters that replace encoded ones are encoded alike. */
function inSource({ start, end, shown }: Replacement, { at, text }: Layer, source: string): Replacement {
  const place = { start: at(start), end: at(end) }
  if (shown.length !== end - start || place.end - place.start === shown.length) return { ...place, shown }
  const encoded = Array.from(shown, (character, i) => {
    const before = source.slice(at(start + i), at(start + i + 1))
    return character === text[start + i] ? before : encodedLike(before, character)
  })
  return { ...place, shown: encoded.join('') }
}

/** If parts overlap, the one that begins first counts; if several begin there, the longest. */
function replaced(text: string, parts: readonly Replacement[]): string {
  if (parts.length === 0) return text
  let [shown, last] = ['', 0]
  for (const part of parts.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (part.start < last) continue
    shown += text.slice(last, part.start) + part.shown
    last = part.end
  }
  return shown + text.slice(last)
}

/** It has no flag i, because that makes the search four times as slow. */
const OWN_FORM = /[Pp][Ss][Kk]_[A-Za-z0-9_-]+/g

/** The suffixes of a key, which are removed with it. */
const SUFFIX = /(?:\.[A-Za-z0-9_-]+)+/y

/** In a message: the index does not find keys as short as these. A look behind would make the search ten times as slow. */
const SHORTEST_KEY = /\b[Kk]ey ([A-Za-z0-9_-]{1,2})(?![A-Za-z0-9_-])/g

const USERINFO = /(?<=:\/\/)[^\s/?#@"'<>]{1,512}(?=@)/g

const SCHEME = /^(?<scheme>bearer|basic|digest|negotiate|token|key|api-?key|dpop) +(?<rest>\S.*)$/is

/** A masked text, the placeholder of a message, or a JSON literal. */
const NO_SECRET = /^(?:psk_)?…|^(?:null|true|false|<(?:key|token)>)$/
