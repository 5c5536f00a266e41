import type { Comparison } from '../comparison.ts'
import { EMULATE, SANDBOX } from '../contenders.ts'
import type { Bench } from '../context.ts'
import { goalFor } from '../goals.ts'
import { inTurn } from '../rounds.ts'
import { start } from '../server.ts'

/** From the order to start, as it comes, to the first list. */
export async function startRow(bench: Bench): Promise<Comparison[]> {
  const { size, beside, major } = bench
  const times = await inTurn(bench, 'start', size.starts, [SANDBOX, ...beside], async (contender) => {
    await using server = await start(bench, contender, { underLoad: false })
    return server.startMs
  })
  const ours = times.get(SANDBOX.name) ?? []
  const goal = (name: string) => (name === EMULATE.name && major !== 24 ? undefined : goalFor('start', name))
  return beside.flatMap(({ name }) => {
    const figures = times.get(name)
    const what = 'start to first 200'
    return figures ? [{ what, unit: 'ms', ours, against: { name, figures }, goal: goal(name) }] : []
  })
}
