import { computed } from '@preact/signals'
import type { HistoryEvent } from './event.ts'
import { stops } from './listed.ts'
import { go, point } from './location.ts'

/** The position of the handle: an index of `stops`, or their number, which means now. */
export const standsAt = computed(() => {
  const found = point.value === undefined ? -1 : stops.value.findIndex(({ id }) => id === point.value)
  return found < 0 ? stops.value.length : found
})

export const travelTo = (index: number): void => go({ at: stops.peek()[Math.max(0, index)]?.id }, true)

/** The event nearest to an instant of real time. */
export function nearest(events: readonly HistoryEvent[], real: number): HistoryEvent | undefined {
  let best: HistoryEvent | undefined
  for (const event of events)
    if (!best || Math.abs(event.real - real) < Math.abs(best.real - real)) best = event
  return best
}

/** Shows the state before the event nearest to an instant of real time; after the last event, the present state. */
export const travelNear = (real: number): void => {
  const isBehind = real > (stops.peek().at(-1)?.real ?? 0)
  go({ at: isBehind ? undefined : nearest(stops.peek(), real)?.id }, true)
}
