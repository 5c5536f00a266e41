import { readdirSync, readFileSync, statSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Comparison } from '../comparison.ts'
import { type BenchRequest, petRequests } from '../contenders.ts'
import { type Bench, buildServer } from '../context.ts'
import { STALL } from '../goals.ts'
import { startLoad } from '../load.ts'
import { inTurn } from '../rounds.ts'
import { SCRATCH } from '../scratch.ts'
import { start } from '../server.ts'
import { DATA_FILE, withPets } from '../with-pets.ts'

/** Before the rewrite, the log must outgrow the file of many pets. */
const REWRITTEN_WITHIN_S = 240
const LOOK_EVERY_MS = 20
const READ_EVERY_MS = 3

const { one, create } = petRequests('/v1')

/** An interval of `ms` that ended at `at` (milliseconds since the epoch). */
interface Span {
  readonly at: number
  readonly ms: number
}

/**
 * Sends POST requests on all connections until the data file has been rewritten, and measures the longest stall
 * meanwhile: by a timer in the program, and by a connection that reads a pet every few milliseconds.
 */
export async function stallRow(bench: Bench): Promise<Comparison[]> {
  const { size } = bench
  const many = withPets(size.pets)
  const preload = join(SCRATCH, 'stalls.mjs')
  await buildServer('stalls', preload)
  const nodeOptions = ['--import', preload]
  const found = await inTurn(bench, 'rewrite under load', size.longRounds, [many], async (contender) => {
    await using server = await start(bench, contender, { underLoad: true, nodeOptions })
    const reader = readOften(server.url)
    const posts = await startLoad(server.url, create, REWRITTEN_WITHIN_S)
    const [began, ended] = await rewriteOf(server.folder).finally(posts.stop)
    const [reads] = await Promise.all([reader.stop(), posts.result])
    await server.end()
    const stalls = JSON.parse(readFileSync(join(server.folder, 'stalls.json'), 'utf8')) as Span[]
    const longest = (spans: readonly Span[]): number =>
      Math.max(0, ...spans.filter(({ at, ms }) => at >= began && at - ms <= ended).map(({ ms }) => ms))
    return { inside: longest(stalls), outside: longest(reads), tookMs: ended - began }
  })
  const figures = found.get(many.name) ?? []
  const took = figures.map(({ tookMs }) => `${(tookMs / 1000).toFixed(1)} s`).join(', ')
  bench.note(`Rewrite under load: POSTs on all connections until the log outgrows the file; it took ${took}.`)
  const what = `longest stall while the file is rewritten, ${many.name}`
  return [
    { what, unit: 'ms', ours: figures.map(({ inside }) => inside), goal: STALL },
    {
      what: 'the same, longest answer to one more connection',
      unit: 'ms',
      ours: figures.map((of) => of.outside),
    },
  ]
}

/** The start and the end of the next rewrite of the data file. A new file is written beside the old one, then renamed. */
async function rewriteOf(folder: string): Promise<[began: number, ended: number]> {
  const inode = (): number => statSync(join(folder, DATA_FILE)).ino
  const isWriting = (): boolean => readdirSync(folder).some((name) => name.endsWith('.tmp'))
  const old = inode()
  const giveUpAt = Date.now() + REWRITTEN_WITHIN_S * 1000
  let began: number | undefined
  while (inode() === old) {
    if (Date.now() > giveUpAt) throw new Error(`not rewritten within ${REWRITTEN_WITHIN_S} s`)
    if (isWriting()) began ??= Date.now() - LOOK_EVERY_MS
    await pause(LOOK_EVERY_MS)
  }
  const ended = Date.now()
  return [began ?? ended - LOOK_EVERY_MS, ended]
}

function readOften(url: string): { stop: () => Promise<Span[]> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const spans: Span[] = []
  let stopped = false
  const reading = (async () => {
    while (!stopped) {
      const began = performance.now()
      await read(url, one, agent)
      spans.push({ at: Date.now(), ms: performance.now() - began })
      await pause(READ_EVERY_MS)
    }
    agent.destroy()
    return spans
  })()
  // Only the caller of `stop` sees a failure.
  reading.catch(() => {})
  return {
    stop() {
      stopped = true
      return reading
    },
  }
}

const read = (url: string, { path, headers }: BenchRequest, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url + path, { headers, agent }, (response) => {
      response.resume()
      response.once('end', resolve)
    }).once('error', reject)
  })
