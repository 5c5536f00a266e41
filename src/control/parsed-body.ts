import { parseJson } from '../contract/openapi/json.ts'
import type { Message } from '../world/traffic/exchange.ts'

export const NOT_JSON = Symbol()

/** Every search compares the same bodies, so what was parsed stays with its message. */
const parsed = new WeakMap<Message, unknown>()

/** The last one, whatever its size: all waiting calls compare a new exchange at the same time. */
let latest: { readonly message: Message; readonly body: unknown } | undefined

/** The JSON value of a request's body; NOT_JSON where it is none. */
export function parsedBody(message: Message): unknown {
  if (latest?.message === message) return latest.body
  if (parsed.has(message)) return parsed.get(message)
  const body = parse(message.body)
  if (isCounted(message.body, body)) parsed.set(message, body)
  latest = { message, body }
  return body
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return NOT_JSON
  }
}

/**
 * Whether a value takes no more memory than the journal has counted for its text: two bytes for each character, of
 * which a text in Latin-1 takes one.
 */
const isCounted = (text: string, value: unknown): boolean =>
  !BEYOND_LATIN_1.test(text) && roomAfter(value, text.length + SPARE) >= 0

const BEYOND_LATIN_1 = /[^\0-\xff]/

/** Values up to this size are within the count of any exchange. */
const SPARE = 256

/** The bytes of a value beside its characters and its members. */
const VALUE = 24

/** How many bytes are left after a value; below zero if it takes more. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - VALUE - value.length
  if (typeof value !== 'object' || value === null) return room - VALUE
  let left = room - VALUE
  for (const [name, member] of Object.entries(value)) {
    if (left < 0) return left
    left = roomAfter(member, left - name.length)
  }
  return left
}
