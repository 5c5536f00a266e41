import type { Comparison } from '../comparison.ts'
import { BARE, EMULATE, SANDBOX } from '../contenders.ts'
import type { Bench } from '../context.ts'
import { goalFor } from '../goals.ts'
import { NODE_MAJORS, nodeProgram } from '../packages.ts'
import { inTurn } from '../rounds.ts'
import { start } from '../server.ts'

/** The time from a default start to the first list; on other versions of Node only beside the bare server. */
export async function startRows(bench: Bench): Promise<Comparison[]> {
  const rows = await startsOf(bench, 'start to first 200')
  for (const major of NODE_MAJORS.filter((other) => other !== bench.major)) {
    const there = { ...bench, major, node: await nodeProgram(major), beside: [BARE] }
    rows.push(...(await startsOf(there, `start to first 200, Node ${major}`)))
  }
  return rows
}

async function startsOf(bench: Bench, what: string): Promise<Comparison[]> {
  const { size, beside, major } = bench
  const times = await inTurn(bench, what, size.starts, [SANDBOX, ...beside], async (contender) => {
    await using server = await start(bench, contender, { underLoad: false })
    return server.startMs
  })
  const ours = times.get(SANDBOX.name) ?? []
  const goal = (name: string) => (name === EMULATE.name && major !== 24 ? undefined : goalFor('start', name))
  return beside.flatMap(({ name }) => {
    const figures = times.get(name)
    return figures ? [{ what, unit: 'ms', ours, against: { name, figures }, goal: goal(name) }] : []
  })
}
