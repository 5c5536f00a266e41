import { output } from '../children.ts'
import type { Comparison } from '../comparison.ts'
import { BARE, type BenchRequest, type Contender, petRequests } from '../contenders.ts'
import type { Bench } from '../context.ts'
import { MANY_PETS, START_MANY } from '../goals.ts'
import { load, type MeasuredLoad } from '../load.ts'
import { loadRows } from '../load-rows.ts'
import { onServerCore } from '../machine.ts'
import { RARE } from '../pets.ts'
import { inTurn } from '../rounds.ts'
import { start } from '../server.ts'
import { withPets } from '../with-pets.ts'

const FEW = 100
const PARSE_MS = 120_000

const { list, create } = petRequests('/v1')
/** A page of the pets at the end. */
const filtered: BenchRequest = { ...list, path: `${list.path}?status=${RARE.status}` }

/** The rates with many pets, beside those with a few. */
export async function manyPetsRows(bench: Bench): Promise<Comparison[]> {
  const { size } = bench
  const [few, many] = [withPets(FEW), withPets(size.pets)]
  const found = await inTurn(bench, 'many pets', size.rounds, [many, few], async (contender) => {
    await using server = await start(bench, contender, { underLoad: true })
    const measured = async (request: BenchRequest): Promise<MeasuredLoad> => {
      await load(server, request, size.warmUp)
      return await load(server, request, size.seconds)
    }
    return { filtered: await measured(filtered), create: await measured(create) }
  })
  const rows = (what: string, operation: 'filtered' | 'create'): Comparison[] => {
    const of = ({ name }: Contender) => (found.get(name) ?? []).map((loads) => loads[operation])
    return loadRows(
      `${what}, ${many.name}`,
      of(many),
      { name: few.name, loads: of(few) },
      { rate: MANY_PETS },
    )
  }
  return [...rows('POST /v1/pets', 'create'), ...rows(`GET /v1/pets?status=${RARE.status}`, 'filtered')]
}

/** The start with many pets, beside reading and parsing their file plus the bare start. */
export async function startManyRow(bench: Bench): Promise<Comparison[]> {
  const { size } = bench
  const many = withPets(size.pets)
  const startMs = async (contender: Contender): Promise<number> => {
    await using server = await start(bench, contender, { underLoad: true })
    return server.startMs
  }
  const least = { name: 'one JSON.parse and the bare start' }
  const found = await inTurn(bench, 'start with many pets', size.rounds, [many, least], async (entry) =>
    entry === least ? (await parseMs(bench, many.original)) + (await startMs(BARE)) : startMs(many),
  )
  const [ours = [], figures = []] = [found.get(many.name), found.get(least.name)]
  const against = { name: least.name, figures }
  return [{ what: `start ${many.name}`, unit: 'ms', ours, against, goal: START_MANY }]
}

/** The time to parse the file in a separate process, like the sandbox. */
async function parseMs({ node }: Bench, file: string): Promise<number> {
  const script = `const began = performance.now()
    JSON.parse(require('node:fs').readFileSync(process.argv[1], 'utf8'))
    console.log(performance.now() - began)`
  return Number(await output(onServerCore([node, '-e', script, file]), { timeoutMs: PARSE_MS }))
}
