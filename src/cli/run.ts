import { Command } from 'commander'
import { choose, UsageError } from '../config/usage-error.ts'
import { VERSION } from '../contract/version.ts'
import { printableLines } from '../text/printable.ts'
import { escapeCommands } from '../text/workflow-commands.ts'
import type { Io } from './command.ts'
import { type FromCommand, failureOf } from './exit-code.ts'
import { COMMAND_ROWS, COMMANDS } from './registry.ts'
import { jsonText } from './values.ts'

const DEFAULT_COMMAND = 'start'

/** This command needs all others loaded, because it describes their options. */
const DESCRIBES_ALL = 'completion'

/** Runs a command line (without the name of the program). Resolves to its exit code. */
export async function run(given: string[], terminal: Io): Promise<number> {
  const io = terminal.env.GITHUB_ACTIONS ? withAnnotations(terminal) : terminal
  const args = helpAsFlag(given)
  const [first = '-'] = args
  const name = first.startsWith('-') ? DEFAULT_COMMAND : first
  let called = name
  try {
    refuseUnknown(name, COMMAND_ROWS.map((row) => row.name).concat('help'), 'command')
    const isAboutProgram = name !== first && args.some((word) => /^(-h|--help|-v|--version)$/.test(word))
    const isCalled = (each: string): boolean => each === name || name === DESCRIBES_ALL
    // Without the other commands, each start is faster. The help of the program lists all, and needs none of them loaded.
    const program = await createProgram(io, isAboutProgram ? 'listed' : isCalled)
    called = withSubcommand(program, name, args)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Options before a command are read as those of start.
    const { command }: FromCommand = Object(error)
    const later = name === first ? undefined : COMMAND_ROWS.find((row) => command?.args.includes(row.name))
    const { exitCode, message, code, status, fix } = failureOf(error, called, later?.name)
    const isJson = args.slice(0, args.indexOf('--') >>> 0).includes('--json')
    if (message !== undefined && isJson) io.talk(jsonText({ code, message, status, fix }))
    else if (message !== undefined)
      io.talk(`${io.talkPaint.bad('petstore-sandbox:')} ${printableLines(message)}\n`)
    return exitCode
  }
}

/** Escapes workflow commands in all output but annotations. Does not read `input`, which would open stdin. */
const withAnnotations = (io: Io): Io =>
  Object.assign(Object.create(io) as Io, {
    talk: (text: string) => io.talk(escapeCommands(text)),
    // A file does not get to the runner, and its format may not be JSON.
    out: (text: string) => io.out(io.writesToFile ? text : escapeCommands(text)),
    annotate: (commands: string) => io.talk(commands),
  })

/** `help faults add` means `faults add --help`; `help --help` and `help help` mean `--help`. */
const helpAsFlag = (args: string[]): string[] =>
  args[0] === 'help' ? [...args.filter((word) => !['help', '--help', '-h'].includes(word)), '--help'] : args

/**
 * The called command with its subcommand, as arguments of `help`: `keys create`. Throws a UsageError for an unknown
 * subcommand: commander would report `lst` in `keys lst` as a superfluous argument of `keys list`.
 */
function withSubcommand(program: Command, name: string, [called, part = '-']: readonly string[]): string {
  const command = program.commands.find((each) => each.name() === name)
  const known = command?.commands.map((each) => each.name()) ?? []
  if (known.length === 0 || called !== name || part.startsWith('-')) return name
  refuseUnknown(part, [...known, 'help'], `${name} command`)
  return known.includes(part) ? `${name} ${part}` : name
}

function refuseUnknown(given: string, names: readonly string[], what: string): void {
  if (names.includes(given)) return
  const isFile = what === 'command' && /\.(?:json|ya?ml|[ct]sv)$/i.test(given)
  const isInterface = /openapi|swagger|overlay/i.test(given)
  const use = isInterface
    ? 'The interface is part of the sandbox; an overlay changes it: --overlay <file>. '
    : `Start with this file: --fixture ${given}. `
  throw new UsageError(
    `There is no ${what} "${given}"`,
    (isFile ? use : '') + choose('Commands', names, given).trim(),
  )
}

/**
 * Creates the command line with the commands that `has` accepts; `listed`: all of them, by name and summary only. It
 * throws a CommanderError instead of ending the process.
 */
export async function createProgram(io: Io, has: 'listed' | ((name: string) => boolean)): Promise<Command> {
  const program = new Command('petstore-sandbox')
    // Commands inherit these settings if they are added later.
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: () => {} })
    .configureHelp({ showGlobalOptions: false })
    .description(
      'A local Animal Store API: stateful pets, plans with real limits, and a clock your tests control.',
    )
    .enablePositionalOptions()
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .showSuggestionAfterError(false)
    .helpCommand('help [command...]', 'print the help of a command')
  for (const [heading, rows] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading)
    for (const row of rows) {
      if (has !== 'listed' && !has(row.name)) continue
      const command = program
        .command(row.name, { isDefault: row.name === DEFAULT_COMMAND })
        .description(row.summary)
      if (has !== 'listed') (await row.load()).register(command, io)
    }
  }
  return program.addHelpText('after', HINTS)
}

const HINTS = `
Without a command, the sandbox starts. See petstore-sandbox start --help.

Examples:
  $ petstore-sandbox --port 0 --fixture busy
  $ petstore-sandbox clock advance 61s
  $ petstore-sandbox faults add --operation createPet --status 503 --times 2
`
