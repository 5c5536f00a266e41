import { writeFileSync } from 'node:fs'

/**
 * Loaded before a program (node --import): records the stalls of its event loop, and writes them at the end. A histogram
 * of perf_hooks has no instants.
 */
const EVERY_MS = 1
const WORTH_NOTING_MS = 3

const stalls: { at: number; ms: number }[] = []
let last = performance.now()

setInterval(() => {
  const now = performance.now()
  const ms = now - last - EVERY_MS
  last = now
  if (ms > WORTH_NOTING_MS) stalls.push({ at: Date.now(), ms })
}, EVERY_MS).unref()

process.on('exit', () => writeFileSync(process.env.BENCH_STALLS ?? 'stalls.json', JSON.stringify(stalls)))
