import { PLAN_NAMES, type PlanName } from '../plan.ts'
import type { CollectionName } from '../store.ts'

/** The limit or ban that a trigger key meets at its first call. */
export type Armed = 'minute' | 'day' | 'ban'

/** A key that comes with the sandbox. Each trigger key produces one condition that a client has to handle. */
export interface BuiltInKey {
  readonly plan: PlanName
  readonly refused?: true
  readonly armed?: Armed
  /** The delay of every answer in milliseconds. */
  readonly late?: number
  /** For 3: every third answer is a 503. */
  readonly failsEvery?: number
  readonly collection?: CollectionName
  /** `getPet` behaves as if it had been removed. */
  readonly removed?: true
}

export const BUILT_IN_KEYS: Readonly<Record<string, BuiltInKey>> = {
  ...Object.fromEntries(PLAN_NAMES.map((plan) => [`psk_${plan}`, { plan }])),
  psk_expired: { plan: 'free', refused: true },
  psk_revoked: { plan: 'free', refused: true },
  psk_limited: { plan: 'free', armed: 'minute' },
  psk_day_limited: { plan: 'free', armed: 'day' },
  psk_banned: { plan: 'free', armed: 'ban' },
  psk_slow: { plan: 'pro', late: 2000 },
  psk_flaky: { plan: 'pro', failsEvery: 3 },
  psk_unstable: { plan: 'pro', failsEvery: 1 },
  psk_empty: { plan: 'pro', collection: 'empty' },
  psk_removed: { plan: 'pro', removed: true },
}

/** The keys that produce a condition: all but those with the name of a plan. */
export const TRIGGER_KEYS: readonly string[] = Object.keys(BUILT_IN_KEYS).slice(PLAN_NAMES.length)

const byName = new Map(Object.entries(BUILT_IN_KEYS))

export const builtInKey = (key: string): BuiltInKey | undefined => byName.get(key)
