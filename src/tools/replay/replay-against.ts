import { setTimeout } from 'node:timers/promises'
import { Unreachable } from '../../client/control-error.ts'
import { UsageError } from '../../config/usage-error.ts'
import { type RecordingDifference, type ReplyDifference, requestName } from '../../past/difference.ts'
import { plural } from '../../text/plural.ts'
import { shellWord } from '../../text/shell.ts'
import { withoutSlashes } from '../../text/url.ts'
import { formatDuration } from '../../time/duration.ts'
import { LONGEST_TIMER } from '../../web/timers.ts'
import { ApiError } from '../../world/api-error.ts'
import { Secrets } from '../../world/keys/secrets.ts'
import { BASE_PATH, DEFAULT_ORIGIN } from '../../world/traffic/address.ts'
import type { Reply } from '../../world/traffic/message.ts'
import { decompressBody } from '../proxy/decode.ts'
import { createForward, FORWARD_TIMEOUT } from '../proxy/forward.ts'
import { commandsUntil, type ReplayOptions, readReplayable } from './replayable.ts'
import { serviceDifference } from './service-difference.ts'
import { ServiceIds } from './service-ids.ts'
import {
  planRequests,
  type ReplayedRequest,
  type ServicePlan,
  type ServiceReplay,
} from './service-requests.ts'

export interface AgainstOptions extends ReplayOptions {
  /** The keys of the service, by the keys of the recording. */
  readonly keys: ReadonlyMap<string, string>
  /** Waits between requests as long as in the recording. */
  readonly paced?: boolean
  /** The time limit of one response, in milliseconds. */
  readonly timeout?: number
  /** When it aborts, nothing more is sent. */
  readonly signal: AbortSignal
  readonly sleep?: (ms: number, value: undefined, until: { signal: AbortSignal }) => Promise<unknown>
  readonly onWait?: (milliseconds: number) => void
}

/**
 * Sends the recorded requests to the Animal Store to another service, one after the other, and compares the replies.
 * Rejects with a RecordingError, with a UsageError that lists missing keys, or with an Unreachable if there is no
 * response.
 */
export async function replayAgainst(
  file: string,
  baseUrl: string,
  options: AgainstOptions,
): Promise<ServiceReplay> {
  const { until, keys, signal, timeout = FORWARD_TIMEOUT } = options
  const service = serviceOf(baseUrl)
  const { recording, notices, isHar } = await readReplayable(file)
  const plan = planRequests(recording, commandsUntil(recording, until), keys)
  refuseUnfit(plan)
  const secrets = new Secrets()
  secrets.add(keys.values())
  const send = createSend(service, signal, timeout, secrets)
  const waitForTurn = createPacing(options)
  const ids = new Map<string, ServiceIds>()
  const found: RecordingDifference[] = []
  let [sent, compared] = [0, 0]
  for (const request of plan.requests) {
    const known = ids.get(request.namespace) ?? new ServiceIds()
    ids.set(request.namespace, known)
    const sending = waitForTurn(request.command.at).then(() => send(request, known))
    const reply = await sending.catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (!reply) break
    const difference = await compare(request, reply, known)
    sent++
    if (request.isCompared) compared++
    if (difference) found.push(shownDifference(request, difference, secrets))
    // After a different status, later differences say nothing; and a client that was refused should stop.
    if (difference?.where === 'status') break
  }
  return {
    service,
    commands: sent,
    compared,
    differing: found.length,
    ...(found[0] && { difference: found[0] }),
    skipped: plan.skipped,
    notices: [...(isHar ? [FROM_UNKNOWN] : []), ...notices, ...noticesOf(plan, sent, signal)],
  }
}

const FROM_UNKNOWN =
  'A HAR has no state: responses differ if the service has other pets than the one that the browser used.'

/** The returned function waits before a request recorded at `at`, as long as the recording did since the one before. */
function createPacing({ paced = false, signal, sleep = setTimeout, onWait = () => {} }: AgainstOptions) {
  let last: { readonly at: number; readonly sentAt: number } | undefined
  return async (at: number): Promise<void> => {
    const pause = paced && last ? last.sentAt + Math.max(0, at - last.at) - performance.now() : 0
    if (pause > 0) {
      onWait(pause)
      await sleep(Math.min(pause, LONGEST_TIMER), undefined, { signal })
    }
    last = { at, sentAt: performance.now() }
  }
}

