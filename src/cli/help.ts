import type { Command } from 'commander'

/** Examples at the end of a command's help, each as it would be typed behind the program's name. */
export const addExamples = (command: Command, ...examples: string[]): Command =>
  command.addHelpText(
    'after',
    `\nExamples:\n${examples.map((example) => `  $ petstore-sandbox ${example}\n`).join('')}`,
  )
