/**
 * Readers of option values. Each takes a text (from a flag or the environment) or a value from a configuration file
 * or a caller, returns the validated value, and throws a RangeError that says what is valid.
 */
import { readDecision } from '../contract/decisions/decisions.ts'
import { didYouMean } from '../contract/decisions/nearest.ts'
import { originOf } from '../contract/decisions/value-formats.ts'
import { isObject, stringifyJson } from '../contract/openapi/json.ts'
import { InvalidValue } from '../text/advised-error.ts'
import { inThousands } from '../text/in-thousands.ts'
import { parseDuration } from '../time/duration.ts'
import { isDate, iso, isShowable, parseInstant, SECOND } from '../time/instant.ts'
import { readLatency } from '../world/faults/latency.ts'
import { PLAN_NAMES, type Plan, type PlanName } from '../world/plan.ts'
import { choose, together } from './usage-error.ts'

export type Reader<T> = (value: unknown) => T

/** Whether a value is an object whose members are read: a Map, a Set or a Date has none. */
export const hasMembers = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && !(Symbol.iterator in value) && !isDate(value)

export const readPort: Reader<number> = (value) =>
  readWhole(value, 65535, 'port', 'use a number from 0 to 65535 (0 = any free port)')

export const readSeed: Reader<number> = (value) =>
  readWhole(
    value,
    Number.MAX_SAFE_INTEGER,
    'seed',
    `use a whole number from 0 to ${inThousands(Number.MAX_SAFE_INTEGER)}; the option fixture takes a file`,
  )

const SIZE = /^(\d+)(KiB|MiB|GiB)?$/
const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** A size in bytes. */
export const readSize: Reader<number> = (value) => {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  const [, count, unit = ''] = SIZE.exec(text) ?? []
  const bytes = Number(count) * (UNITS[unit] ?? 1)
  if (Number.isSafeInteger(bytes)) return bytes
  throw new InvalidValue(`${shown(value)} is not a valid size`, 'use 256MiB, 1GiB or a number of bytes')
}

const YES = ['true', '1', 'yes', 'on']
const NO = ['false', '0', 'no', 'off']

/** The values of a switch in a configuration file. A text can also have capitals. */
export const SWITCH = [true, false, 1, 0, ...YES, ...NO]

export const readSwitch: Reader<boolean> = (value) => {
  const text = textOf(value).toLowerCase()
  if (YES.includes(text)) return true
  if (NO.includes(text)) return false
  throw new InvalidValue(`${shown(value)} is neither true nor false`, 'use one of the two')
}

export const readText: Reader<string> = (value) => {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new InvalidValue(`${shown(value)} is not a valid text`, 'use a text that is not empty')
}

/** One text or several. */
export const readTexts: Reader<readonly string[]> = (value) => [value].flat().map(readText)

/** A list of objects; its items are validated where they are used. */
export const readList: Reader<never[]> = (value) => {
  if (Array.isArray(value)) return value as never[]
  throw new InvalidValue(`${shown(value)} is not a list`, 'write [ … ]')
}

/** A text for the header field Authorization, which no message repeats. */
export const readSecret =
  (what: string): Reader<string> =>
  (value) => {
    if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value
    throw new InvalidValue(`the ${what} is not valid`, 'use visible ASCII characters without spaces')
  }

export const readToken = readSecret('control token')

export const readOrigin: Reader<string> = (value) => {
  const origin = originOf(textOf(value).trim())
  if (origin !== undefined && origin !== 'null') return origin
  const use = 'use <scheme>://<host>[:<port>], such as http://localhost:6006'
  throw new InvalidValue(`${shown(value)} is not a valid origin`, use)
}

/** Origins: one text or several, separated by commas. */
export const readOrigins: Reader<readonly string[]> = (value) =>
  [value].flat().flatMap((part) => textOf(part).split(',').map(readOrigin))

