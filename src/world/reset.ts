import type { ResetPart } from '../contract/generated/control.types.d.ts'
import type { World } from './world.ts'

/** The parts that no store holds. `requests` includes the report. */
const UNSTORED = ['limits', 'bans', 'clock', 'faults', 'requests'] as const

/** The parts of a namespace that can be reset. `pets` includes the id counter. */
export const RESET_PARTS: readonly ResetPart[] = ['pets', ...UNSTORED, 'keys']

/** By default: all parts except the keys. */
export const partsToReset = (named: readonly ResetPart[] = []): readonly ResetPart[] =>
  RESET_PARTS.filter((part) => (named.length > 0 ? named.includes(part) : part !== 'keys'))

/** Resets parts that no store holds. `real`: real time in milliseconds. */
export function resetUnstored(world: World, parts: readonly ResetPart[], real: number): void {
  if (parts.includes('limits')) world.resetLimits()
  if (parts.includes('bans')) world.resetBans()
  if (parts.includes('clock')) world.resetClock(real)
  if (parts.includes('faults')) world.resetFaults(real)
  if (parts.includes('requests')) world.resetRequests()
}
