import type { BenchRequest, Contender } from './contenders.ts'
import type { Bench } from './context.ts'
import { load, type MeasuredLoad } from './load.ts'
import { start } from './server.ts'

/** The shortest measurement of wrk. */
const SLICE_SECONDS = 1

/**
 * The loads of two contenders, for a difference that is smaller than the variation of a machine within seconds: both run
 * at the same time and are loaded in turn for one second each. A pair of figures is from two consecutive seconds. Since
 * no two processes are compiled alike, several pairs of processes are measured.
 */
export async function sideBySide(
  bench: Bench,
  what: string,
  pair: readonly [Contender, Contender],
  request: BenchRequest,
): Promise<[MeasuredLoad[], MeasuredLoad[]]> {
  const { longRounds, slices, warmUp } = bench.size
  const found: [MeasuredLoad[], MeasuredLoad[]] = [[], []]
  for (let round = 1; round <= longRounds; round++) {
    bench.progress(`${what}, round ${round} of ${longRounds}: ${pair.map(({ name }) => name).join(' and ')}`)
    await using first = await start(bench, pair[0], { underLoad: true })
    await using second = await start(bench, pair[1], { underLoad: true })
    for (const server of [first, second]) await load(server, request, 2 * warmUp)
    for (let slice = 0; slice < slices; slice++) {
      found[0].push(await load(first, request, SLICE_SECONDS))
      found[1].push(await load(second, request, SLICE_SECONDS))
    }
  }
  return found
}
