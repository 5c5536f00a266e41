import type { Command } from 'commander'

/** Collects the values of an option that can be given several times. */
export const several = (text: string, before: readonly string[] = []): string[] => [...before, text]

/** Adds `--overlay`, which `summary` describes. */
export const addOverlays = (command: Command, summary: string): Command =>
  command.option('--overlay <file>', `OpenAPI Overlay 1.0 file${summary}; repeatable`, several)

/** Adds examples to the help of a command; each is given without the name of the program. */
export const addExamples = (command: Command, ...examples: string[]): Command =>
  command.addHelpText(
    'after',
    `\nExamples:\n${examples.map((example) => `  $ petstore-sandbox ${example}\n`).join('')}`,
  )