/** The base URL without a trailing slash; /v1 is added to an origin. */
function serviceOf(text: string): string {
  const { origin, pathname } = new URL(text)
  const path = withoutSlashes(pathname)
  if (path === '' || path.endsWith(BASE_PATH)) return origin + (path || BASE_PATH)
  const problem = `"${text}" is not the base URL of an Animal Store, which ends in ${BASE_PATH}`
  throw new UsageError(problem, `use one such as ${DEFAULT_ORIGIN}${BASE_PATH}`)
}

function refuseUnfit({ requests, unknownKeys }: ServicePlan): void {
  if (unknownKeys.length > 0) {
    // A recording may come from anywhere, and users paste this into a shell.
    const flags = unknownKeys.map((key) => `--key ${shellWord(`${key}=${variableFor(key)}`)}`).join(' ')
    const use = `Name an environment variable with a key of the service for each: ${flags}`
    throw new UsageError(`The recording uses the keys ${unknownKeys.join(', ')}`, use)
  }
  if (requests.length === 0)
    throw new UsageError(
      'The recording has no request that another service could answer',
      'Record requests to /v1',
    )
}

const variableFor = (key: string): string => `SERVICE_${key.replace(/\W/g, '_').toUpperCase()}`

/** Sends requests to this service only: redirects are not followed. */
function createSend(service: string, signal: AbortSignal, timeout: number, secrets: Secrets) {
  const forward = createForward(service, signal, timeout)
  return async ({ command, path, headers, body }: ReplayedRequest, ids: ServiceIds): Promise<Reply> => {
    const { method } = command.request
    const sentBody = typeof body === 'string' ? Buffer.from(ids.body(body)) : body
    const target = ids.path(path)
    try {
      const request = { method, target, headers, body: sentBody, tooLarge: false, address: undefined }
      return await forward(request, target, true)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const why =
        error.code === 'gateway_timeout'
          ? `${service} sent no complete response within ${formatDuration(timeout)}`
          : error.message.replace(/\.$/, '')
      const about = `${method} ${target}, command ${command.n} of the recording`
      const fix = 'Check that the service is running and that the address is correct'
      throw new Unreachable(secrets.mask(`${why} (${about})`), fix)
    }
  }
}

async function compare(
  { was, isCompared }: ReplayedRequest,
  { status, headers, body: bytes }: Reply,
  ids: ServiceIds,
): Promise<ReplyDifference | undefined> {
  if (!isCompared) return undefined
  const { body, unreadable } = await decompressBody(headers, bytes)
  if (unreadable !== undefined) return { where: 'body', was: 'readable', is: `not readable: ${unreadable}` }
  return serviceDifference(was, { status, headers, body }, ids)
}

function shownDifference(
  { command: { n, request }, was }: ReplayedRequest,
  difference: ReplyDifference,
  secrets: Secrets,
): RecordingDifference {
  // Long values are cut, possibly within a key.
  const masked = (text: string | null) => (text === null ? null : secrets.masks.text(text, true))
  const values = { was: masked(difference.was), is: masked(difference.is) }
  return { ...requestName(n, request, was), where: secrets.mask(difference.where), ...values }
}

function noticesOf({ requests, changes }: ServicePlan, sent: number, signal: AbortSignal): string[] {
  const namespaces = new Set(requests.map(({ namespace }) => namespace).filter(Boolean)).size
  const left = requests.length - sent
  return [
    changes.length > 0 &&
      `The sandbox was changed by control calls, which are not sent (${changes.join(', ')}): responses that depend on them may differ.`,
    namespaces > 1 &&
      `The requests of ${namespaces} namespaces go to one service, where their pets come together.`,
    left > 0 &&
      (signal.aborted
        ? `${plural(left, 'request has', 'requests have')} no response: ${signal.reason.message}.`
        : `${plural(left, 'request')} after that response: not sent, since its status differs.`),
  ].filter((notice) => notice !== false)
}
