import type { Command } from 'commander'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { completedCommands } from './model.ts'
import { zshScript } from './zsh.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

export type Shell = keyof typeof SCRIPTS

export const SHELLS = Object.keys(SCRIPTS) as Shell[]

/** The completion script of each shell; completing does not start the program. */
export const completionScript = (program: Command, shell: Shell): string =>
  SCRIPTS[shell](completedCommands(program))
