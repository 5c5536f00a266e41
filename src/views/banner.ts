import { plural } from '../text/plural.ts'
import { printable } from '../text/printable.ts'
import { TRIGGER_KEYS } from '../world/keys/built-in-keys.ts'
import { limitText, type Plan, type PlanName } from '../world/plan.ts'
import type { Policy } from '../world/policy.ts'
import { BASE_PATH } from '../world/traffic/address.ts'
import type { Colours } from './colours.ts'
import { wrapText } from './wrap.ts'

export interface BannerFacts {
  readonly version: string
  readonly baseUrl: string
  readonly controlUrl: string
  /** Null for a sandbox in memory. */
  readonly dataFile: string | null
  readonly pets: number
  readonly policy: Policy
  /** The keys to list, with their plans. */
  readonly keys: Readonly<Record<string, PlanName>>
  /** Addresses for other machines; empty if it listens on loopback only. */
  readonly addresses?: readonly string[]
}

/** The lines before the ready line of a start. They fit a terminal of 80 columns and 24 lines. */
export function banner(facts: BannerFacts, paint: Colours): string {
  const { version, baseUrl, controlUrl, dataFile, pets, policy, keys, addresses = [] } = facts
  const lines = Object.entries(keys).map(([key, plan]) => keyLine(key, plan, policy.plans[plan]))
  const others = addresses.map((address) => `\n          ${address}`).join('')
  const openapi = `${baseUrl.slice(0, -BASE_PATH.length)}/openapi.json`
  return `${paint.strong(`petstore-sandbox ${version}`)}

base URL  ${paint.good(baseUrl)}${others}
keys      ${lines.join('\n          ')}
triggers  ${wrapText(TRIGGER_KEYS.join(' '), 70).join('\n          ')}
try       curl -H "Authorization: Bearer psk_pro" ${baseUrl}/pets
data      ${printable(dataFile ?? 'in memory')}, ${plural(pets, 'pet')}
control   ${controlUrl}
openapi   ${openapi}
inspector ${controlUrl}/

`
}

const keyLine = (key: string, plan: PlanName, { perMinute, perDay }: Plan): string =>
  `${key.padEnd(16)}${plan.padEnd(12)}${amount(perMinute)} per minute${amount(perDay)} per day`

const amount = (requests: number | null): string => ` ${limitText(requests).padStart(10)}`

/** The last line of a start. Programs wait for it, so it must not change. */
export const readyLine = (baseUrl: string): string => `petstore-sandbox is ready on ${baseUrl}`
