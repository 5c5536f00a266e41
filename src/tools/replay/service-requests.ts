import type { Replay } from '../../past/difference.ts'
import { addedFault, faultIn, faultOf, type StatusFault } from '../../past/recorded-faults.ts'
import type { RecordedCommand, RecordedReply, RecordedRequest, Recording } from '../../past/recording.ts'
import { plural } from '../../text/plural.ts'
import { outcomeText } from '../../views/replay.ts'
import { bearerToken, splitToken } from '../../world/keys/bearer-token.ts'
import { builtInKey } from '../../world/keys/built-in-keys.ts'
import { isCredential } from '../../world/keys/named-values.ts'
import { withoutOrigin } from '../../world/traffic/address.ts'
import { fieldPairs, fieldValue } from '../../world/traffic/message.ts'
import { DEFAULT_NAMESPACE } from '../../world/worlds.ts'

/** A recorded request in the form in which it is sent to another service. */
export interface ReplayedRequest {
  readonly command: RecordedCommand
  /** The target after /v1. */
  readonly path: string
  /** Flat: name, value, … with the key of the service. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | undefined
  /** The namespace to which ids in the request belong. */
  readonly namespace: string
  readonly was: RecordedReply
  /** False if a fault replaced the reply to what was carried out. */
  readonly isCompared: boolean
}

/** The reason why a request is not sent, in words. */
const SKIPPED = {
  fault: 'answered by a fault',
  prefer: 'answered as the header Prefer asked',
  'trigger-key': 'answered by a trigger key',
  'not-described': 'that the interface does not describe',
  outside: 'outside /v1',
  'no-reply': 'without a recorded response',
  'not-sendable': 'with a body or header fields that cannot be sent',
} as const

type SkipReason = keyof typeof SKIPPED

/** The result of a replay against another service. `commands`: how many requests were sent. */
export interface ServiceReplay extends Replay {
  readonly service: string
  readonly skipped: readonly ServicePlan['skipped'][number][]
  /** The number of replies that differ. */
  readonly differing: number
}

export type ServicePlan = ReturnType<typeof planRequests>

/**
 * The requests of a recording that are sent to another service. `keys`: the keys of the service, by those of the
 * recording, with or without a suffix.
 */
export function planRequests(
  { head, replies }: Recording,
  commands: readonly RecordedCommand[],
  keys: ReadonlyMap<string, string>,
) {
  const faults = [head.options.faults].flat().flatMap((rule) => faultIn(rule, undefined))
  const requests: ReplayedRequest[] = []
  const skipped = new Map<SkipReason, number>()
  const changes = new Set<string>()
  const unknownKeys = new Set<string>()
  for (const command of commands) {
    const { n, request } = command
    const control = CONTROL.exec(withoutOrigin(request.target))?.[1]
    if (control !== undefined) {
      if (request.method !== 'GET' && !WITHOUT_EFFECT.test(control))
        changes.add(`${request.method} /_sandbox/${control.split('/', 2)[1]}`)
      if (request.method === 'POST' && control === '/faults') faults.push(...addedFault(request))
      continue
    }
    const planned = planRequest(command, replies.get(n), faults, keys)
    if ('reason' in planned) skipped.set(planned.reason, (skipped.get(planned.reason) ?? 0) + 1)
    else if ('unknownKey' in planned) unknownKeys.add(planned.unknownKey)
    else requests.push(planned)
  }
  return {
    requests,
    skipped: [...skipped].map(([reason, count]) => ({ reason, requests: count })),
    /** Control calls that changed the sandbox, each once, by the first part of their path: `POST /_sandbox/keys`. */
    changes: [...changes],
    /** Keys of the recording for which no key of the service was given. */
    unknownKeys: [...unknownKeys],
  }
}

type PlannedRequest = ReplayedRequest | { readonly reason: SkipReason } | { readonly unknownKey: string }

