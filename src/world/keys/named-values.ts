import type { Layer } from './encodings.ts'

/** A value whose name says that it is secret. */
export interface NamedValue {
  readonly name: string
  /** With its quotes, if it has any; one at its end may be missing. */
  readonly value: string
  readonly start: number
  /** Whether it may be a number in JSON: a text in its place would need quotes. */
  readonly mayBeNumber: boolean
}

/** The values in parameters, in members of JSON at any depth, and in paths. */
export function namedValuesIn(layer: Layer): NamedValue[] {
  if (!CREDENTIAL_NAMES.test(layer.text)) return []
  return [...parametersIn(layer, PARAMETER), ...parametersIn(layer, KEY_IN_PATH), ...membersIn(layer)]
}

function parametersIn({ text, endOf }: Layer, pattern: RegExp): NamedValue[] {
  return Array.from(text.matchAll(pattern)).flatMap(({ 0: all, 1: name = '', 2: value = '', index }) => {
    if (!isCredential(name) || isCount(name, value)) return []
    const start = index + all.length - value.length
    return { name, start, value: withoutEnd(value, endOf && endOf(start) - start), mayBeNumber: false }
  })
}

function membersIn({ text, at, endOf }: Layer): NamedValue[] {
  const values: NamedValue[] = []
  /** The end of the last list or object that was read. */
  let end = 0
  for (const { 0: all, 1: name = '', 2: value = '', index } of text.matchAll(MEMBER)) {
    if (!isCredential(name) || isCount(name, value)) continue
    const start = index + all.length
    if (value === '[' || value === '{') {
      if (start >= end) end = addTexts(values, name, text, start, endOf?.(start) ?? text.length)
      continue
    }
    const quote = index + 1 + name.length
    // A value ends with the JSON text that contains its name, or is a JSON text itself.
    const isInText = endOf !== undefined && endOf(quote) !== quote
    const own = withoutEnd(value, endOf && endOf(isInText ? start : start + 1) - start)
    // Quotes around the mask of a number would end the JSON text that contains it.
    values.push({ name, start, value: own, mayBeNumber: at(quote + 1) - at(quote) === 1 })
  }
  return values
}

/** A number with a plural as its name is not a secret: `max_tokens=100`. */
const isCount = (name: string, value: string): boolean => /[^s]s$/i.test(name) && /^\d+$/.test(value)

/** The end of a sentence is not part of a value. */
const withoutEnd = (value: string, length?: number): string =>
  value.slice(0, length).replace(/[.,:!)\]]{1,3}$/, '')

/** Adds the texts in the list or object at `start`, at every depth; returns its end, which is at most `most`. */
function addTexts(values: NamedValue[], name: string, text: string, start: number, most: number): number {
  let depth = 0
  for (const { 0: all, 1: item, 2: colon, index } of text.slice(start, most).matchAll(TEXTS)) {
    if (item === undefined) depth += /[[{]/.test(all) ? 1 : -1
    else if (!colon) values.push({ name, start: start + index, value: item, mayBeNumber: false })
    if (depth === 0) return start + index
  }
  return most
}

/**
 * A value in quotes ends with the same quote. Every other value ends before the parameters of a URL in it, or a quote,
 * also an escaped one. A quote that ends a text of JSON does not begin a value.
 */
const PARAMETER =
  /(?<=^|[?&;\s"'#])([^=&;?#\s"']{1,64})=(?:["'](?![\]},:>]))?((?![&;?#\s])(?:(?<==")(?:[^"\\\n]|\\.)+(?=")|(?<==')[^"'\\\n]+(?='))|(?:[^&;?#\s"'\\]|\\\\|\\(?![\\"'])|\?(?![^=&;?#\s"']{1,64}=))+)/g

const KEY_IN_PATH = /\/(key)s\/([\w-]+…?)/g

/** A member of JSON, also within a text. Its value is a text, maybe cut, a number, a literal or the first bracket of others. */
const MEMBER = /"([\w.\- $]{1,64})"\s*:\s*(?=("(?:[^"\\]|\\[\s\S])*"?|[^\s",{}[\]]+|[[{]))/g

/** The texts in JSON, those that are names with their colon, and the brackets of lists and objects. */
const TEXTS = /("(?:[^"\\]|\\(?:[\s\S]|$))*(?:"|$))(\s*:)?|[[\]{}]/g

/** A quick test: a text without any of these words has no such value. */
const CREDENTIAL_NAMES =
  /author|cookie|key|token|secret|pass|pwd|credential|sess|jwt|auth|sid|sig|bearer|dpop|assertion/i

const CREDENTIAL =
  /(?:authorization|authentication|cookie|api-?key|token|secret|password(?:-?confirm(?:ation)?)?|passwd|passphrase|passcode|credential|(?:access|auth|secret|private|signing|encryption|subscription|functions|master)-?key|sess(?:ion)?-?id|jwt|signature|assertion)s?(?:-?\d+)?$/
const CREDENTIAL_WORDS = new Set(['key', 'auth', 'pass', 'pwd', 'sid', 'sig', 'session', 'bearer', 'dpop'])

/** Whether a header field, parameter (also `user[password][]`) or member of this name contains a secret. */
export function isCredential(name: string): boolean {
  const plain = name
    .toLowerCase()
    .replaceAll(/[_. [\]]+/g, '-')
    .replaceAll(/^x-|-$/g, '')
  return CREDENTIAL_WORDS.has(plain) || CREDENTIAL.test(plain)
}
