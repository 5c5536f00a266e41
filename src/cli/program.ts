import { Command } from 'commander'
import { version } from '../node/files/package.ts'
import type { Io } from './io.ts'
import { COMMANDS } from './registry.ts'

const DEFAULT_COMMAND = 'start'

/**
 * Creates the command line. The help lists every command, but only the commands that `isWanted` accepts are loaded.
 * Throws a CommanderError instead of ending the process.
 */
export async function createProgram(io: Io, isWanted: (name: string) => boolean): Promise<Command> {
  const program = configured(new Command('petstore-sandbox'), io)
    .description(
      'A local Animal Store API: stateful pets, plans with real limits, and a clock your tests control.',
    )
    .enablePositionalOptions()
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command...]', 'print the help of a command')
  for (const [heading, rows] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading)
    for (const row of rows) {
      const command = program
        .command(row.name, { isDefault: row.name === DEFAULT_COMMAND })
        .description(row.summary)
      if (isWanted(row.name)) (await row.load()).register(command, io)
    }
  }
  return program.addHelpText('after', HINTS)
}

/** The name of the command that these arguments call. */
export function calledCommand(args: readonly string[]): string {
  const [first] = args
  return first === undefined || first.startsWith('-') ? DEFAULT_COMMAND : first
}

/** Settings that commands inherit: they are made before commands are added. */
const configured = (program: Command, io: Io): Command =>
  program
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: () => {} })
    .configureHelp({ showGlobalOptions: false })

const HINTS = `
petstore-sandbox alone starts the sandbox: its options are in petstore-sandbox start --help.

Examples:
  $ petstore-sandbox --port 0 --fixture busy
  $ petstore-sandbox clock advance 61s
  $ petstore-sandbox faults add --operation createPet --status 503 --times 2
`
