import { InvalidValue } from '../../text/advised-error.ts'
import { parseDuration } from '../../time/duration.ts'
import { DAY } from '../../time/instant.ts'

/** The delay of an answer: a range in milliseconds. */
export interface Latency {
  readonly from: number
  readonly to: number
}

/** Reads a duration (`200ms`) or a range of two (`100ms-300ms`), up to a day; throws a RangeError for anything else. */
export function readLatency(text: string): Latency {
  const [from = '', to = from, ...more] = text.split('-').map((end) => end.trim())
  const isComplete = from !== '' && to !== '' && more.length === 0
  const latency = isComplete && { from: parseDuration(from), to: parseDuration(to) }
  if (latency && latency.to > DAY) throw new InvalidValue(`"${text}" is too long`, 'use 1d or less')
  if (latency && latency.from <= latency.to) return latency
  const fix = 'use one duration (200ms) or a range of two, the shorter one first (100ms-300ms)'
  throw new InvalidValue(`"${text}" is not a valid latency`, fix)
}

/** A random delay of the range; `chance` returns numbers in [0, 1). */
export const drawLatency = ({ from, to }: Latency, chance: () => number): number =>
  from === to ? from : from + chance() * (to - from)
