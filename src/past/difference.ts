import { jsonOrText, stringifyJson } from '../contract/openapi/json.ts'
import { firstCharacters } from '../text/shorten.ts'
import { fieldPairs, fieldValue, fieldValues, type Request } from '../world/traffic/message.ts'
import type { RecordedReply, RecordedRequest } from './recording.ts'

/** The first difference between two replies to the same request. */
export interface ReplyDifference {
  /** `status`, `header Retry-After`, `body $[0].name`. */
  readonly where: string
  /** Null if it was missing. */
  readonly was: string | null
  readonly is: string | null
}

/** Identifies a request of a recording. */
export interface RequestName {
  /** The number of its command. */
  readonly command: number
  /** `POST /v1/pets` */
  readonly request: string
  /** `req_000007`; null for a control call. */
  readonly requestId: string | null
}

export const requestName = (
  command: number,
  { method, target }: Pick<Request, 'method' | 'target'>,
  reply: RecordedReply | undefined,
): RequestName => ({
  command,
  request: `${method} ${target}`,
  requestId: (reply && fieldValue(reply.headers, 'x-request-id')) ?? null,
})

/** The first reply that differs from the recorded one. */
export interface RecordingDifference extends ReplyDifference, RequestName {}

export interface Replay {
  /** The number of applied commands. */
  readonly commands: number
  /** The number of compared replies. */
  readonly compared: number
  readonly difference?: RecordingDifference
  /** Notices for users: another version, a recording that was cut off. */
  readonly notices: readonly string[]
}

/** The first difference; undefined if there is none. */
export function replyDifference(was: RecordedReply, is: RecordedReply): ReplyDifference | undefined {
  if (was.status !== is.status) return { where: 'status', was: String(was.status), is: String(is.status) }
  if (was.wire !== is.wire) return { where: 'connection', was: was.wire ?? 'whole', is: is.wire ?? 'whole' }
  return bodyDifference(was, is) ?? headerDifference(was.headers, is.headers)
}

function headerDifference(was: readonly string[], is: readonly string[]): ReplyDifference | undefined {
  if (was.length === is.length && was.every((text, i) => text === is[i])) return undefined
  const names = new Set([...fieldPairs(was), ...fieldPairs(is)].map(([name]) => name.toLowerCase()))
  for (const name of names) {
    const [before, now] = [fieldValues(was, name).join(', '), fieldValues(is, name).join(', ')]
    if (before === now) continue
    const shown = [...was, ...is].find((each) => each.toLowerCase() === name) ?? name
    return { where: `header ${shown}`, was: before || null, is: now || null }
  }
  return undefined
}

function bodyDifference(was: RecordedReply, is: RecordedReply): ReplyDifference | undefined {
  const [before, now] = [contentOf(was), contentOf(is)]
  if (before === now) return undefined
  const path = pathOfDifference(before && jsonOrText(before), now && jsonOrText(now), '$')
  return path ?? { where: 'body', was: before ?? null, is: now ?? null }
}

/** The body of a message, or the digest of one that is not recorded. */
export function contentOf(message: RecordedReply | RecordedRequest): string | undefined {
  if ('sha256' in message) return `sha256 ${message.sha256}`
  if ('base64' in message) return `base64 ${message.base64}`
  return message.body
}

const hasMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The first path at which two JSON values differ. */
export function pathOfDifference(was: unknown, is: unknown, path: string): ReplyDifference | undefined {
  if (hasMembers(was) && hasMembers(is) && Array.isArray(was) === Array.isArray(is)) {
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const inner = Array.isArray(was) ? `${path}[${name}]` : `${path}.${name}`
      const found = pathOfDifference(memberOf(was, name), memberOf(is, name), inner)
      if (found) return found
    }
    return undefined
  }
  return was === is ? undefined : { where: `body ${path}`, was: shown(was), is: shown(is) }
}

const memberOf = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined

const shown = (value: unknown): string | null =>
  value === undefined ? null : shortenValue(stringifyJson(value))

/** The beginning of a long value, without an ellipsis: a secret that is cut is found at the end of a text. */
export const shortenValue = (text: string): string => firstCharacters(text, 500)
