import { Slices } from '../time/slices.ts'

/** The real ones, whatever timers a test in this process may fake later. */
const { performance, setImmediate } = globalThis

/** The one queue of this process, because all its sandboxes share its event loop. */
export const slices = new Slices({ later: setImmediate, clock: () => performance.now() })
