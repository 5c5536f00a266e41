import { setTimeout as pause } from 'node:timers/promises'
import type { Comparison } from '../comparison.ts'
import { BARE, type BenchRequest, EMULATE, SANDBOX } from '../contenders.ts'
import type { Bench } from '../context.ts'
import { GROWTH, MEMORY } from '../goals.ts'
import { load } from '../load.ts'
import { residentMiB } from '../machine.ts'
import { inTurn } from '../rounds.ts'
import { type Server, start } from '../server.ts'

/** The time after which memory of the start or of the load is released. */
const SETTLED_MS = 2000
const MAX_MINUTES = 5

interface Memory {
  readonly atRest: number
  readonly halfway: number
  readonly after: number
}

/** Memory at rest, and after many requests. */
export async function memoryRows(bench: Bench): Promise<Comparison[]> {
  const { size } = bench
  const beside = bench.beside.filter(({ name }) => name === BARE.name || name === EMULATE.name)
  const found = await inTurn(bench, 'memory', size.longRounds, [SANDBOX, ...beside], async (contender) => {
    await using server = await start(bench, contender, { underLoad: true })
    const atRest = await settled(server)
    await sendRequests(server, contender.list, size.requests / 2, size.seconds)
    const halfway = await settled(server)
    await sendRequests(server, contender.list, size.requests / 2, size.seconds)
    return { atRest, halfway, after: await settled(server) }
  })
  const of = (name: string, when: keyof Memory): number[] =>
    (found.get(name) ?? []).map((memory) => memory[when])
  const requests = `after ${size.requests.toLocaleString('en')} requests`
  const row = (what: string, when: keyof Memory): Comparison[] =>
    beside.flatMap(({ name }) => {
      const figures = of(name, when)
      const goal = name === EMULATE.name ? MEMORY : undefined
      return figures.length > 0
        ? [{ what, unit: 'MiB', ours: of(SANDBOX.name, when), against: { name, figures }, goal }]
        : []
    })
  const growth: Comparison = {
    what: `memory ${requests}`,
    unit: 'MiB',
    ours: of(SANDBOX.name, 'after'),
    against: { name: 'after half of them', figures: of(SANDBOX.name, 'halfway') },
    goal: GROWTH,
  }
  return [...row('memory at rest', 'atRest'), ...row(`memory ${requests}`, 'after'), growth]
}

async function settled({ pid }: Server): Promise<number> {
  await pause(SETTLED_MS)
  const memory = residentMiB(pid)
  if (memory === undefined) throw new Error('The memory of a process is read from /proc, which is not here.')
  return memory
}

async function sendRequests(
  server: Server,
  list: BenchRequest,
  requests: number,
  seconds: number,
): Promise<void> {
  const giveUpAt = Date.now() + MAX_MINUTES * 60_000
  for (let sent = 0; sent < requests; ) {
    if (Date.now() > giveUpAt) throw new Error(`${requests} requests took more than ${MAX_MINUTES} minutes.`)
    sent += (await load(server, list, seconds)).requests
  }
}
