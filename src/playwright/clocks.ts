import type { BrowserContext } from '@playwright/test'
import type { WorldHandle } from '../client/world.ts'
import type { ClockView } from '../contract/generated/control.types.d.ts'

/**
 * The longest step in which every timer of a page fires each time that it is due, so that a countdown ticks, in
 * milliseconds. In a longer step it fires at most once, as after a computer has slept. Backward, only the date changes.
 */
const LIVED_THROUGH = 5 * 60_000

export type PageClocks = ReturnType<typeof createPageClocks>

/** The clocks of the pages of one test, which follow the clock of its world. */
export function createPageClocks() {
  const contexts = new Set<BrowserContext>()
  const open = () => [...contexts].map(({ clock }) => clock)

  async function follow(before: ClockView, after: ClockView): Promise<ClockView> {
    const passed = Date.parse(after.now) - Date.parse(before.now)
    await Promise.all(
      open().map((clock) => {
        if (passed <= 0) return clock.setSystemTime(after.now)
        return passed <= LIVED_THROUGH ? clock.runFor(passed) : clock.fastForward(passed)
      }),
    )
    return after
  }

  return {
    /** From now on, pages of this context have the time of the world. */
    async add(context: BrowserContext, world: WorldHandle): Promise<void> {
      const { now } = await world.clock.now()
      await context.clock.install({ time: now })
      contexts.add(context)
      context.once('close', () => contexts.delete(context))
    },
    /** The clock of the world. When it is moved, the clocks of the pages move too. */
    clockOf({ clock }: WorldHandle): WorldHandle['clock'] {
      const moved =
        <Arguments extends readonly unknown[]>(move: (...args: Arguments) => Promise<ClockView>) =>
        async (...args: Arguments) =>
          follow(await clock.now(), await move(...args))
      return { ...clock, advance: moved(clock.advance), set: moved(clock.set), reset: moved(clock.reset) }
    },
  }
}
