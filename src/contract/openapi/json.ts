import { parse, stringify } from 'lossless-json'

/**
 * Parses JSON without loss of digits: an integer beyond 2^53 becomes a bigint, also when it is written as
 * `1e18` or `9007199254740993.0` (JSON Schema 2020-12 counts a zero fraction as an integer).
 * Throws a SyntaxError, also if an object has a name twice with different values (RFC 8259, section 4),
 * and a RangeError for a text that is nested too deeply.
 */
export function parseJson(text: string): unknown {
  const value = parseFast(text)
  return value === undefined || mayRepeatName(text, value) ? parse(text, undefined, readNumber) : value
}

/** Like `parseJson`, but of a repeated name the last value counts. */
export const parseDigits = (text: string): unknown => parseFast(text) ?? parse(text, undefined, readNumber)

/** A number for which JSON.parse may lose digits: with many digits, a fraction or an exponent, or -0. */
const MAY_LOSE_DIGITS = /(?:^|[[:,])\s*(?:-0|-?\d*(?:\d{16}|\d[.eE]))/

/** Uses JSON.parse, which takes a tenth of the time for a long text; undefined if it refuses the text or may lose digits. */
function parseFast(text: string): unknown {
  if (MAY_LOSE_DIGITS.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a JSON value is an object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses an untrusted text; undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The value of a JSON text; any other text itself. */
export function jsonOrText(text: string): unknown {
  const value = jsonOf(text)
  return value === undefined ? text : value
}

/**
 * Whether an object of a valid JSON text may have a name twice (JSON.parse keeps the last). `value`: the parsed text.
 * No name is repeated if the value has as many members as the text has names.
 */
export const mayRepeatName = (text: string, value: unknown): boolean => namesIn(text) !== membersIn(value)

/** An upper limit of the number of names: a string may look like the end of a name. */
function namesIn(text: string): number {
  const end = /"\s*:/g
  let count = 0
  while (end.test(text)) count++
  return count
}

/** The limit of nesting for the count, below that of the stack. */
const DEEPEST = 500

/** The number of members; NaN if the value is nested deeper than `depth`. */
function membersIn(value: unknown, depth = DEEPEST): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth === 0) return Number.NaN
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += membersIn(item, depth - 1)
  else {
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name]
      count += typeof member === 'object' ? 1 + membersIn(member, depth - 1) : 1
    }
  }
  return count
}

/** An integer as a number if it is safe, otherwise as a bigint. */
export const exactInteger = (integer: bigint): number | bigint =>
  Number.isSafeInteger(Number(integer)) ? Number(integer) : integer

/** The JSON of a value whose integers may be bigints. */
export const stringifyJson = (value: unknown, indent?: number): string =>
  stringify(value, undefined, indent) ?? 'null'

/** The texts of items with commas between them. `write`: the text of an item, or its parts. */
export function* joined<T>(items: Iterable<T>, write: (item: T) => Iterable<string>): Generator<string> {
  let separator = ''
  for (const item of items) {
    const text = write(item)
    if (typeof text === 'string') yield separator + text
    else {
      if (separator) yield separator
      yield* text
    }
    separator = ','
  }
}

/** The JSON of a list, in parts. */
export function* listParts<T>(items: Iterable<T>, write: (item: T) => Iterable<string>): Generator<string> {
  yield '['
  yield* joined(items, write)
  yield ']'
}

/** Lists of `length` items; the last one may be shorter. */
export function* batches<T>(items: Iterable<T>, length: number): Generator<readonly T[]> {
  let batch: T[] = []
  for (const item of items) {
    if (batch.push(item) < length) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

const LONGEST_SHIFT = 400
const INTEGER = /^-?\d+$/
const NUMBER = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Converting digits to a bigint takes quadratic time; a 64-bit integer needs fewer digits than this. */
const MAX_DIGITS = 400

function readNumber(token: string): number | bigint {
  const number = Number(token)
  // NaN marks a number that is not an integer; no JSON token parses to it.
  if (token.length > MAX_DIGITS) return Number.NaN
  if (INTEGER.test(token)) return Number.isSafeInteger(number) ? number + 0 : BigInt(token) // -0 is 0
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(token) ?? []
  const shift = Number(exponent) - fraction.length
  if (!Number.isInteger(number) || shift > LONGEST_SHIFT) return number
  const digits = BigInt(whole + fraction)
  const unit = 10n ** BigInt(Math.min(Math.abs(shift), LONGEST_SHIFT))
  // NaN also marks a fraction that a double would round away.
  if (shift < 0 && digits % unit !== 0n) return Number.NaN
  return exactInteger(shift < 0 ? digits / unit : digits * unit)
}
