import { SECOND } from '../time/instant.ts'
import type { Policy } from './policy.ts'

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
