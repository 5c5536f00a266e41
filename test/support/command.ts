import { type Applied, Command } from '../../src/world/command.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'
import type { World } from '../../src/world/world.ts'

/** A command; `members` are those that matter for a test. */
export const command = (members: Partial<Applied> = {}): Command =>
  new Command({ n: 1, at: Date.UTC(2026, 10, 19, 12, 34, 56), request: undefined, keys: [], ...members })

/** Records a request in a world; returns its command. */
export function answered(world: World, exchange: Exchange, members: Partial<Applied> = {}): Command {
  const sent = command(members)
  world.watch.begin(sent, true)
  world.end(sent, exchange)
  return sent
}
