import type { Comparison } from '../comparison.ts'
import { type Ask, BARE, type Contender, type Operation, otherBuild, SANDBOX } from '../contenders.ts'
import type { Bench } from '../context.ts'
import { goalFor } from '../goals.ts'
import { check, load } from '../load.ts'
import { loadRows } from '../load-rows.ts'
import { inTurn } from '../rounds.ts'
import { start } from '../server.ts'

const WHAT = { list: 'GET /v1/pets', one: 'GET /v1/pets/{id}', create: 'POST /v1/pets' } as const

/** How many of an operation a second, and the processor time of one. */
export async function operationRow(bench: Bench, operation: Operation): Promise<Comparison[]> {
  const { size } = bench
  const beside = bench.base ? [...bench.beside, otherBuild(bench.base)] : bench.beside
  const what = WHAT[operation]
  await compareAnswers(bench, operation)
  const able = [SANDBOX, ...beside].filter((contender) => contender[operation])
  const loads = await inTurn(bench, what, size.rounds, able, async (contender) => {
    await using server = await start(bench, contender, { underLoad: true })
    const ask = askOf(contender, operation)
    await load(server, ask, size.warmUp)
    return await load(server, ask, size.seconds)
  })
  const ours = loads.get(SANDBOX.name) ?? []
  return beside.flatMap(({ name }) =>
    loadRows(what, ours, { name, loads: loads.get(name) }, { rate: goalFor(operation, name) }),
  )
}

/** The bare server is the limit only while it sends what the sandbox sends. */
async function compareAnswers(bench: Bench, operation: Operation): Promise<void> {
  const [ours, bare] = [await answerOf(bench, SANDBOX, operation), await answerOf(bench, BARE, operation)]
  if (ours !== bare)
    throw new Error(`The bare server does not send what the sandbox sends:\n${bare}\n${ours}`)
}

async function answerOf(bench: Bench, contender: Contender, operation: Operation): Promise<string> {
  await using server = await start(bench, contender, { underLoad: true })
  const response = await check(server.url, askOf(contender, operation))
  return `${[...response.headers.keys()].join(' ')}\n${await response.text()}`
}

function askOf(contender: Contender, operation: Operation): Ask {
  const ask = contender[operation]
  if (!ask) throw new Error(`${contender.name} has no ${operation}`)
  return ask
}
