import type { Argument, Command, Option } from 'commander'
import { DECISION_NAMES } from '../../contract/decisions/decisions.ts'
import { FIXTURE_NAMES } from '../../node/files/load.ts'
import { PLAN_NAMES } from '../../world/plan.ts'

/** The completions at one position of a command line. */
export interface Choice {
  readonly words: readonly string[]
  readonly files: boolean
}

export interface CompletedOption {
  /** `--port`, `-p` */
  readonly flags: readonly string[]
  readonly summary: string
  /** Undefined if it takes no value. */
  readonly value: Choice | undefined
}

/** A command with everything that can follow it. */
export interface CompletedCommand {
  /** `/keys/create`; empty for the program itself. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly CompletedOption[]
  readonly arguments: Choice
}

/**
 * All commands of a program, the program itself first. The first subcommand of each is its default, whose options can
 * be given without its name.
 */
export function completedCommands(command: Command, path = ''): CompletedCommand[] {
  const parts = command.commands
  const [standing] = parts
  const options = [...command.options, ...(standing?.options ?? [])].filter(({ hidden }) => !hidden)
  const completed = {
    path,
    commands: parts.map((part) => ({ name: part.name(), summary: part.description() })),
    options: [...options.map(completedOption), HELP],
    arguments: joined(command.registeredArguments.map(choiceOfArgument)),
  }
  return [completed, ...parts.flatMap((part) => completedCommands(part, `${path}/${part.name()}`))]
}

const HELP: CompletedOption = { flags: ['--help', '-h'], summary: 'print help', value: undefined }

const completedOption = (option: Option): CompletedOption => ({
  flags: [option.long, option.short].filter((flag) => flag !== undefined),
  summary: option.description,
  value: option.isBoolean() ? undefined : choiceOfOption(option),
})

/** Completions that are incomplete values, or not the only values allowed. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  '--set': DECISION_NAMES.map((name) => `${name}=`),
  '--limits': PLAN_NAMES.map((name) => `${name}=`),
  '--fixture': FIXTURE_NAMES,
}

const choiceOfOption = ({ long, flags, argChoices }: Option): Choice => ({
  words: argChoices ?? WORDS[long ?? ''] ?? [],
  files: /[<|]file>/.test(flags),
})

const choiceOfArgument = (argument: Argument): Choice => {
  const isFixture = argument.name() === 'fixture'
  return { words: argument.argChoices ?? (isFixture ? FIXTURE_NAMES : []), files: isFixture }
}

const joined = (choices: readonly Choice[]): Choice => ({
  words: choices.flatMap(({ words }) => words),
  files: choices.some(({ files }) => files),
})
