import type { Command } from 'commander'
import { completionScript, SHELLS, type Shell } from '../completion/script.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { createProgram } from '../program.ts'

export function register(command: Command, io: Io): void {
  command
    .addArgument(command.createArgument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const program = await createProgram(io, () => true)
      io.out(completionScript(program, shell))
    })
  addExamples(
    command,
    'completion bash >> ~/.bashrc',
    'completion zsh > ~/.zsh/completions/_petstore-sandbox   # a folder of $fpath',
    'completion fish > ~/.config/fish/completions/petstore-sandbox.fish',
  )
}
