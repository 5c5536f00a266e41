import type { BrowserContext } from '@playwright/test'
import type { WorldHandle } from '../client/world.ts'
import type { ClockView } from '../contract/generated/control.types.d.ts'

/**
 * The longest step in which every timer of a page fires each time that it is due, so that a countdown ticks, in
 * milliseconds. In a longer step it fires at most once, as after a computer has slept. Backward, only the date changes.
 */
const LONGEST_RUN = 5 * 60_000

export type PageClocks = ReturnType<typeof createPageClocks>

/** The clocks of the pages of one test, which follow the clock of its world. */
export function createPageClocks() {
  const contexts = new Set<BrowserContext>()
  const open = () => [...contexts].map(({ clock }) => clock)

  async function follow(before: ClockView, after: ClockView, now: () => Promise<ClockView>): Promise<void> {
    const passed = Date.parse(after.now) - Date.parse(before.now)
    await Promise.all(
      open().map(async (clock) => {
        if (passed > 0) await (passed <= LONGEST_RUN ? clock.runFor(passed) : clock.fastForward(passed))
        // The date of a page that was loaded later, or whose timers took long, would stay behind.
        await clock.setSystemTime((await now()).now)
      }),
    )
  }

  return {
    /** From now on, pages of this context have the time of the world. */
    async add(context: BrowserContext, world: WorldHandle): Promise<void> {
      const { now } = await world.clock.now()
      await context.clock.install({ time: now })
      contexts.add(context)
      context.once('close', () => contexts.delete(context))
    },
    /** The world. When its clock is moved, the clocks of the pages move too. */
    followed(world: WorldHandle): WorldHandle {
      const { clock, reset, rewind } = world
      const moved =
        <Arguments extends readonly unknown[], Value>(move: (...args: Arguments) => Promise<Value>) =>
        async (...args: Arguments) => {
          const before = await clock.now()
          const value = await move(...args)
          await follow(before, await clock.now(), clock.now)
          return value
        }
      return {
        ...world,
        clock: { ...clock, advance: moved(clock.advance), set: moved(clock.set), reset: moved(clock.reset) },
        reset: moved(reset),
        rewind: moved(rewind as (...given: unknown[]) => ReturnType<WorldHandle['rewind']>),
      }
    },
  }
}