export const readWord =
  <const T extends string>(...words: T[]): Reader<T> =>
  (value) => {
    const word = words.find((candidate) => candidate === value)
    if (word !== undefined) return word
    const choices = `${didYouMean(String(value), words)} Choices: ${words.join(' | ')}`
    throw new InvalidValue(`${shown(value)} is not valid`, choices)
  }

export const readNow: Reader<string> = (value) => {
  const instant = isDate(value) ? value.getTime() : parseInstant(textOf(value))
  if (isShowable(instant)) return iso(instant)
  throw new InvalidValue(`${shown(value)} is out of range`, 'use a year from 1970 to 9999')
}

export const readLatencyText: Reader<string> = (value) => {
  const text = textOf(value)
  readLatency(text)
  return text
}

export const readExpiry: Reader<string> = (value) => {
  const text = textOf(value)
  if (parseDuration(text) < SECOND) throw new InvalidValue(`${shown(value)} is too short`, 'use 1s or more')
  return text
}

/** `plan=perMinute/perDay`. */
export const readLimits: Reader<Partial<Record<PlanName, string | Plan>>> = (value) => {
  const limits = readPairs(value, 'free=60/1000')
  refuseEach(limits, (plan, limit) => {
    if (!PLAN_NAMES.some((name) => name === plan))
      throw new InvalidValue(`There is no plan "${plan}"`, choose('Plans', PLAN_NAMES, plan))
    readDecision(`plans.${plan}`, limit)
  })
  return limits
}

/** `decision=value`. */
export const readDecisions: Reader<Record<string, unknown>> = (value) => {
  const decisions = readPairs(value, 'list.limit=clamp')
  refuseEach(decisions, readDecision)
  return decisions
}

/** Validates each pair. Throws one RangeError with a line for each invalid pair. */
const refuseEach = (pairs: object, check: (name: string, value: unknown) => unknown): void =>
  void together(Object.entries(pairs).map((pair) => () => check(...pair)))

// A comma separates pairs only before a name and =, because values such as origins contain commas too.
const PAIR_SEPARATOR = /,(?=\s*[A-Za-z][A-Za-z.]*\s*=)/

/** Pairs `name=value`: one text or several, separated by commas, or an object. */
function readPairs(value: unknown, example: string): Record<string, unknown> {
  if (hasMembers(value))
    return Object.fromEntries(Object.entries(value).filter(([, given]) => given !== undefined))
  const pairs = new Map<string, string>()
  for (const text of [value].flat().flatMap((part) => textOf(part).split(PAIR_SEPARATOR))) {
    const [, name = '', chosen = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
    if (name.trim() === '')
      throw new InvalidValue(`${shown(text)} is not a valid pair`, `use <name>=<value>, such as ${example}`)
    pairs.set(name.trim(), chosen.trim())
  }
  return Object.fromEntries(pairs)
}

function readWhole(value: unknown, most: number, what: string, use: string): number {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  if (/^(0|[1-9]\d*)$/.test(text) && Number(text) <= most) return Number(text)
  throw new InvalidValue(`${shown(value)} is not a valid ${what}`, use)
}

/** A value as text; an object or a list, which no option of text takes, as JSON for the message. */
const textOf = (value: unknown): string => (typeof value === 'object' ? jsonOf(value) : String(value))

/** A value of any kind, for a message. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `"${value}"`
  // JSON has no NaN, no functions, such as one that was not called, and no members of a Map.
  return Array.isArray(value) || hasMembers(value) ? jsonOf(value) : String(value)
}

function jsonOf(value: object | null): string {
  try {
    return stringifyJson(value)
  } catch (error) {
    // The stack has overflowed.
    if (error instanceof RangeError) return 'a value that contains itself or is nested too deeply'
    throw error
  }
}

/** The extension of a recording says whether it is compressed. */
export function readRecordFile(value: unknown): string {
  const file = readText(value)
  if (/\.jsonl(\.gz)?$/.test(file)) return file
  const use = 'use one that ends in .jsonl or .jsonl.gz'
  throw new InvalidValue(`"${file}" is not a valid name of a recording`, use)
}
