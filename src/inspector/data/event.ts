import { grouped } from '../../text/grouped.ts'
import { plural } from '../../text/plural.ts'
import type { Entry, PointView } from './types.ts'

/** A request, or a control call that changed something. */
export type HistoryEvent = RequestEvent | CallEvent

interface Happened {
  /** A unique name. Ids are not unique: they repeat after a rewind, and in each namespace. */
  readonly name: string
  readonly id: string
  /** In milliseconds: real time, and the time of the namespace. */
  readonly real: number
  readonly at: number
  /** The branch, if a rewind undid it. */
  readonly branch?: string
  /** The namespace of a request; control calls are those of the namespace of the URL. */
  readonly namespace?: string
}

export interface RequestEvent extends Happened {
  readonly kind: 'request'
  readonly entry: Entry
}

export interface CallEvent extends Happened {
  readonly kind: 'call'
  readonly what: string
  /** The words of the command line that does the same. */
  readonly line?: readonly string[]
  /** The time of the namespace before it, if known. */
  readonly before?: number
  readonly isFrozen: boolean
  /** The branch that a rewind made. */
  readonly undid?: string
  /** Whether that rewind showed another branch again. */
  readonly isSwap?: boolean
}

export const isRequest = (event: HistoryEvent): event is RequestEvent => event.kind === 'request'

export const requestEvent = (entry: Entry): RequestEvent => ({
  kind: 'request',
  name: `${entry.namespace} ${entry.id} ${entry.receivedAt}`,
  id: entry.id,
  real: Date.parse(entry.receivedAt),
  at: Date.parse(entry.at),
  ...(entry.branch && { branch: entry.branch }),
  namespace: entry.namespace,
  entry,
})

export const callEvent = ({ receivedAt, at, after = at, frozen, ...point }: PointView): CallEvent => ({
  ...point,
  kind: 'call',
  name: `${point.id} ${receivedAt}`,
  real: Date.parse(receivedAt),
  at: Date.parse(after),
  before: Date.parse(at),
  isFrozen: frozen === true,
})

const isCall = (id: string): boolean => id.startsWith('ctl_')

/** The rewinds; each of them made a branch. */
function rewindsIn(points: readonly PointView[]): CallEvent[] {
  const branches = grouped(
    points.filter(({ branch }) => branch),
    ({ branch = '' }) => branch,
  )
  return [...branches].map(([undid, undone]) => {
    const first = undone[0] as PointView
    const real = Date.parse(first.undoneAt ?? first.receivedAt)
    const ids = new Set(undone.map(({ id }) => id))
    // Ids repeat after a rewind: those of one branch are in the other, which came earlier than this rewind.
    const isSwap = points.some(
      ({ id, branch, receivedAt }) => !branch && ids.has(id) && Date.parse(receivedAt) < real,
    )
    // It showed the state at the end of the other branch again.
    const end = points.findLast(({ branch, receivedAt }) => !branch && Date.parse(receivedAt) < real)
    const did = isSwap ? 'back to the other branch' : `back before ${first.id}`
    return {
      kind: 'call',
      name: `${undid} ${real}`,
      id: undid,
      real,
      at: Date.parse(isSwap && end ? (end.after ?? end.at) : first.at),
      what: `${did}: ${countText(undone.map(({ id }) => ({ kind: isCall(id) ? 'call' : 'request' })))} undone`,
      isFrozen: false,
      undid,
      isSwap,
    }
  })
}

/** The events of journal entries and points of the history. */
export const eventsOf = (entries: readonly Entry[], points: readonly PointView[]): HistoryEvent[] => [
  ...entries.map(requestEvent),
  ...points.filter(({ id }) => isCall(id)).map(callEvent),
  ...rewindsIn(points),
]

/** `26 requests and 1 control call` */
export function countText(events: readonly Pick<HistoryEvent, 'kind'>[]): string {
  const calls = events.filter(({ kind }) => kind === 'call').length
  const requests = events.length - calls
  return [
    ...(requests > 0 || calls === 0 ? [plural(requests, 'request')] : []),
    ...(calls > 0 ? [plural(calls, 'control call')] : []),
  ].join(' and ')
}
