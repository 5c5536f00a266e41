import type { Command } from 'commander'
import { UsageError } from '../config/usage-error.ts'
import { didYouMean } from '../contract/nearest.ts'
import { printableLines } from '../domain/printable.ts'
import { exitCodeOf, messageOf } from './failure.ts'
import type { Io } from './io.ts'
import { calledCommand, createProgram } from './program.ts'
import { COMMAND_ROWS } from './registry.ts'

/** The command that tells what all of them take, so that it needs them all. */
const DESCRIBES_ALL = 'completion'

/** Carries out a command line, without the program's own name, and gives its exit code. */
export async function run(args: string[], io: Io): Promise<number> {
  const name = calledCommand(args)
  try {
    refuseUnknown(name, COMMAND_ROWS.map((row) => row.name).concat('help'), 'command')
    const program = await createProgram(io, (candidate) => candidate === name || name === DESCRIBES_ALL)
    refuseUnknownPart(program, name, args)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    const message = messageOf(error, name)
    if (message !== undefined)
      io.talk(`${io.talkPaint.bad('petstore-sandbox:')} ${printableLines(message)}\n`)
    return exitCodeOf(error)
  }
}

/** commander would take `keys lst` for an argument too many of `keys list`. */
function refuseUnknownPart(program: Command, name: string, [called, part]: readonly string[]): void {
  const parts = program.commands.find((command) => command.name() === name)?.commands ?? []
  if (parts.length === 0 || called !== name || part === undefined || part.startsWith('-')) return
  refuseUnknown(part, parts.map((command) => command.name()).concat('help'), `${name} command`)
}

function refuseUnknown(given: string, names: readonly string[], what: string): void {
  if (names.includes(given)) return
  throw new UsageError(
    `There is no ${what} "${given}".${didYouMean(given, names)} Commands: ${names.join(', ')}`,
  )
}
