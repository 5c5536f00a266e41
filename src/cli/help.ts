import type { Command } from 'commander'

/** Adds examples to the help of a command; each is given without the name of the program. */
export const addExamples = (command: Command, ...examples: string[]): Command =>
  command.addHelpText(
    'after',
    `\nExamples:\n${examples.map((example) => `  $ petstore-sandbox ${example}\n`).join('')}`,
  )
