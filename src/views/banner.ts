import { PLAN_NAMES, type Plan } from '../domain/plan.ts'
import type { Policy } from '../domain/policy.ts'
import type { Colours } from './paint.ts'

export interface BannerFacts {
  readonly version: string
  readonly baseUrl: string
  readonly controlUrl: string
  /** As it is shown; null in memory. */
  readonly dataFile: string | null
  readonly pets: number
  readonly policy: Policy
}

const TRIGGERS = `psk_limited psk_day_limited psk_banned psk_expired psk_revoked
           psk_slow psk_flaky psk_unstable psk_empty psk_removed`

/** What a start prints above its ready line: fits a terminal of 80 columns and 24 lines. */
export function banner(facts: BannerFacts, paint: Colours): string {
  const { version, baseUrl, controlUrl, dataFile, pets, policy } = facts
  return `${paint.strong(`petstore-sandbox ${version}`)}

base URL   ${paint.good(baseUrl)}
keys       ${PLAN_NAMES.map((name) => keyLine(name, policy.plans[name])).join('\n           ')}
triggers   ${TRIGGERS}
try        curl -H "Authorization: Bearer psk_pro" ${baseUrl}/pets
data       ${dataFile ?? 'in memory'}, ${pets} pets
control    ${controlUrl}
inspector  ${controlUrl}/

`
}

const keyLine = (name: string, { perMinute, perDay }: Plan): string =>
  `${`psk_${name}`.padEnd(16)}${name.padEnd(12)}${amount(perMinute)} per minute${amount(perDay)} per day`

// toLocaleString would load the data of all locales, which takes longer than everything else at the start.
const amount = (requests: number | null): string =>
  (requests?.toString().replace(/\B(?=(\d{3})+$)/g, ',') ?? 'unlimited').padStart(11)

/** The last line of a start, which stays as it is. */
export const readyLine = (baseUrl: string): string => `petstore-sandbox is ready on ${baseUrl}`
