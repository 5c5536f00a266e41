import type { Timer } from '../time/timer.ts'

/** The real timers, also if a test in this process has faked the global ones: Node has them as a module. */
export const { setTimeout, clearTimeout, setInterval, clearInterval } =
  globalThis.process?.getBuiltinModule?.('node:timers') ?? globalThis

/** The longest wait of a timer, in milliseconds. */
export const LONGEST_TIMER = 2 ** 31 - 1

export const timer: Timer = (milliseconds, act) => {
  const set = setTimeout(act, milliseconds)
  return () => clearTimeout(set)
}
