import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { type Arguments, readArguments, USAGE } from './arguments.ts'
import { killChildren } from './children.ts'
import { type Comparison, judge } from './comparison.ts'
import { BARE, type Contender } from './contenders.ts'
import { type Bench, FULL, QUICK } from './context.ts'
import { CONNECTIONS, wrkVersion } from './load.ts'
import { describeMachine, stayOffServerCore } from './machine.ts'
import { nodeProgram, nodeVersion } from './packages.ts'
import { asJson, asMarkdown, asText, type Report } from './report.ts'
import { ROWS } from './rows/rows.ts'
import { SCRATCH } from './scratch.ts'
import { plainTable } from './table.ts'

// Ends all child processes and removes all files of this run, however it ends.
process.on('exit', () => {
  killChildren()
  rmSync(SCRATCH, { recursive: true, force: true, maxRetries: 5 })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

const BUILT = new URL('../../dist/cli.js', import.meta.url)

try {
  const args = readArguments(process.argv.slice(2))
  if (!existsSync(BUILT)) throw new Error('The program is not built yet: npm run build')
  const report = await measure(args)
  console.log(asText(report))
  if (args.json) writeFileSync(args.json, asJson(report))
  if (args.markdown) writeFileSync(args.markdown, asMarkdown(report))
  process.exitCode = report.failures.length > 0 ? 1 : 0
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`)
  process.exitCode = 2
}

async function measure({ rows, peers, major, base, quick }: Arguments): Promise<Report> {
  const notes: string[] = []
  const failures: string[] = []
  const progress = (text: string): void => console.error(text)
  const load = `wrk ${await wrkVersion()}, one thread, ${CONNECTIONS} connections`
  progress('Installing what is not there yet into the temporary folder')
  const bench: Bench = {
    size: quick ? QUICK : FULL,
    node: await nodeProgram(major),
    major,
    base,
    beside: [BARE, ...runningOn(major, peers, notes)],
    note: (text) => notes.push(text),
    fail: (text) => failures.push(text),
    progress,
  }
  const at = new Date().toISOString()
  const machine = describeMachine()
  stayOffServerCore()
  const comparisons: Comparison[] = []
  for (const row of rows) {
    try {
      const found = await ROWS[row](bench)
      comparisons.push(...found)
      // Printed at once, for a long run that is ended early.
      progress(`\n${plainTable(found.map(judge))}\n`)
    } catch (error) {
      failures.push(`${row}: ${(error as Error).message}`)
    }
  }
  const { size, beside } = bench
  return { at, node: nodeVersion(major), machine, load, size, beside, comparisons, notes, failures }
}

function runningOn(major: number, peers: readonly Contender[], notes: string[]): Contender[] {
  const tooNew = peers.filter(({ leastNode = 0 }) => leastNode > major)
  for (const { name, leastNode } of tooNew) notes.push(`${name} needs Node ${leastNode} or later.`)
  return peers.filter((peer) => !tooNew.includes(peer))
}
