import type { Command } from 'commander'
import { command } from '../command.ts'
import { completionScript, SHELLS } from '../completion/script.ts'

export const completion = command({
  takes: { '<shell>': { summary: 'the shell', choices: SHELLS } },
  examples: [
    'completion bash >> ~/.bashrc',
    'completion zsh > ~/.zsh/completions/_petstore-sandbox   # a folder of $fpath',
    'completion fish > ~/.config/fish/completions/petstore-sandbox.fish',
  ],
  run: ({ shell }, io, { parent }) => io.out(completionScript(parent as Command, shell)),
})
