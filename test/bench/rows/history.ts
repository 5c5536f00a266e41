import type { Comparison } from '../comparison.ts'
import { type Contender, petRequests, SANDBOX } from '../contenders.ts'
import type { Bench } from '../context.ts'
import { type Goal, HISTORY, LOG, RECORDING, REWIND } from '../goals.ts'
import { loadRows } from '../load-rows.ts'
import { inTurn } from '../rounds.ts'
import { start } from '../server.ts'
import { sideBySide } from '../side-by-side.ts'
import { withPets } from '../with-pets.ts'
import { withoutHistory } from '../without-history.ts'

const { list, create } = petRequests('/v1')
const FEW = 12

/** The number of pets that are created and removed by the rewind. */
const CREATED = 100

/** The rates with a recording, beside those without one. */
export async function recordRows(bench: Bench): Promise<Comparison[]> {
  const recording: Contender = {
    ...SANDBOX,
    name: 'with --record',
    underLoad: (place) => [...(SANDBOX.underLoad?.(place) ?? []), '--record', 'run.jsonl'],
  }
  return rateRows(
    bench,
    'while everything is recorded',
    recording,
    { ...SANDBOX, name: 'without' },
    {
      list: RECORDING,
      create: RECORDING,
    },
  )
}

/** The rates with the log that a start prints by default, beside those with `--log silent`. */
export async function logRows(bench: Bench): Promise<Comparison[]> {
  const logging: Contender = {
    ...SANDBOX,
    name: 'with its log',
    underLoad: (place) => [...(SANDBOX.underLoad?.(place) ?? []), '--log', 'pretty'],
  }
  const silent = { ...SANDBOX, name: 'without' }
  return rateRows(bench, 'with the default log', logging, silent, { list: LOG, create: LOG })
}

/** The rates with the history, beside those of a build without it. */
export const historyRows = async (bench: Bench): Promise<Comparison[]> =>
  rateRows(bench, 'with its history', SANDBOX, await withoutHistory(), HISTORY)

async function rateRows(
  bench: Bench,
  how: string,
  contender: Contender,
  other: Contender,
  goals: { readonly list: Goal; readonly create: Goal },
): Promise<Comparison[]> {
  const rows: Comparison[] = []
  for (const [request, goal] of [
    [list, goals.list],
    [create, goals.create],
  ] as const) {
    const what = `${request.method} ${request.path} ${how}`
    const [ours, loads] = await sideBySide(bench, what, [contender, other], request)
    rows.push(...loadRows(what, ours, { name: other.name, loads }, { rate: goal }))
  }
  return rows
}

/** The duration of a read at a point of history and of a rewind, with many pets and with a few. */
export async function rewindRows(bench: Bench): Promise<Comparison[]> {
  const { size } = bench
  const [few, many] = [withPets(FEW), withPets(size.pets)]
  const found = await inTurn(bench, 'rewind', size.longRounds, [many, few], async (contender) => {
    await using server = await start(bench, contender, { underLoad: true })
    const control = async (path: string, init?: RequestInit): Promise<number> => {
      const began = performance.now()
      const response = await fetch(`${server.url}/_sandbox${path}`, init)
      if (!response.ok) throw new Error(`${path} answered with ${response.status}: ${await response.text()}`)
      await response.text()
      return performance.now() - began
    }
    for (let n = 0; n < CREATED; n++) {
      const { path, method, headers, body = '' } = create
      await (await fetch(server.url + path, { method, headers, body })).text()
    }
    // The first call loads the control API.
    await control('/history')
    const view = await control('/keys/psk_enterprise/limits?at=req_000002')
    const rewind = await control('/rewind', { method: 'POST', body: '{"to":"req_000002"}' })
    return { view, rewind }
  })
  const row = (what: string, which: 'view' | 'rewind'): Comparison => {
    const of = ({ name }: Contender): number[] => (found.get(name) ?? []).map((each) => each[which])
    bench.note(
      `${what}, ${few.name}: ${of(few)
        .map((ms) => ms.toFixed(1))
        .join(', ')} ms.`,
    )
    return { what: `${what}, ${many.name}`, unit: 'ms', ours: of(many), goal: REWIND }
  }
  return [row('a look at a point of history', 'view'), row(`a rewind over ${CREATED} requests`, 'rewind')]
}
