import type { Commands } from '../../../src/past/commands.ts'
import { RecentCommands } from '../../../src/past/recent.ts'
import type { Worlds } from '../../../src/world/worlds.ts'

/** Receives no point of history, since there is none. */
class NoCommands extends RecentCommands {
  override recorded(): void {}
}

/** Keeps no command. */
export const keepRecent = (_commands: Commands, worlds: Worlds): RecentCommands =>
  new NoCommands(worlds.budget)
