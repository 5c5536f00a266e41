import { DAY, MINUTE, SECOND } from '../../text/time.ts'

/** The data of a request that the timeline draws. */
export interface DrawnRequest {
  readonly at: number
  readonly status: number
  /** Requests left, where it is of the key whose quota is drawn. */
  readonly left: number | undefined
  /** For how many it stands; 1 unless given. */
  readonly amount?: number
}

/** Bars over time: of each step, how many requests of which class, and what was left of a quota at its end. */
export interface Buckets {
  /** In milliseconds. */
  readonly step: number
  /** The beginning of each step. */
  readonly at: readonly number[]
  readonly good: readonly number[]
  readonly warn: readonly number[]
  readonly bad: readonly number[]
  readonly left: readonly (number | null)[]
}

const STEPS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 86_400, 30 * 86_400, 365 * 86_400].map(
  (seconds) => seconds * SECOND,
)
const MOST = 160

/** The smallest round step with which so long a time has at most 160 bars. */
const stepFor = (length: number): number =>
  STEPS.find((step) => length / step <= MOST) ?? Math.ceil(length / MOST / DAY) * DAY

/** `points`: in any order; at least the last minute before `until` is shown. */
export function buckets(points: readonly DrawnRequest[], until: number): Buckets {
  let [first, last] = [until - MINUTE, until]
  for (const { at } of points) {
    if (at < first) first = at
    if (at > last) last = at
  }
  const step = stepFor(last - first)
  const start = Math.floor(first / step) * step
  const size = Math.floor((last - start) / step) + 1
  const rows = { good: zeros(size), warn: zeros(size), bad: zeros(size) }
  const left: (number | null)[] = new Array(size).fill(null)
  const leftAt = new Array<number>(size).fill(-Infinity)
  for (const point of points) {
    const place = Math.floor((point.at - start) / step)
    const row =
      point.status === 0 || point.status >= 500 ? rows.bad : point.status >= 400 ? rows.warn : rows.good
    row[place] = (row[place] ?? 0) + (point.amount ?? 1)
    if (point.left !== undefined && point.at >= (leftAt[place] ?? 0)) {
      left[place] = point.left
      leftAt[place] = point.at
    }
  }
  return { step, at: Array.from({ length: size }, (_, place) => start + place * step), ...rows, left }
}

const zeros = (size: number): number[] => new Array(size).fill(0)
