import type { Worlds } from '../../../src/domain/world/worlds.ts'
import type { Commands } from '../../../src/history/commands.ts'
import { RecentCommands } from '../../../src/history/recent.ts'

/** Keeps no command. */
export const keepRecent = (_commands: Commands, worlds: Worlds): RecentCommands =>
  new RecentCommands(worlds.budget)
