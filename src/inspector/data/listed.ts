import { computed } from '@preact/signals'
import { canRewind } from './actions.ts'
import { type HistoryEvent, isRequest, type RequestEvent } from './event.ts'
import { events, inHistory, isPresentRequest, paused, present, reach, requests, rowEvents } from './events.ts'
import { filterOf } from './filter.ts'
import { go, point, route, world } from './location.ts'
import type { Entry } from './types.ts'

/** Changes only with the filter, unlike the route. */
const filterText = computed(() => route.value.filter ?? '')
/** Whether an event matches the filter. The result is cached, because its texts are long. */
const filter = computed(() => {
  const { matches, unknown } = filterOf(filterText.value)
  const known = new WeakMap<RequestEvent, boolean>()
  const isWanted = (event: RequestEvent): boolean => {
    if (!known.has(event)) known.set(event, matches(event.entry))
    return known.get(event) === true
  }
  return { isWanted, unknown }
})
/** Unknown fields in the filter. */
export const unknownFields = computed(() => filter.value.unknown)

export const span = computed(() => {
  const { from, to } = route.value
  return from === undefined || to === undefined ? undefined : { from: Number(from), to: Number(to) }
})

let pausedEvents: readonly HistoryEvent[] = []
/** The events in the list, newest first; while it is paused, those of that moment. A word never matches a control call. */
export const listed = computed<readonly HistoryEvent[]>(() => {
  const { isWanted } = filter.value
  const { from, to } = span.value ?? { from: -Infinity, to: Infinity }
  const isAll = filterText.value === ''
  if (!paused.value) pausedEvents = rowEvents.value
  const inTime = pausedEvents.filter(({ real }) => real >= from && real <= to)
  return inTime.filter((event) => (isRequest(event) ? isWanted(event) : isAll)).reverse()
})

/** The requests since the list was paused. */
export const missedCount = computed(() => {
  if (!paused.value) return 0
  const shown = new Set(pausedEvents.map(({ name }) => name))
  return requests.value.filter(({ name }) => !shown.has(name)).length
})

/** If all namespaces are shown, a point belongs to the one on which actions act, since ids repeat in the others. */
export const isOfWorld = ({ namespace }: HistoryEvent): boolean =>
  namespace === undefined || namespace === world.value

const isPoint = (event: HistoryEvent): boolean =>
  event.id === point.value && event.branch === undefined && isOfWorld(event)

/** The event at the point that the page shows. */
export const pointEvent = computed(() => events.value.findLast(isPoint))
/** The instant of that point in real time, even if the journal no longer has its request. */
export const pointReal = computed(() => pointEvent.value?.real ?? reach.value.get(point.value ?? ''))

const later = computed<ReadonlySet<HistoryEvent>>(() => {
  const at = inHistory.value.findLastIndex(isPoint)
  const since = pointReal.value ?? Infinity
  const all = at < 0 ? inHistory.value.filter(({ real }) => real > since) : inHistory.value.slice(at)
  return new Set(all.filter(isOfWorld))
})
/** Whether an event came after the point that the page shows. */
export const isLater = (event: HistoryEvent): boolean => later.value.has(event)

/** The number of requests in the list, without the pale ones. */
export const foundCount = computed(
  () => listed.value.filter((event) => isPresentRequest(event) && !isLater(event)).length,
)

/** The selected event. If its branch no longer has it, the last event with that id. */
export const selected = computed(() => {
  const { id, of, branch } = route.value
  const found = events.value.filter((event) => event.id === id && (!of || event.namespace === of))
  return found.findLast((event) => event.branch === branch) ?? found.at(-1)
})

/** The parameters of the URL that select an event. */
export const addressOf = ({ id, branch, namespace: of }: HistoryEvent) => ({
  view: 'requests',
  id,
  branch,
  of,
})

/** The parameters of the URL that select the request `id`, which an entry names: in the branch of the entry, or outside. */
export function addressIn({ namespace, branch }: Entry, id: string) {
  const isUndone = events.value.some((event) => event.id === id && event.branch === branch)
  return { view: 'requests', id, branch: isUndone ? branch : undefined, of: namespace }
}

/** The events before which the handle can be placed, in the order of the history. */
export const stops = computed(() => present.value.filter(canRewind))

/** The position of the handle: an index of `stops`, or their number, which means now. */
export const handleIndex = computed(() => {
  const found = stops.value.findIndex(isLater)
  return found < 0 ? stops.value.length : found
})

export const travelTo = (index: number): void => go({ at: stops.peek()[Math.max(0, index)]?.id }, true)

/** The event nearest to an instant of real time. */
export function nearest(events: readonly HistoryEvent[], real: number): HistoryEvent | undefined {
  const distances = events.map((event) => Math.abs(event.real - real))
  return events[distances.indexOf(Math.min(...distances))]
}

/** Shows the state before the event nearest to an instant of real time; after the last event, the current state. */
export function travelNear(real: number): void {
  const isBehind = real > (stops.peek().at(-1)?.real ?? 0)
  go({ at: isBehind ? undefined : nearest(stops.peek(), real)?.id }, true)
}
