import { SECOND } from '../time/instant.ts'
import type { Plan, PlanName } from './plan.ts'

/** The values of all decisions about what the interface leaves open, resolved once at start. */
export interface Policy {
  readonly cors: { readonly origins: '*' | readonly string[] }
  readonly orders: '501' | '404' | 'mock'
  readonly list: {
    readonly limit: 'reject' | 'clamp'
    readonly status: 'reject' | 'empty' | 'ignore'
    readonly order: 'oldest' | 'newest'
  }
  readonly unknown: 'ignore' | 'reject'
  readonly create: {
    readonly blankName: 'accept' | 'reject'
    /** A status, or `absent`. */
    readonly status: string
  }
  readonly get: {
    readonly invalidId: '404' | '400'
    /** Instants in milliseconds since the epoch. */
    readonly deprecatedSince: number
    readonly removedOn: number
    readonly afterRemoval: '410' | '404' | 'serve'
  }
  readonly limits: {
    readonly minute: 'first-request' | 'clock'
    readonly report: 'closest' | 'minute' | 'day'
  }
  readonly plans: Readonly<Record<PlanName, Plan>>
  readonly ban: {
    readonly enabled: boolean
    /** Refusals within 60 s that start a ban; null = the plan's limit per minute. */
    readonly after: number | null
    readonly seconds: number
    readonly status: 429 | 403
  }
  readonly errors: { readonly codes: Readonly<Record<string, string>> }
  /** When a Durable Object stores commands: `every` stores each before its answer, `changes` stores reads within 100 ms. */
  readonly durable: { readonly log: 'changes' | 'every' }
}

/** The code of an error after the renames of the policy. */
export const renamedCode = ({ errors: { codes } }: Policy, code: string): string =>
  (Object.hasOwn(codes, code) && codes[code]) || code

/** True from the sunset instant on, unless the policy continues to serve them (interface, section 9). */
export const isRemoved = (policy: Policy, now: number): boolean =>
  policy.get.afterRemoval !== 'serve' && now >= policy.get.removedOn

/**
 * The header fields of a deprecated operation, flat: `Deprecation` (RFC 9745, section 2.1), `Link`
 * and, before the removal, `Sunset` (RFC 8594, section 3). `sunset`: its value, an HTTP date.
 */
export function deprecationHeaders(
  { get }: Policy,
  sunset: string | undefined,
  links: string,
): readonly string[] {
  const since = `@${Math.floor(get.deprecatedSince / SECOND)}`
  return sunset === undefined
    ? ['Deprecation', since, 'Link', links]
    : ['Deprecation', since, 'Sunset', sunset, 'Link', links]
}
