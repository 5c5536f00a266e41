import { inThousands } from '../../text/in-thousands.ts'
import { urlOf } from '../../text/url.ts'
import { isDate, iso, parseInstant } from '../../time/instant.ts'
import { API_ERRORS } from '../../world/api-error.ts'
import { type Plan, UNLIMITED } from '../../world/plan.ts'
import type { ValueFormat } from './decision.ts'
import { didYouMean } from './nearest.ts'

/** One of the given words, numbers or booleans. */
export const oneOf = <const T extends string | number | boolean>(...values: T[]): ValueFormat<T> => ({
  choices: values.join(' | '),
  words: values.map(String),
  // YAML reads 404 without quotes as a number.
  schema: {
    enum: values.flatMap<unknown>((value) =>
      /^\d+$/.test(`${value}`) ? [`${value}`, Number(value)] : [value],
    ),
  },
  read: (value) => values.find((each) => String(each) === textOf(value)),
  write: String,
})

/** One of the given words, or another text; the start of a sandbox validates it. */
export const oneOfOr = (others: string, ...values: string[]): ValueFormat<string> => ({
  ...oneOf(...values),
  choices: `${values.join(' | ')} | ${others}`,
  schema: { type: 'string', examples: values },
  read: (value) => textOf(value) || undefined,
})

export const yesOrNo: ValueFormat<boolean> = {
  ...oneOf<boolean>(true, false),
  schema: { enum: [true, false, 'true', 'false'] },
}

/** An integer of at least 1. */
export const count: ValueFormat<number> = {
  choices: `1 to ${inThousands(UNLIMITED)}`,
  words: [],
  // A text has at most nine digits here, because a pattern cannot express the maximum.
  schema: { type: ['integer', 'string'], minimum: 1, maximum: UNLIMITED, pattern: '^[1-9]\\d{0,8}$' },
  read: readCount,
  write: String,
}

/** An integer of at least 1, or `word` (null in a configuration file) for none. */
export const countOr = (word: string): ValueFormat<number | null> => ({
  choices: `${word} | ${count.choices}`,
  words: [word],
  schema: { anyOf: [count.schema, { enum: [word, null] }] },
  read: (value) => (isNone(value, word) ? null : readCount(value)),
  write: (value) => (value === null ? word : String(value)),
})

/** Milliseconds since the epoch; read from ISO 8601, or from a Date in code. */
export const instant: ValueFormat<number> = {
  choices: 'an instant or a date',
  words: [],
  more: 'Such as 2030-12-05T00:00:00Z or 2030-12-05',
  schema: { type: 'string', examples: ['2030-12-05T00:00:00Z'] },
  read: (value) => {
    try {
      return parseInstant(isDate(value) ? value.toISOString() : (textOf(value) ?? ''))
    } catch {
      return undefined
    }
  },
  write: iso,
}

const perWindow = countOr('unlimited')

/** `<perMinute>/<perDay>`. */
export const plan: ValueFormat<Plan> = {
  choices: '<perMinute>/<perDay>',
  words: [],
  more: `Each is a number from ${count.choices} or unlimited`,
  schema: {
    anyOf: [
      { type: 'string', examples: ['5000/1000000', 'unlimited/unlimited'] },
      {
        type: 'object',
        properties: { perMinute: perWindow.schema, perDay: perWindow.schema },
        required: ['perMinute', 'perDay'],
        additionalProperties: false,
      },
    ],
  },
  read: readPlan,
  write: (value) => `${perWindow.write(value.perMinute)}/${perWindow.write(value.perDay)}`,
}

/** `*`, or origins with commas between them. */
export const origins: ValueFormat<'*' | readonly string[]> = {
  choices: '* | origins with commas between them',
  words: ['*'],
  more: 'Such as https://app.example,http://localhost:5173',
  schema: { type: ['string', 'array'], items: { type: 'string' }, minItems: 1 },
  read: (value) => {
    if (value === '*') return '*'
    const given = Array.isArray(value) ? value.map(String) : String(value).split(',')
    const read = given.map((text) => originOf(text.trim()))
    return read.length > 0 && read.every((origin) => origin !== undefined) ? read : undefined
  },
  write: (value) => (value === '*' ? '*' : value.join(',')),
}

const CODES = Object.keys(API_ERRORS)

/** `old:new` pairs with commas between them, or an object. */
export const renames: ValueFormat<Readonly<Record<string, string>>> = {
  choices: 'none | <code>:<new code> with commas between them, each code once',
  more: `Codes: ${CODES.join(', ')}`,
  unknownIn: (value) => {
    const code = pairsIn(value).find(([code]) => !CODES.includes(code))?.[0]
    return code === undefined || Array.isArray(value)
      ? undefined
      : ` There is no code "${code}".${didYouMean(code, CODES)}`
  },
  words: ['none'],
  schema: {
    anyOf: [
      { type: 'string', examples: ['pet_not_found:not_found'] },
      {
        type: 'object',
        propertyNames: { enum: CODES },
        additionalProperties: { type: 'string' },
      },
    ],
  },
  read: readRenames,
  write: (value) => {
    const pairs = Object.entries(value)
    return pairs.length === 0 ? 'none' : pairs.map((pair) => pair.join(':')).join(',')
  },
}

/** A scalar as text; undefined for a list or an object. */
const textOf = (value: unknown): string | undefined => (typeof value === 'object' ? undefined : String(value))

const isNone = (value: unknown, word: string): boolean => value === null || value === word || value === 'null'

function readCount(value: unknown): number | undefined {
  const text = textOf(value) ?? ''
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= UNLIMITED ? Number(text) : undefined
}

function readPlan(value: unknown): Plan | undefined {
  const isObject = typeof value === 'object' && value !== null
  const { perMinute, perDay, ...others }: Partial<Record<string, unknown>> = isObject
    ? value
    : fromText(value)
  const read = { perMinute: perWindow.read(perMinute), perDay: perWindow.read(perDay) }
  if (read.perMinute === undefined || read.perDay === undefined) return undefined
  return Object.keys(others).length === 0 ? { perMinute: read.perMinute, perDay: read.perDay } : undefined
}

function fromText(value: unknown): Record<string, unknown> {
  const [perMinute, perDay, ...others] = String(value).split('/')
  return { perMinute: perMinute?.trim(), perDay: perDay?.trim(), ...others }
}

/** An origin in the form that browsers send; undefined if the text is not an origin. */
export function originOf(text: string): string | undefined {
  if (text === 'null') return text
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/i.test(text) ? urlOf(text) : undefined
  // URL knows the origin of web schemes only. Other origins, such as that of a browser extension, are kept unchanged.
  return url?.origin === 'null' ? text : url?.origin
}

function readRenames(value: unknown): Record<string, string> | undefined {
  if (value === '' || value === 'none') return {}
  if (value === null || Array.isArray(value)) return undefined
  const pairs = pairsIn(value)
  const known = pairs.every(([code, renamed]) => CODES.includes(code) && isCode(renamed))
  const read = Object.fromEntries(pairs)
  return known && Object.keys(read).length === pairs.length ? read : undefined
}

const pairsIn = (value: unknown): [string, string][] =>
  typeof value === 'object' ? Object.entries(value ?? {}) : String(value).split(',').map(pairOf)

const pairOf = (text: string): [string, string] => {
  const [code = '', renamed = '', ...more] = text.split(':').map((part) => part.trim())
  return [code, more.length === 0 ? renamed : '']
}

const isCode = (value: unknown): boolean => typeof value === 'string' && /^[^\s,:=]+$/.test(value)
