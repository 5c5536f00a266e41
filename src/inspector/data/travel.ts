import { computed } from '@preact/signals'
import { stops } from './events.ts'
import { go, point } from './location.ts'

/** The position of the handle: an index of `stops`, or behind the last one, which is now. */
export const standsAt = computed(() => {
  const found = point.value === undefined ? -1 : stops.value.findIndex(({ id }) => id === point.value)
  return found < 0 ? stops.value.length : found
})

export const isAtStop = (): boolean => standsAt.peek() < stops.peek().length

export const travelTo = (index: number): void => go({ at: stops.peek()[Math.max(0, index)]?.id }, true)

/** To before what happened nearest to an instant of real time; behind the last of it, that is now. */
export function travelNear(real: number): void {
  const all = stops.peek()
  const last = all.at(-1)
  let best = all.length
  let least = !last || real > last.real ? 0 : Number.POSITIVE_INFINITY
  for (const [index, event] of all.entries()) {
    const distance = Math.abs(event.real - real)
    if (distance < least) [best, least] = [index, distance]
  }
  travelTo(best)
}
