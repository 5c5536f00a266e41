import type { Ask, Contender } from './contenders.ts'
import type { Bench } from './context.ts'
import { load, type MeasuredLoad } from './load.ts'
import { start } from './server.ts'

/** wrk measures whole seconds. */
const SLICE_SECONDS = 1

/**
 * The loads of two contenders, for a difference that is smaller than what a machine varies within seconds: both run
 * at once and are loaded in turn, a second each. Each pair of figures is of two such seconds in a row. As no two
 * processes are compiled alike, several pairs of processes are measured.
 */
export async function sideBySide(
  bench: Bench,
  what: string,
  pair: readonly [Contender, Contender],
  ask: Ask,
): Promise<[MeasuredLoad[], MeasuredLoad[]]> {
  const { longRounds, slices, warmUp } = bench.size
  const found: [MeasuredLoad[], MeasuredLoad[]] = [[], []]
  for (let round = 1; round <= longRounds; round++) {
    bench.progress(`${what}, round ${round} of ${longRounds}: ${pair.map(({ name }) => name).join(' and ')}`)
    await using first = await start(bench, pair[0], { underLoad: true })
    await using second = await start(bench, pair[1], { underLoad: true })
    for (const server of [first, second]) await load(server, ask, 2 * warmUp)
    for (let slice = 0; slice < slices; slice++) {
      found[0].push(await load(first, ask, SLICE_SECONDS))
      found[1].push(await load(second, ask, SLICE_SECONDS))
    }
  }
  return found
}
