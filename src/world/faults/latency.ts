import { InvalidValue } from '../../text/advised-error.ts'
import { parseDuration } from '../../time/duration.ts'

/** The delay of an answer: a range in milliseconds. */
export interface Latency {
  readonly from: number
  readonly to: number
}

/** Reads a duration (`200ms`) or a range of two (`100ms-300ms`); throws a RangeError for anything else. */
export function readLatency(text: string): Latency {
  const [from = '', to = from, ...more] = text.split('-')
  const latency = { from: parseDuration(from.trim()), to: parseDuration(to.trim()) }
  if (more.length > 0 || latency.from > latency.to) {
    throw new InvalidValue(
      `"${text}" is not a valid latency`,
      'use one duration (200ms) or a range of two (100ms-300ms)',
    )
  }
  return latency
}

/** A random delay of the range; `chance` returns numbers in [0, 1). */
export const drawLatency = ({ from, to }: Latency, chance: () => number): number =>
  from === to ? from : from + chance() * (to - from)
