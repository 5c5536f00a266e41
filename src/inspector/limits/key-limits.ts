import { signal } from '@preact/signals'
import { answerOf, api } from '../sandbox/api.ts'
import { seenKeys } from '../sandbox/journal.ts'
import { world } from '../sandbox/location.ts'
import { refreshLimits } from '../sandbox/world-state.ts'

const chosen = signal<string | undefined>(undefined)

export function choose(key: string): void {
  chosen.value = key
  refreshLimits()
}

/** The key that the instruments act on and whose quota the timeline draws. */
export const chosenKey = (): string => chosen.value ?? seenKeys.value[0] ?? 'psk_free'

/** What turns the windows and the ban of a key. */
export const keyCalls = (key: string) => {
  const at = { params: { path: { key }, query: { namespace: world.value } } }
  const then = async (call: Promise<unknown>) => {
    await call
    refreshLimits()
  }
  return {
    refill: () => then(answerOf(api.DELETE('/keys/{key}/limits', at))),
    leave: (remaining: number) =>
      then(answerOf(api.PUT('/keys/{key}/limits', { ...at, body: { remaining } }))),
    ban: () => then(answerOf(api.PUT('/keys/{key}/ban', { ...at, body: {} }))),
    lift: () => then(answerOf(api.DELETE('/keys/{key}/ban', at))),
  }
}
