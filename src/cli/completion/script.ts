import type { Command } from 'commander'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { completedCommands } from './model.ts'
import { zshScript } from './zsh.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

export type Shell = keyof typeof SCRIPTS

export const SHELLS = Object.keys(SCRIPTS) as Shell[]

/** What makes a shell complete the program's command line, without starting it. */
export const completionScript = (program: Command, shell: Shell): string =>
  SCRIPTS[shell](completedCommands(program))
