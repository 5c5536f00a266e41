import { plural } from '../../text/plural.ts'
import type { Entry, PointView } from './types.ts'

/** A request, or a control call that changed something. */
export type HistoryEvent = RequestEvent | CallEvent
export type RequestEvent = ReturnType<typeof requestEvent>
export type CallEvent = ReturnType<typeof callEvent> & {
  /** Only for a rewind: the branch that it made, and the count of its events in words; empty if it has none. */
  readonly undid?: string
  readonly undone?: string
  /** Only a request names its namespace; a control call belongs to that of the URL. */
  readonly namespace?: undefined
}

export const isRequest = (event: HistoryEvent): event is RequestEvent => event.kind === 'request'

export const requestEvent = (entry: Entry) => ({
  kind: 'request' as const,
  // Unique, unlike ids, which repeat after a rewind and in each namespace.
  name: `${entry.namespace} ${entry.id} ${entry.receivedAt}`,
  id: entry.id,
  // In milliseconds: real time, and the time of the namespace.
  real: Date.parse(entry.receivedAt),
  at: Date.parse(entry.at),
  // The branch, if a rewind undid it.
  ...(entry.branch && { branch: entry.branch }),
  namespace: entry.namespace,
  entry,
})

/** `before`: the time of the namespace before the call. */
export const callEvent = ({ receivedAt, at, after = at, ...point }: PointView) => ({
  ...point,
  kind: 'call' as const,
  name: `${point.id} ${receivedAt}`,
  real: Date.parse(receivedAt),
  at: Date.parse(after),
  before: Date.parse(at),
})

/** The events of journal entries and points, in the order of the history: a request has the place of its answer. */
export function eventsOf(entries: readonly Entry[], points: readonly PointView[]): HistoryEvent[] {
  const places = new Map(points.map(({ id, branch }, index) => [`${branch} ${id}`, index]))
  const oldest = Date.parse(points[0]?.receivedAt ?? '')
  const kindOf = ({ id }: PointView) => (id.startsWith('req_') ? 'request' : 'call')
  // The history lists branches at its end; here, a rewind comes before the events since then.
  const sinceRewind = (real: number) =>
    points.findIndex(
      ({ id, branch, receivedAt }) =>
        branch === undefined && !id.startsWith('branch_') && Date.parse(receivedAt) > real,
    )
  const placeOf = ({ id, branch, real }: HistoryEvent) => {
    const since = id.startsWith('branch_') ? sinceRewind(real) : -1
    if (since >= 0) return since - 0.5
    // An entry without a point is older than all, or came after the history was read.
    return places.get(`${branch} ${id}`) ?? (real < oldest ? -1 : points.length)
  }
  const calls = points.filter((point) => kindOf(point) === 'call').map(callEvent)
  return [
    ...entries.map(requestEvent),
    ...calls.map((call): CallEvent => {
      if (!call.id.startsWith('branch_')) return call
      const undone = points.filter(({ branch }) => branch === call.id)
      const count = countText(undone.map((point) => ({ kind: kindOf(point) })))
      return { ...call, undid: call.id, undone: undone.length === 0 ? '' : count }
    }),
  ].sort((a, b) => placeOf(a) - placeOf(b))
}

/** A control call in words; a rewind with how much it undid. */
export const callText = ({ what, undone }: CallEvent): string => (undone ? `${what}: ${undone} undone` : what)

/** `26 requests and 1 control call` */
export function countText(events: readonly Pick<HistoryEvent, 'kind'>[]): string {
  const calls = events.filter(({ kind }) => kind === 'call').length
  const requests = events.length - calls
  return [
    ...(requests > 0 || calls === 0 ? [plural(requests, 'request')] : []),
    ...(calls > 0 ? [plural(calls, 'control call')] : []),
  ].join(' and ')
}
