import type {
  FaultEffect,
  FaultInput,
  FaultMatch,
  FaultRule,
} from '../../contract/generated/control.types.d.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { rememberLast } from '../../text/remember-last.ts'
import { decoded } from '../../text/url.ts'
import { parseDuration } from '../../time/duration.ts'
import { iso } from '../../time/instant.ts'
import { ApiError } from '../api-error.ts'
import type { Part } from '../part.ts'
import { type OnChange, sizeOfValue } from '../pets/state-size.ts'

/** The ways in which a wire fault ends a connection, as failures of real networks do. */
export const WIRE_FAULTS = ['reset', 'empty', 'truncate', 'garbage', 'hang'] as const
export type WireFault = (typeof WIRE_FAULTS)[number]

/** The message of an injected error whose rule has none. */
export const INJECTED = 'This error was injected.'

/** The effects that replace or lose the answer, perhaps late. */
export type FailureEffect = Extract<FaultEffect, { status: number } | { wire: string }>
export type DelayEffect = Exclude<FaultEffect, FailureEffect>

/** Whether an effect only delays the answer. */
export const isDelay = (effect: FaultEffect): effect is DelayEffect =>
  !('status' in effect || 'wire' in effect)

/** The parts of a request that a rule can match. */
export type FaultSubject = Required<Pick<FaultMatch, 'method' | 'path' | 'key'>> & {
  readonly operationId: string | undefined
  readonly parameters: () => URLSearchParams
  /** The JSON value of the body; the text itself if it is not JSON. */
  readonly body: () => unknown
}

/** The limit of rules in a namespace: each request is matched against all of them. */
const MAX_FAULTS = 1000

/** The rules at one instant, and how many were ever made. */
export interface FaultsState {
  readonly rules: readonly FaultRule[]
  readonly made: number
}

/** The fault rules of a namespace, in order: the first that matches a request acts. */
export class Faults implements Part<FaultsState> {
  /** Called when a rule that breaks connections is added. */
  onWireRule: () => void = () => {}
  /** Called when rules are added or removed. */
  onChange: OnChange = () => {}
  #state: FaultsState = { rules: [], made: 0 }
  #bytes = 0

  capture(): FaultsState {
    return this.#state
  }

  /** About how many bytes its rules take. */
  get bytes(): number {
    return this.#bytes
  }

  restore(state: FaultsState): void {
    const before = this.#bytes
    this.#state = state
    this.#bytes = state.rules.reduce((bytes, rule) => bytes + sizeOfRule(rule), 0)
    this.onChange(this.#bytes - before, Math.max(0, before - this.#bytes))
    if (state.rules.some(({ effect }) => 'wire' in effect)) this.onWireRule()
  }

  /** `now`: the time of the namespace. */
  add(input: FaultInput, now: number): FaultRule {
    let { rules, made } = this.#state
    if (rules.length >= MAX_FAULTS) rules = rules.filter((rule) => !isExpired(rule, now))
    if (rules.length >= MAX_FAULTS) {
      const message = `There are ${inThousands(MAX_FAULTS)} fault rules here, which is the limit. Remove some with petstore-sandbox faults remove <id> or DELETE /_sandbox/faults/{id}.`
      throw new ApiError('service_unavailable', message)
    }
    const expiry = input.for === undefined ? {} : { expiresAt: iso(now + parseDuration(input.for)) }
    const rule: FaultRule = { id: `fault_${++made}`, ...input, ...expiry, acted: 0 }
    this.restore({ rules: [...rules, rule], made })
    return rule
  }

  list(): readonly FaultRule[] {
    return this.#state.rules
  }

  /** False if there is none. */
  remove(id: string): boolean {
    const { rules, made } = this.#state
    const rest = rules.filter((rule) => rule.id !== id)
    this.restore({ rules: rest, made })
    return rest.length < rules.length
  }

  clear(): void {
    this.restore({ ...this.#state, rules: [] })
  }

  /** Whether any rule breaks connections. */
  get breaksConnections(): boolean {
    return this.#state.rules.some(({ effect, acted, times = Infinity }) => 'wire' in effect && acted < times)
  }

  /** Removes all rules; ids begin again. */
  reset(): void {
    this.restore({ rules: [], made: 0 })
  }

  /** The rule that acts on this request, counted as used once more. `chance` returns numbers in [0, 1). */
  pick(subject: FaultSubject, now: number, chance: () => number): FaultRule | undefined {
    const { rules, made } = this.#state
    const index = rules.findIndex(
      (rule) =>
        rule.acted < (rule.times ?? Infinity) &&
        !isExpired(rule, now) &&
        matchesFault(rule.match ?? {}, subject) &&
        (rule.probability === undefined || chance() < rule.probability),
    )
    const rule = rules[index]
    if (!rule) return undefined
    const acted = { ...rule, acted: rule.acted + 1 }
    this.#state = { rules: rules.with(index, acted), made }
    return acted
  }
}

/** The bytes of a rule in addition to its texts: the object and its members. */
const RULE_BYTES = 200

/** About how many bytes a rule takes. */
export const sizeOfRule = (rule: FaultInput): number => RULE_BYTES + sizeOfValue(rule)

const isExpired = ({ expiresAt }: FaultRule, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now

export const matchesFault = (match: FaultMatch, subject: FaultSubject): boolean =>
  (match.operationId === undefined || match.operationId === subject.operationId) &&
  (match.method === undefined || match.method.toUpperCase() === subject.method) &&
  (match.path === undefined || matchesPath(match.path, subject.path)) &&
  (match.key === undefined || match.key === subject.key) &&
  matchesContent(match, subject)

/** Whether a rule matches query and body of a request. */
export const matchesContent = (
  { parameters, body }: Pick<FaultMatch, 'parameters' | 'body'>,
  sent: Pick<FaultSubject, 'parameters' | 'body'>,
): boolean =>
  (parameters === undefined || hasParameters(parameters, sent.parameters())) &&
  (body === undefined || isSubset(body, sent.body()))

/** Whether a JSON value has all that another one has. Objects match by the wanted members, arrays item by item. */
export function isSubset(wanted: unknown, found: unknown): boolean {
  if (typeof wanted !== 'object' || typeof found !== 'object' || !wanted || !found) return wanted === found
  if (Array.isArray(wanted) !== Array.isArray(found)) return false
  if (Array.isArray(wanted) && wanted.length !== (found as unknown[]).length) return false
  return Object.entries(wanted).every(
    ([name, each]) => Object.hasOwn(found, name) && isSubset(each, found[name as keyof typeof found]),
  )
}

const hasParameters = (wanted: string, sent: URLSearchParams): boolean =>
  [...new URLSearchParams(wanted)].every(([name, value]) => sent.getAll(name).includes(value))

/**
 * `pattern`: a path with or without the base path; a `*` at its end matches anything. A path matches as it was sent, and
 * decoded once, as the router decodes it: `/pets/%31` is `/pets/1`.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const start = pattern.endsWith('*') ? pattern.slice(0, -1) : undefined
  return formsOf(path).some((form) => (start === undefined ? form === pattern : form.startsWith(start)))
}

/** The forms in which a path may match, remembered because a thousand rules may be compared with one request. */
const formsOf = rememberLast((path: string): readonly string[] => {
  // An encoded slash separates no segments.
  const forms = path.includes('%') ? [path, decoded(path.replaceAll(/%2f/gi, '%252F'))] : [path]
  return forms.flatMap((form) => [form, form.replace(/^\/v1(?=\/)/, '')])
})
