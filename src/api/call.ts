import type { Decision } from '../contract/generated/control.types.d.ts'
import type { Operation, Route } from '../contract/openapi/contract.ts'
import { MOST_NAMED } from '../text/listed.ts'
import { ApiError, type ApiErrorCode } from '../world/api-error.ts'
import type { Command } from '../world/command.ts'
import type { WireFault } from '../world/faults/fault.ts'
import type { BuiltInKey } from '../world/keys/key.ts'
import type { ChargeResult, Quota } from '../world/limits/meter.ts'
import type { PlanName } from '../world/plan.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import type { Acted, Changed, Reason } from '../world/traffic/reason.ts'
import type { World } from '../world/world.ts'

export interface Caller {
  /** Without the suffix that names a namespace. */
  readonly key: string
  readonly plan: PlanName
  readonly trigger: BuiltInKey | undefined
}

/** One request in progress: what each step has found about it. */
export interface Call {
  readonly command: Command
  readonly request: Request
  /** As it was sent; `path` includes the base. */
  readonly path: string
  readonly query: string
  /** Whether the path lies under the base. */
  readonly inside: boolean
  readonly route: Route | undefined
  readonly operation: Operation | undefined
  readonly params: Readonly<Record<string, string>>
  readonly malformed: boolean
  /** Real time of its arrival, in milliseconds. */
  readonly arrived: number
  /** The namespace's clock reads `now`; until the caller is known it is `default`'s. */
  world: World
  /** The epoch of its world when the request was admitted; undefined until then. */
  epoch: number | undefined
  now: number
  id: string
  caller: Caller | undefined
  /** The key as sent, valid or not. */
  sentKey: string | undefined
  charged: ChargeResult | undefined
  /** Undefined where no valid key came. */
  quota: Quota | undefined
  decision: Decision
  /** Seconds of `Retry-After`, where a window or a ban refused the request. */
  retryAfter: number | undefined
  ignored: readonly string[]
  /** How many more of them there were than are named. */
  ignoredMore: number
  /** The change by the request, even if its answer was lost. */
  changed: Changed | undefined
  /** The effect of a fault rule or a trigger key. */
  acted: Acted | undefined
  duplicateOf: string | undefined
  /** Violations of the contract, in sentences; undefined if they are not looked for. */
  violations: readonly string[] | undefined
  /** Resolves once what the answer may have seen is durable; undefined if nothing is waiting. */
  durable: Promise<void> | undefined
  /** Resolves once the answer that ended its hold has been sent: its own is sent after that. */
  sentBefore: Promise<void> | undefined
}

/** The answer of a step; decorate converts it to a reply. */
export interface Answer {
  readonly status: number
  /** Flat: name, value, … */
  readonly headers?: readonly string[]
  /** A value that is sent as JSON, a text that already is, or nothing. */
  readonly body?: unknown
  readonly text?: string
  /** application/json unless given. */
  readonly mediaType?: string
  /** `code`: of the catalogue, or what a fault rule says. */
  readonly refusal?: { readonly code: ApiErrorCode | (string & {}); readonly message: string }
  /** Why it is answered so, where that is neither the refusal nor that it was served. */
  readonly reason?: Reason
  /** The complete reply, where another service has made it. */
  readonly reply?: Reply
  readonly wire?: WireFault
  readonly close?: true
}

/** Admits a request to its namespace: it gets its id there. `isRecorded`: an exchange is recorded once it has ended. */
export function begin(call: Call, isRecorded = true): void {
  call.command.isRequest = true
  call.world.begin(call.command, isRecorded)
  call.id = call.world.nextRequestId()
  call.epoch = call.world.epoch
}

/**
 * Records the exchange of a call in its namespace, unless that was dropped meanwhile. `isAmended`: in place of the one
 * that was recorded.
 */
export type Keep = (call: Call, exchange: Exchange, isAmended?: true) => void

/** The refusal of a request whose world was rewound while the request waited; undefined if it was not. */
export const rewoundMeanwhile = ({ world, epoch }: Call): ApiError | undefined =>
  epoch === undefined || epoch === world.epoch
    ? undefined
    : new ApiError('service_unavailable', `The namespace ${world.name} was rewound meanwhile.`, [
        'Retry-After',
        '1',
      ])

/** A request from before a rewind must not change the state after it. */
export function refuseIfRewound(call: Call): void {
  const refusal = rewoundMeanwhile(call)
  if (refusal) throw refusal
}

/** Records inputs that the interface does not know: the first of them by name, the others as a number. */
export function ignore(call: Call, kind: 'parameter' | 'field', names: readonly string[]): void {
  if (names.length === 0) return
  const named = names.slice(0, MOST_NAMED - call.ignored.length)
  call.ignored = [...call.ignored, ...named.map((name) => `${kind} ${name}`)]
  call.ignoredMore += names.length - named.length
}
