import { computed } from '@preact/signals'
import { ALL } from './address.ts'
import { type HistoryEvent, isRequest, type RequestEvent } from './event.ts'
import { events, isPresentRequest, kept, paused, requests } from './events.ts'
import { filterOf } from './filter.ts'
import { namespace, point, route, world } from './location.ts'

/** Whether an event passes the filter; each is looked at once, as its texts are long. */
const filter = computed(() => {
  const { matches, unknown } = filterOf(route.value.filter ?? '')
  const known = new WeakMap<RequestEvent, boolean>()
  const isWanted = (event: RequestEvent): boolean => {
    const found = known.get(event) ?? matches(event.entry)
    known.set(event, found)
    return found
  }
  return { isWanted, unknown }
})
/** Fields in the filter that there are not. */
export const unknownFields = computed(() => filter.value.unknown)

export const span = computed(() => {
  const { from, to } = route.value
  return from === undefined || to === undefined ? undefined : { from: Number(from), to: Number(to) }
})

let frozen: readonly HistoryEvent[] = []
/** What the list shows, newest first: while it is paused, that of the moment. Control calls match no word. */
export const listed = computed<readonly HistoryEvent[]>(() => {
  const { isWanted } = filter.value
  const time = span.value
  const isAll = !route.value.filter
  const from = paused.value ? frozen : kept.value
  frozen = from
  return from
    .filter(
      (event) =>
        (!time || (event.real >= time.from && event.real <= time.to)) &&
        (isRequest(event) ? isWanted(event) : isAll),
    )
    .reverse()
})

/** Requests that came since the list was paused. */
export const missed = computed(() =>
  paused.value ? requests.value.length - frozen.filter(isPresentRequest).length : 0,
)

const isPoint = ({ id, branch }: HistoryEvent): boolean => id === point.value && branch === undefined

/** The event at the point that the page shows. */
export const pointEvent = computed(() =>
  point.value === undefined ? undefined : events.value.findLast(isPoint),
)

const later = computed<ReadonlySet<HistoryEvent>>(() => {
  const at = point.value === undefined ? -1 : events.value.findLastIndex(isPoint)
  return new Set(at < 0 ? [] : events.value.slice(at))
})
/** Whether it had not come yet where the page stands in time. */
export const isLater = (event: HistoryEvent): boolean => later.value.has(event)

/** The event that the address names. */
export const selected = computed(() => {
  const { id, of, branch } = route.value
  if (id === undefined) return undefined
  return events.value.findLast(
    (event) =>
      event.id === id &&
      event.branch === branch &&
      (of === undefined || !isRequest(event) || event.entry.namespace === of),
  )
})

/** Where an event is in the address. */
export const addressOf = (event: HistoryEvent) => ({
  view: 'requests',
  id: event.id,
  branch: event.branch,
  of: namespace.value === ALL && isRequest(event) ? event.entry.namespace : undefined,
})

/** The requests of the world that the handle can stand before, and its control calls, oldest first. */
export const stops = computed(() =>
  events.value.filter(
    (event) =>
      event.branch === undefined &&
      (isRequest(event) ? event.entry.namespace === world.value : event.undid === undefined),
  ),
)
