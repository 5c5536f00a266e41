import { writeFileSync } from 'node:fs'

/**
 * Loaded before a program (node --import): notes when its event loop stood still, and writes that down at its
 * end. A histogram of perf_hooks would not tell when.
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
