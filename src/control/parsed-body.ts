import { jsonOf } from '../contract/openapi/json.ts'
import type { Message } from '../world/traffic/exchange.ts'

/** Kept with the message, because every search parses the same bodies. */
const parsed = new WeakMap<Message, unknown>()

/** The last parsed body, of any size: all waiting calls compare a new exchange at the same time. */
let latest: { readonly message: Message; readonly body: unknown } | undefined

/** The JSON value of a message body; undefined if it is not JSON. */
export function parsedBody(message: Message): unknown {
  if (latest?.message === message) return latest.body
  if (parsed.has(message)) return parsed.get(message)
  const body = jsonOf(message.body)
  if (isCounted(message.body, body)) parsed.set(message, body)
  latest = { message, body }
  return body
}

/**
 * Whether a value takes no more memory than the journal counts for its text. It counts two bytes per character, and a
 * Latin-1 text uses one.
 */
const isCounted = (text: string, value: unknown): boolean =>
  !BEYOND_LATIN_1.test(text) && roomAfter(value, text.length + SPARE) >= 0

const BEYOND_LATIN_1 = /[^\0-\xff]/

/** Any exchange is counted with at least this many spare bytes. */
const SPARE = 256

/** The bytes of a value without its characters and members. */
const VALUE = 24

/** The room that is left after a value; negative if the value takes more. */
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
