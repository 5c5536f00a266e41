import type { Worlds } from '../../../src/domain/world/worlds.ts'
import type { Commands } from '../../../src/history/commands.ts'
import { RecentCommands } from '../../../src/history/recent.ts'

/** Receives no point of history, since there is none. */
class NoCommands extends RecentCommands {
  override recorded(): void {}
}

/** Keeps no command. */
export const keepRecent = (_commands: Commands, worlds: Worlds): RecentCommands =>
  new NoCommands(worlds.budget)
