import type { Decision } from '../contract/generated/control.types.d.ts'
import type { Resolution } from '../contract/openapi/contract.ts'
import { MAX_NAMED } from '../text/listed.ts'
import { ApiError, type ApiErrorCode } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import type { WireFault } from '../world/faults/fault.ts'
import type { BuiltInKey } from '../world/keys/built-in-keys.ts'
import type { ChargeResult, earlyBy } from '../world/limits/meter.ts'
import type { PlanName } from '../world/plan.ts'
import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'
import { type Acted, type Changed, type Reason, SERVED } from '../world/traffic/reason.ts'
import type { World } from '../world/world.ts'

export interface Caller {
  /** The key without the suffix that names a namespace. */
  readonly key: string
  readonly plan: PlanName
  readonly trigger: BuiltInKey | undefined
}

/** A request in progress, and what the steps have found out about it. */
export interface Call extends Resolution {
  readonly command: Command
  readonly request: Request
  /** The path as it was sent, with the base path. */
  readonly path: string
  readonly query: string
  /** Whether the path is under the base path. */
  readonly inside: boolean
  /** Real time of its arrival, in milliseconds. */
  readonly arrived: number
  /** The world of its namespace; that of `default` until the caller is known. */
  world: World
  /** The epoch of its world when the request was admitted; undefined until then. */
  epoch: number | undefined
  /** The time of its world. */
  now: number
  id: string
  caller: Caller | undefined
  /** The key as sent, valid or not, without the suffix that names a namespace. */
  sentKey: string | undefined
  /** The charge of its windows; undefined without a valid key. */
  charged: ChargeResult | undefined
  decision: Decision
  /** The seconds of `Retry-After`, if a window or a ban refused the request. */
  retryAfter: number | undefined
  /** How early it came; undefined if its key did not have to wait. */
  early: ReturnType<typeof earlyBy>
  ignored: readonly string[]
  /** The number of other ignored inputs, which are not named. */
  ignoredMore: number
  /** The change by the request, even if its answer was lost. */
  changed: Changed | undefined
  /** The effect of a fault rule or a trigger key. */
  acted: Acted | undefined
  duplicateOf: string | undefined
  /** Violations of the contract, in sentences; undefined if they were not checked. */
  violations: readonly string[] | undefined
  /** About how many bytes are counted for it because its answer is delayed. */
  delayed: number
  /** Resolves once every change is durable that the answer may depend on; undefined if none is waiting. */
  durable: Promise<void> | undefined
  /** Resolves once the answer that ended its hold was sent; its own answer follows. */
  sentBefore: Promise<void> | undefined
}

/** The answer of a step; decorate converts it to a reply. */
export interface Answer {
  readonly status: number
  /** Flat: name, value, … */
  readonly headers?: readonly string[]
  readonly text?: string
  /** By default application/json. */
  readonly mediaType?: string
  /** `isFinal`: the code is that of a fault rule, which no decision renames. */
  readonly refusal?: {
    readonly code: ApiErrorCode | (string & {})
    readonly message: string
    readonly isFinal?: true
  }
  /** The reason of the answer, if neither refused nor simply served. */
  readonly reason?: Reason
  /** The complete reply, if another service made it. */
  readonly reply?: Reply
  readonly wire?: WireFault
  readonly close?: true
}

export const reasonOf = ({ reason, refusal }: Answer): Reason => reason ?? refusal ?? SERVED

/** The answer for a refusal. A 413 closes the connection, because its body was not read to the end. */
export const errorAnswer = ({ code, message, status, headers }: ApiError): Answer => ({
  status,
  headers,
  refusal: { code, message },
  ...(code === 'body_too_large' && { close: true }),
})

/** Gives a request an id in its namespace. `isRecorded`: its exchange is recorded when it ends. */
export function begin(call: Call, isRecorded = true): void {
  call.world.watch.begin(call.command, isRecorded)
  call.id = call.world.nextRequestId()
  call.epoch = call.world.epoch
}

/** The refusal of a request whose world was rewound while it waited; undefined if it was not rewound. */
export const rewoundMeanwhile = ({ world, epoch }: Call): ApiError | undefined =>
  epoch === undefined || epoch === world.epoch
    ? undefined
    : new ApiError('service_unavailable', `The namespace ${world.name} was ${world.cancelled} meanwhile.`)

/** A request from before a rewind must not change the state after it. */
export function refuseIfRewound(call: Call): void {
  const refusal = rewoundMeanwhile(call)
  if (refusal) throw refusal
}

/** Records inputs that the interface does not define: the first ones by name, the number of the others. */
export function ignore(call: Call, kind: 'parameter' | 'field', names: readonly string[]): void {
  if (names.length === 0) return
  const named = names.slice(0, MAX_NAMED - call.ignored.length)
  call.ignored = [...call.ignored, ...named.map((name) => `${kind} ${name}`)]
  call.ignoredMore += names.length - named.length
}

/** The reply waits for the changes so far. */
export function awaitChanges(call: Call, durable: (namespace: string) => Promise<void> | undefined): void {
  call.durable = durable(call.world.name)
  call.durable?.catch(() => {})
}

export const NO_BODY = new Uint8Array()

/** Notes whether this request is a possible duplicate. */
export function noteDuplicate(call: Call): void {
  const { world, now, id, request, sentKey = '' } = call
  const { body = NO_BODY } = request
  const idempotencyKey = fieldValue(request.headers, 'idempotency-key')
  call.duplicateOf = world.duplicates.note(id, now, sentKey, body, idempotencyKey)
}
