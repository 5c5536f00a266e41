import { grouped } from '../text/grouped.ts'
import { urlOf } from '../text/url.ts'
import { BASE_PATH, splitTarget } from '../world/traffic/address.ts'
import { fieldPairs, fieldValue } from '../world/traffic/message.ts'
import {
  contentOf,
  type ReplyDifference,
  type RequestName,
  replyDifference,
  requestName,
} from './difference.ts'
import type { RecordedCommand, RecordedReply, RecordedRequest, Recording } from './recording.ts'

/** The first request of a namespace that differs in the second recording. */
export interface RequestDifference {
  /**
   * `reply`: the same request had another reply; `request`: another request was sent; `inserted` and `missing`: only
   * the second or only the first recording has the request.
   */
  readonly kind: 'reply' | 'request' | 'inserted' | 'missing'
  readonly namespace: string
  readonly a: RequestName | null
  readonly b: RequestName | null
  /** The difference of the two requests, or of their replies. */
  readonly difference?: ReplyDifference
}

type Found = RequestDifference | undefined

interface Exchanged {
  readonly command: RecordedCommand
  readonly reply: RecordedReply | undefined
  readonly origin: string
  /** Requests with the same key are the same request. */
  readonly key: string
}

/** A common request is searched for within this number of requests. */
const MAX_DISTANCE = 1000

/**
 * The first request that differs, where the requests of each namespace are compared in their order. Instants and
 * waiting times are ignored, since they differ in every run. `only`: compares this namespace only.
 */
export function recordingsDifference(a: Recording, b: Recording, only?: string): Found {
  const [before, after] = [byNamespace(a), byNamespace(b)]
  const names = only === undefined ? [...new Set([...before.keys(), ...after.keys()])] : [only]
  const differenceIn = (name: string) => firstDifference(name, before.get(name) ?? [], after.get(name) ?? [])
  const found = names.flatMap((name) => differenceIn(name) ?? [])
  return found.toSorted((one, other) => placeOf(one) - placeOf(other))[0]
}

const placeOf = ({ a, b }: RequestDifference): number =>
  Math.min(a?.command ?? Infinity, b?.command ?? Infinity)

function firstDifference(namespace: string, a: readonly Exchanged[], b: readonly Exchanged[]): Found {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [was, is] = [a[i], b[i]]
    if (was && is && was.key === is.key) {
      const difference = replyDifferenceOf(was, is)
      if (difference) return { kind: 'reply', namespace, a: nameOf(was), b: nameOf(is), difference }
      continue
    }
    const inserted = was ? distanceTo(was.key, b, i) : Infinity
    const missing = is ? distanceTo(is.key, a, i) : Infinity
    if (is && (!was || inserted < missing)) return { kind: 'inserted', namespace, a: null, b: nameOf(is) }
    if (was && (!is || missing < inserted)) return { kind: 'missing', namespace, a: nameOf(was), b: null }
    if (was && is) {
      const difference = requestDifferenceOf(was.command.request, is.command.request)
      return { kind: 'request', namespace, a: nameOf(was), b: nameOf(is), ...(difference && { difference }) }
    }
  }
  return undefined
}

/** The distance to the next request with this key, in requests. */
function distanceTo(key: string, exchanged: readonly Exchanged[], from: number): number {
  const at = exchanged.slice(from, from + MAX_DISTANCE).findIndex((each) => each.key === key)
  return at < 0 ? Infinity : at
}

function replyDifferenceOf({ reply: was, origin }: Exchanged, is: Exchanged): ReplyDifference | undefined {
  if (was && is.reply) return replyDifference(withoutTimes(was, origin), withoutTimes(is.reply, is.origin))
  const shown = (reply?: RecordedReply) => (reply ? `status ${reply.status}` : null)
  return was || is.reply ? { where: 'reply', was: shown(was), is: shown(is.reply) } : undefined
}

/** Requests of the same method and target, which differ in key or body. */
function requestDifferenceOf(was: RecordedRequest, is: RecordedRequest): ReplyDifference | undefined {
  if (was.method !== is.method || was.target !== is.target) return undefined
  const asReply = (request: RecordedRequest): RecordedReply => {
    const { headers, ...content } = request
    return { ...content, status: 0, headers: ['Authorization', fieldValue(headers, 'authorization') ?? ''] }
  }
  return replyDifference(asReply(was), asReply(is))
}

const nameOf = ({ command, reply }: Exchanged): RequestName => requestName(command.n, command.request, reply)

const byNamespace = ({ head, commands, replies }: Recording): Map<string, Exchanged[]> =>
  grouped(
    commands.map((command) => {
      const reply = replies.get(command.n)
      return { command, reply, origin: head.origin, key: keyOf(command.request) }
    }),
    ({ command }) => namespaceOf(command.request),
  )

/** The namespace of a request, as its target or its key names it. */
function namespaceOf({ target, headers }: RecordedRequest): string {
  const named = new URLSearchParams(splitTarget(target).query).get('namespace')
  const suffix = /\.([A-Za-z0-9_-]{1,64})$/.exec(fieldValue(headers, 'authorization') ?? '')?.[1]
  return (target.startsWith(BASE_PATH) ? suffix : named) ?? 'default'
}

function keyOf(request: RecordedRequest): string {
  const { method, target, headers } = request
  const authorization = fieldValue(headers, 'authorization') ?? ''
  return JSON.stringify([method, target, authorization, contentOf(request)])
}

/** Replaces an instant or a waiting time in a compared reply. */
const TIME = '(time)'

const TIMES_IN_TEXT = [
  /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g,
  /\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/g,
  /\b\d+ seconds?\b/g,
  /(?<="(?:ms|earlyMs|seconds)":)\d+/g,
  /(?<="(?:x-ratelimit-reset|retry-after)":")\d+/g,
]
/** Header fields whose values are instants or waiting times, or depend on their length. */
const TIMES_IN_FIELDS = ['date', 'retry-after', 'x-ratelimit-reset', 'content-length']

/** A reply without values that differ in each run: instants, waiting times, and the address of the sandbox. */
function withoutTimes(reply: RecordedReply, origin: string): RecordedReply {
  const headers = fieldPairs(reply.headers).flatMap(([name, value]) => [
    name,
    TIMES_IN_FIELDS.includes(name.toLowerCase()) ? TIME : value,
  ])
  if (!('body' in reply) || reply.body === undefined) return { ...reply, headers }
  const host = urlOf(origin)?.host
  let body = host ? reply.body.replaceAll(host, '(host)') : reply.body
  for (const pattern of TIMES_IN_TEXT) body = body.replace(pattern, TIME)
  return { ...reply, headers, body }
}
