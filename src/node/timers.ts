/** The real timers, even if a test in this process fakes timers later. */
export const { setImmediate, setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
