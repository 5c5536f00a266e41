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
import { isDistinct, type SecretIndex } from './secret-index.ts'

/** A part of a text, and what is shown in its place. */
interface Part {
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

/** The limit of names of header fields that are remembered. */
const MAX_NAMES = 10_000

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
      if (names.size < MAX_NAMES) names.set(name, known)
      return known
    }
    return headers.map((text, i) => {
      if (i % 2 === 0) return replaced(text, knownIn(text))
      return isSecret(headers[i - 1]) ? replaced(text, credentialsIn('', text, 0, text)) : rewritten(text)
    })
  }

  function partsIn(layer: Layer, isCut: boolean): Part[] {
    const { text } = layer
    const parts = knownIn(text, isCut)
    for (const { run, start } of base64In(text)) parts.push(...inBase64(run, start))
    // A mask, such as in a reply of the journal, is not a secret.
    for (const { 0: userinfo, index } of text.includes('@') ? text.matchAll(USERINFO) : [])
      if (!NO_SECRET.test(userinfo)) parts.push(partAt(text, index, userinfo))
    if (CREDENTIAL_NAMES.test(text)) parts.push(...namedIn(layer))
    return parts
  }

  /** The values whose name says that they are secret. */
  function namedIn(layer: Layer): Part[] {
    const { text, endOf } = layer
    const parts: Part[] = []
    /** The end of the last list or object that was read. */
    let end = 0
    for (const pattern of NAMED)
      for (const { 0: all, 1: name = '', 2: value = '', index } of text.matchAll(pattern)) {
        if (!isCredential(name)) continue
        const start = index + all.length - (all.endsWith(value) ? value.length : 0)
        const isList = /^[[{]/.test(value) && !/["'=]/.test(text[start - 1] ?? '')
        if (!isList) parts.push(...valueIn(layer, name, index + 1 + name.length, start, value))
        else if (start >= end) end = textsIn(name, text, start, endOf?.(start) ?? text.length, parts)
      }
    return parts
  }

  /** The secret in a value; `afterName`: where its name ends, in JSON with a quote. */
  function valueIn(layer: Layer, name: string, afterName: number, start: number, value: string): Part[] {
    const { text, at, endOf } = layer
    // The value ends where the text of JSON ends in which it is; if its name is not in one, the value is such a text.
    const isNameInText = endOf !== undefined && endOf(afterName) !== afterName
    const end = endOf?.(isNameInText ? start : start + 1) ?? text.length
    // The end of a sentence is not part of the secret.
    const own = value.slice(0, end - start).replace(/[.,:!)\]]{1,3}$/, '')
    const parts = credentialsIn(name, text, start, own)
    const isQuoteEscaped = at(afterName + 1) - at(afterName) > 1
    // Quotes around the mask of a number would end the text of JSON in which it is.
    return isQuoteEscaped ? parts.map((part) => ({ ...part, shown: part.shown.replaceAll('"', '') })) : parts
  }

  /** Adds the texts in the list or object that begins at `start`, at every depth; returns its end, `most` at the most. */
  function textsIn(name: string, text: string, start: number, most: number, parts: Part[]): number {
    let depth = 0
    for (const { 0: all, 1: item, 2: colon, index } of text.slice(start, most).matchAll(TEXTS)) {
      if (item === undefined) depth += /[[{]/.test(all) ? 1 : -1
      else if (!colon) parts.push(...credentialsIn(name, text, start + index, item))
      if (depth === 0) return start + index
    }
    return most
  }

  /** Secrets that are known, or have the form of a key of this sandbox. */
  function knownIn(text: string, isCut = false): Part[] {
    const own = text.search(OWN_FORM) < 0 ? [] : [...text.matchAll(OWN_FORM)]
    const parts = own.map(({ 0: key, index }) => partAt(text, index, key))
    for (const { start, secret } of index.find(text, isCut)) {
      // A short key may be an ordinary word, which a recording must keep.
      if (!learn || isDistinct(secret) || /\b[Kk]ey $/.test(text.slice(0, start)))
        parts.push(partAt(text, start, secret))
    }
    return parts
  }

  /** Base64 that contains a secret, which may begin at any character of `run`. */
  function inBase64(run: string, start: number): Part[] {
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

  /** The secret in the value of a header field, parameter or member; quotes and scheme are not part of it. */
  function credentialsIn(name: string, text: string, start: number, value: string): Part[] {
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
    const isNumber = !isQuoted && !learn && /[:\s]/.test(text[start - 1] ?? '')
    return [isNumber ? { ...part, shown: `"${part.shown}"` } : part]
  }

  function partAt(text: string, start: number, secret: string): Part {
    const shown = keyOf(secret)
    const end = start + secret.length
    if (learn || shown === secret) return { start, end, shown }
    SUFFIX.lastIndex = end
    return { start, end: end + (SUFFIX.exec(text)?.[0].length ?? 0), shown }
  }
}

/** The same part in the source of a decoded text. Characters that replace encoded ones are encoded alike. */
function inSource({ start, end, shown }: Part, { at, text }: Layer, source: string): Part {
  const place = { start: at(start), end: at(end) }
  if (shown.length !== end - start || place.end - place.start === shown.length) return { ...place, shown }
  const encoded = Array.from(shown, (character, i) => {
    const before = source.slice(at(start + i), at(start + i + 1))
    return character === text[start + i] ? before : encodedLike(before, character)
  })
  return { ...place, shown: encoded.join('') }
}

/** If parts overlap, the one that begins first counts; if several begin there, the longest. */
function replaced(text: string, parts: readonly Part[]): string {
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

const USERINFO = /(?<=:\/\/)[^\s/?#@"'<>]{1,512}(?=@)/g

const SCHEME = /^(?<scheme>bearer|basic|digest|negotiate|token|key|api-?key|dpop) +(?<rest>\S.*)$/is

/** A masked text, the placeholder of a message, or a JSON literal. */
const NO_SECRET = /^(?:psk_)?…|^(?:null|true|false|<(?:key|token)>)$/

/** Parameters, members of JSON (possibly cut) and paths, each with its name and its value. */
const NAMED = [
  // A value ends before the parameters of a URL in it, or a quote, also an escaped one. The end of a text in JSON is none.
  /(?<=^|[?&;\s"'#])([^=&;?#\s"']{1,64})=(?:["'](?![\]},:]))?((?:[^&;?#\s"'\\]|\\\\|\\(?![\\"'])|\?(?![^=&;?#\s"']{1,64}=))+)/g,
  // Its value may be a text in which JSON begins.
  /"([\w.\- $]{1,64})"\s*:\s*(?=("(?:[^"\\]|\\[\s\S])*"?|[^\s",{}[\]]+))/g,
  /"([\w.\- $]{1,64})"\s*:\s*([[{])/g,
  /\/(key)s\/([\w-]+…?)/g,
]

/** The texts in JSON, those that are names with their colon, and the brackets of lists and objects. */
const TEXTS = /("(?:[^"\\]|\\(?:[\s\S]|$))*(?:"|$))(\s*:)?|[[\]{}]/g

/** A quick test: only a text that contains one of these words can match `NAMED`. */
const CREDENTIAL_NAMES =
  /author|cookie|key|token|secret|pass|pwd|credential|sess|jwt|auth|sid|sig|bearer|dpop|assertion/i

const CREDENTIAL =
  /(?:authorization|authentication|cookie|api-?key|token|secret|password|passwd|passphrase|credential|(?:access|auth|secret|private|subscription|functions|master)-?key|sess(?:ion)?-?id|jwt|signature|assertion)s?(?:-?\d+)?$/
const CREDENTIAL_WORDS = new Set(['key', 'auth', 'pass', 'pwd', 'sid', 'sig', 'session', 'bearer', 'dpop'])

/** Whether a header field, parameter (also `user[password]` or `tokens[]`) or member of this name holds a secret. */
export function isCredential(name: string): boolean {
  const plain = name
    .toLowerCase()
    .replaceAll(/[_. []/g, '-')
    .replace(/^x-|-?\]$/g, '')
  return CREDENTIAL_WORDS.has(plain) || CREDENTIAL.test(plain)
}
