import { plural } from '../text/plural.ts'
import { printable } from '../text/printable.ts'
import { TRIGGER_KEYS } from '../world/keys/built-in-keys.ts'
import { limitText, PLAN_NAMES, type Plan } from '../world/plan.ts'
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
  /** Addresses for other machines; empty if it listens on loopback only. */
  readonly addresses?: readonly string[]
}

/** The lines before the ready line of a start. They fit a terminal of 80 columns and 24 lines. */
export function banner(facts: BannerFacts, paint: Colours): string {
  const { version, baseUrl, controlUrl, dataFile, pets, policy, addresses = [] } = facts
  const others = addresses.map((address) => `\n          ${address}`).join('')
  const openapi = `${baseUrl.slice(0, -BASE_PATH.length)}/openapi.json`
  return `${paint.strong(`petstore-sandbox ${version}`)}

base URL  ${paint.good(baseUrl)}${others}
keys      ${PLAN_NAMES.map((name) => keyLine(name, policy.plans[name])).join('\n          ')}
triggers  ${wrapText(TRIGGER_KEYS.join(' '), 70).join('\n          ')}
try       curl -H "Authorization: Bearer psk_pro" ${baseUrl}/pets
data      ${printable(dataFile ?? 'in memory')}, ${plural(pets, 'pet')}
control   ${controlUrl}
openapi   ${openapi}
inspector ${controlUrl}/

`
}

const keyLine = (name: string, { perMinute, perDay }: Plan): string =>
  `${`psk_${name}`.padEnd(16)}${name.padEnd(12)}${amount(perMinute)} per minute${amount(perDay)} per day`

const amount = (requests: number | null): string => ` ${limitText(requests).padStart(10)}`

/** The last line of a start. Programs wait for it, so it must not change. */
export const readyLine = (baseUrl: string): string => `petstore-sandbox is ready on ${baseUrl}`