function planRequest(
  command: RecordedCommand,
  was: RecordedReply | undefined,
  faults: readonly StatusFault[],
  keys: ReadonlyMap<string, string>,
): PlannedRequest {
  const { request } = command
  const path = INSIDE.exec(withoutOrigin(request.target))?.[1]
  if (path === undefined) return { reason: 'outside' }
  if (!isSendable(request, path)) return { reason: 'not-sendable' }
  if (UNDESCRIBED_METHODS.has(request.method) || NOT_DESCRIBED.test(path)) return { reason: 'not-described' }
  if (!was || !Array.isArray(was.headers)) return { reason: 'no-reply' }
  // The sandbox does not read the body of a request with an invalid key.
  if (request.tooLarge && was.status !== 401) return { reason: 'not-sendable' }
  if (fieldValue(was.headers, 'preference-applied') !== undefined) return { reason: 'prefer' }
  const token = bearerToken(fieldValue(request.headers, 'authorization'))
  const { key, namespace = DEFAULT_NAMESPACE } = splitToken(token)
  const fault = faultOf(request, path, namespace, was, faults)
  if (fault && !fault.isCarriedOut) return { reason: 'fault' }
  // A key that the sandbox refused is sent unchanged: the service will refuse it too.
  const isRefused = !token || was.status === 401
  const other = isRefused ? undefined : (keys.get(token) ?? keys.get(key))
  if (!isRefused && isTriggered(key, path, was.status)) return { reason: 'trigger-key' }
  if (!isRefused && other === undefined) return { unknownKey: key }
  const sent = { headers: headersOf(request.headers, other), body: bodyOf(request) }
  return { command, path, ...sent, namespace: isRefused ? '' : namespace, was, isCompared: !fault }
}

const INSIDE = /^\/v1(?=[/?]|$)(.*)$/
const CONTROL = /^\/_sandbox(?=[/?]|$)([^?]*)/

/** Control calls that do not affect later answers. */
const WITHOUT_EFFECT = /^\/(?:label|requests|snapshots\/[^/]+|holds\/[^/]+\/release)$/

/** Methods that the interface does not describe; their responses have no body that explains a difference. */
const UNDESCRIBED_METHODS = new Set(['HEAD', 'OPTIONS'])

/** The interface names it without describing it (section 4.4). */
const NOT_DESCRIBED = /^\/store\/orders(?:[/?]|$)/

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\u{20}-\u{7e}\u{80}-\u{ff}]*$/u
const PATH = /^[\u{21}-\u{ff}]*$/u

const isSendable = ({ method, headers }: RecordedRequest, path: string): boolean =>
  METHODS.has(method) &&
  PATH.test(path) &&
  !leavesBase(path) &&
  headers.every((text, i) => (i % 2 === 0 ? NAME : VALUE).test(text))

/** The limit of percent-encodings on top of each other. */
const MAX_LAYERS = 4

/** Whether a service that resolves `..`, in any encoding, would leave its base path. */
function leavesBase(path: string): boolean {
  let plain = path.replace(/\?.*/s, '')
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    if (plain.split(/[/\\]/).some((part) => /^\.\.?(?:;|$)/.test(part))) return true
    plain = plain.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent)
  }
  return false
}

/** Whether a reply was caused by a trigger key, which another service does not have. */
function isTriggered(key: string, path: string, status: number): boolean {
  const { armed, collection, removed } = builtInKey(key) ?? {}
  if (collection) return true
  return removed ? /^\/pets\/./.test(path) : armed !== undefined && (status === 429 || status === 403)
}

/** Fields of the connection and of proxies, and fields that cannot be repeated. Credentials are cut in a recording. */
const DROPPED = ['host', 'content-length', 'transfer-encoding', 'accept-encoding', 'expect', 'cdn-loop']

const headersOf = (headers: readonly string[], key: string | undefined): string[] =>
  fieldPairs(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    if (lower === 'authorization') return [name, key === undefined ? value : `Bearer ${key}`]
    return DROPPED.includes(lower) || isCredential(lower) ? [] : [name, value]
  })

function bodyOf(request: RecordedRequest): string | Uint8Array | undefined {
  if ('base64' in request) return Buffer.from(`${request.base64}`, 'base64')
  return 'body' in request && request.body !== undefined ? `${request.body}` : undefined
}

/** The result of a replay against another service, for people. */
export function serviceReplayText(replay: ServiceReplay): string {
  const { service, commands, differing, skipped, notices } = replay
  const outcome = outcomeText(replay, 'agrees with the recording', 'agree with the recording')
  const more =
    differing > 1 ? `${plural(differing - 1, 'more response differs', 'more responses differ')}.\n` : ''
  return [
    ...notices,
    ...skipped.map(({ reason, requests }) => `${plural(requests, 'request')} skipped: ${SKIPPED[reason]}.`),
    `Sent ${plural(commands, 'request')} to ${service}. ${outcome}${more}`,
  ].join('\n')
}
