/** The real timers, even if a test in this process fakes timers later. */
export const { setImmediate, setTimeout, clearTimeout, setInterval, clearInterval } = globalThis

const { uptime } = process

/** Milliseconds of a clock that is never set. performance.now() would make Node 20 load perf_hooks at the start. */
export const monotonic = (): number => uptime() * 1000
