import type { Comparison } from '../comparison.ts'
import {
  BARE,
  type BenchRequest,
  type Contender,
  type Operation,
  otherBuild,
  SANDBOX,
} from '../contenders.ts'
import type { Bench } from '../context.ts'
import { goalFor } from '../goals.ts'
import { check, load, type MeasuredLoad } from '../load.ts'
import { loadRows } from '../load-rows.ts'
import { inTurn } from '../rounds.ts'
import { start } from '../server.ts'
import { sideBySide } from '../side-by-side.ts'

const WHAT = { list: 'GET /v1/pets', one: 'GET /v1/pets/{id}', create: 'POST /v1/pets' } as const

/** The rate of an operation, and its processor time. Another build differs by little, and is measured side by side. */
export async function operationRow(bench: Bench, operation: Operation): Promise<Comparison[]> {
  const { beside, size } = bench
  const what = WHAT[operation]
  await compareAnswers(bench, operation)
  const able = [SANDBOX, ...beside].filter((contender) => contender[operation])
  const loads = await inTurn(bench, what, size.rounds, able, async (contender) => {
    await using server = await start(bench, contender, { underLoad: true })
    const request = requestOf(contender, operation)
    await load(server, request, size.warmUp)
    return await load(server, request, size.seconds)
  })
  const rowsOf = (ours: readonly MeasuredLoad[], name: string, theirs: readonly MeasuredLoad[] | undefined) =>
    loadRows(what, ours, { name, loads: theirs }, { rate: goalFor(operation, name) })
  const rows = beside.flatMap(({ name }) => rowsOf(loads.get(SANDBOX.name) ?? [], name, loads.get(name)))
  if (!bench.base) return rows
  const other = otherBuild(bench.base)
  const [ours, theirs] = await sideBySide(bench, what, [SANDBOX, other], requestOf(SANDBOX, operation))
  return [...rows, ...rowsOf(ours, other.name, theirs)]
}

/** Fails if the bare server and the sandbox send different responses, since it would be no upper bound then. */
async function compareAnswers(bench: Bench, operation: Operation): Promise<void> {
  const [ours, bare] = [await answerOf(bench, SANDBOX, operation), await answerOf(bench, BARE, operation)]
  if (ours !== bare)
    throw new Error(`The bare server does not send what the sandbox sends:\n${bare}\n${ours}`)
}

async function answerOf(bench: Bench, contender: Contender, operation: Operation): Promise<string> {
  await using server = await start(bench, contender, { underLoad: true })
  const response = await check(server.url, requestOf(contender, operation))
  return `${[...response.headers.keys()].join(' ')}\n${await response.text()}`
}

function requestOf(contender: Contender, operation: Operation): BenchRequest {
  const request = contender[operation]
  if (!request) throw new Error(`${contender.name} has no ${operation}`)
  return request
}
