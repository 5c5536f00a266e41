export { clearInterval, clearTimeout, setInterval, setTimeout } from '../web/timers.ts'
export const { setImmediate } = process.getBuiltinModule('node:timers')

const { uptime } = process

/** Milliseconds of a clock that is never set. performance.now() would make Node 20 load perf_hooks at the start. */
export const monotonic = (): number => uptime() * 1000
