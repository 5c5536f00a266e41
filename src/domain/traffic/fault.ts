import type { FaultInput, FaultMatch, FaultRule } from '../../contract/generated/control.types.d.ts'
import { ApiError } from '../api-error.ts'
import { inThousands } from '../text/listed.ts'
import { parseDuration } from '../world/duration.ts'
import { iso } from '../world/instant.ts'

/** How a wire fault ends a connection; each is a way in which real networks fail. */
export const WIRE_FAULTS = ['reset', 'empty', 'truncate', 'garbage', 'hang'] as const
export type WireFault = (typeof WIRE_FAULTS)[number]

/** What a rule is matched against. */
export interface FaultSubject {
  readonly operationId: string | undefined
  readonly method: string
  readonly path: string
  readonly key: string
}

/** Each request is matched against all of them. */
export const MOST_FAULTS = 1000

/** The fault rules of a namespace, in order: the first that matches acts. */
export class Faults {
  /** Told of each new rule that breaks connections. */
  onWireRule: () => void = () => {}
  #rules: FaultRule[] = []
  #made = 0

  /** `now`: what the clock of the namespace reads. */
  add(input: FaultInput, now: number): FaultRule {
    if (this.#rules.length >= MOST_FAULTS) this.#rules = this.#rules.filter((rule) => !isExpired(rule, now))
    if (this.#rules.length >= MOST_FAULTS) {
      const message = `There are ${inThousands(MOST_FAULTS)} fault rules here, the most there can be. Remove some with DELETE /_sandbox/faults.`
      throw new ApiError('service_unavailable', message)
    }
    const expiry = input.for === undefined ? {} : { expiresAt: iso(now + parseDuration(input.for)) }
    const rule: FaultRule = { id: `fault_${++this.#made}`, ...input, ...expiry, acted: 0 }
    this.#rules.push(rule)
    if ('wire' in rule.effect) this.onWireRule()
    return rule
  }

  list(): readonly FaultRule[] {
    return this.#rules
  }

  remove(id: string): void {
    const rest = this.#rules.filter((rule) => rule.id !== id)
    if (rest.length === this.#rules.length) throw new ApiError('not_found', `There is no fault ${id}.`)
    this.#rules = rest
  }

  clear(): void {
    this.#rules = []
  }

  /** Whether a rule is left that breaks connections. */
  get breakConnections(): boolean {
    return this.#rules.some(({ effect, acted, times = Infinity }) => 'wire' in effect && acted < times)
  }

  /** Back to the start, ids included. */
  reset(): void {
    this.clear()
    this.#made = 0
  }

  /** The rule that acts on this request; it counts as having acted. `chance` gives numbers in [0, 1). */
  pick(subject: FaultSubject, now: number, chance: () => number): FaultRule | undefined {
    if (this.#rules.length === 0) return undefined
    const index = this.#rules.findIndex(
      (rule) =>
        rule.acted < (rule.times ?? Infinity) &&
        !isExpired(rule, now) &&
        matchesFault(rule.match ?? {}, subject) &&
        (rule.probability === undefined || chance() < rule.probability),
    )
    const rule = this.#rules[index]
    if (!rule) return undefined
    const acted = { ...rule, acted: rule.acted + 1 }
    this.#rules[index] = acted
    return acted
  }
}

const isExpired = ({ expiresAt }: FaultRule, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now

export const matchesFault = (match: FaultMatch, subject: FaultSubject): boolean =>
  (match.operationId === undefined || match.operationId === subject.operationId) &&
  (match.method === undefined || match.method.toUpperCase() === subject.method) &&
  (match.path === undefined || matchesPath(match.path, subject.path)) &&
  (match.key === undefined || match.key === subject.key)

/** `pattern`: a path with or without the base path; a `*` at its end stands for anything. */
export function matchesPath(pattern: string, path: string): boolean {
  const start = pattern.endsWith('*') ? pattern.slice(0, -1) : undefined
  const relative = path.replace(/^\/v1(?=\/)/, '')
  return [path, relative].some((form) => (start === undefined ? form === pattern : form.startsWith(start)))
}
