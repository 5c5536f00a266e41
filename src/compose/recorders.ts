import type { Keep } from '../api/call.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { Worlds } from '../world/worlds.ts'

export type Recorder = (exchange: Exchange) => void

/** Adds each exchange to the report, the journal and the history of its namespace. */
export const keepInWorlds =
  (worlds: Worlds): Keep =>
  ({ world, command }, exchange, isAmended) => {
    if (worlds.find(world.name) !== world) command.dropConnection()
    else if (isAmended) world.amend(command, exchange)
    else world.end(command, exchange)
  }

/** Passes each exchange to the present subscribers. */
export const notifying =
  (subscribers: ReadonlySet<Recorder>): Recorder =>
  (exchange) => {
    for (const notify of subscribers) notify(exchange)
  }
