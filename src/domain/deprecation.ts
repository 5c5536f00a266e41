import { httpDate, SECOND } from './instant.ts'
import type { Policy } from './policy.ts'

/** True from the sunset instant on, unless the policy serves on (interface, section 9). */
export const isRemoved = (policy: Policy, now: number): boolean =>
  policy.get.afterRemoval !== 'serve' && now >= policy.get.removedOn

/**
 * The header fields that a deprecated operation owes, flat: `Deprecation` (RFC 9745, section 2.1), `Link`
 * and, while the removal lies ahead, `Sunset` (RFC 8594, section 3).
 */
export function deprecationHeaders(policy: Policy, sunsetAhead: boolean, links: string): readonly string[] {
  const since = ['Deprecation', `@${Math.floor(policy.get.deprecatedSince / SECOND)}`]
  const sunset = sunsetAhead ? ['Sunset', httpDate(policy.get.removedOn)] : []
  return [...since, ...sunset, 'Link', links]
}
