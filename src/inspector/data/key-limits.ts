import { answerOf, api } from './api.ts'
import { chosen } from './chosen-key.ts'
import { world } from './location.ts'
import { refreshLimits } from './world-state.ts'

export function choose(key: string): void {
  chosen.value = key
  refreshLimits()
}

/** Actions on the windows and the ban of a key. */
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
