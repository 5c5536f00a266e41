/** The real ones, whatever timers a test in this process may fake later. */
export const { setImmediate, setTimeout, clearTimeout } = globalThis
