import type { Command } from 'commander'
import { completionScript, SHELLS, type Shell } from '../completion/script.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'

export function register(command: Command, io: Io): void {
  command
    .addArgument(command.createArgument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => io.out(completionScript(command.parent as Command, shell)))
  addExamples(
    command,
    'completion bash >> ~/.bashrc',
    'completion zsh > ~/.zsh/completions/_petstore-sandbox   # a folder of $fpath',
    'completion fish > ~/.config/fish/completions/petstore-sandbox.fish',
  )
}
