import { type Command, Option } from 'commander'
import { readText, readWord } from '../config/readers.ts'
import { at } from '../config/usage-error.ts'
import { printableLines } from '../text/printable.ts'
import type { Colours } from '../views/colours.ts'

/** The environment of a command: variables, working directory, input and output. */
export interface Io {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** stdin: a pipe or a terminal. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown }
  /** Writes results to stdout, which may be a pipe. */
  out(text: string): void
  /** Writes messages for people to stderr. */
  talk(text: string): void
  /** Writes workflow commands of GitHub Actions; undefined elsewhere. In all other output they are escaped. */
  annotate?(commands: string): void
  /** Whether stdout is a file. */
  readonly writesToFile?: boolean
  /** The colours of stdout and of stderr, each as its own stream supports them. */
  readonly paint: Colours
  readonly talkPaint: Colours
  /** Columns of the terminal at stdout and at stderr; undefined if that is not a terminal. */
  readonly columns?: number | undefined
  readonly talkColumns?: number | undefined
  /** Whether stderr is a terminal. */
  readonly talksToTerminal: boolean
}

/** Writes a notice to stderr. */
export const talkNotice = (text: string, { talk, talkPaint }: Io): void =>
  talk(`${talkPaint.warn(printableLines(text))}\n`)

/** An argument or option: its help, and its choices or how its text is read. */
type Parameter =
  | string
  | {
      readonly summary: string
      readonly choices?: readonly string[]
      /** Like `choices`, but the command validates the value itself. */
      readonly words?: readonly string[]
      readonly default?: string
      /** The names of options that cannot be given together with this one. */
      readonly conflicts?: readonly string[]
      /** Its RangeError gets the name of the option or argument. */
      readonly read?: (text: string, before: never) => unknown
    }

/** The arguments and options of a command, by their syntax in commander: `<file>`, `[part...]`, `--status <status>`. */
export type Takes = Readonly<Record<string, Parameter>>

type Camel<Text> = Text extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Text

type NameOf<Syntax> = Syntax extends `--${infer Flag} ${string}` | `--${infer Flag}`
  ? Flag extends `${string} ${string}`
    ? never
    : Camel<Flag>
  : Syntax extends `${'<' | '['}${infer Name}${'...' | ''}${'>' | ']'}`
    ? Name
    : never

type OneOf<T> = T extends { readonly read: (...given: never) => infer Value }
  ? Value
  : T extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : string

type ValueOf<Syntax, T> = Syntax extends `${string}...${string}`
  ? readonly OneOf<T>[]
  : Syntax extends `<${string}`
    ? OneOf<T>
    : Syntax extends `--${string} <${string}` | `[${string}`
      ? OneOf<T> | (T extends { readonly default: string } ? never : undefined)
      : Syntax extends `--${string} [${string}`
        ? OneOf<T> | true | undefined
        : true | undefined

/** The values of the arguments and options, by name: `{ file, status, retryAfter }`. */
export type Given<T> = { readonly [Syntax in keyof T as NameOf<Syntax>]: ValueOf<Syntax, T[Syntax]> }

export interface CommandSpec<T extends Takes> {
  /** For a subcommand; the summary of a command is in the registry. */
  readonly summary?: string
  readonly takes?: T
  /** Whether everything after the first argument is passed on, options too. */
  readonly passThrough?: true
  /** Paragraphs of the help, before the examples. */
  readonly notes?: readonly string[]
  /** Each without the name of the program. */
  readonly examples?: readonly string[]
  run(given: Given<T>, io: Io, command: Command): Promise<void> | void
}

/** A command that can be added to commander. */
export interface Declared {
  readonly summary: string
  /** Adds arguments, options, help and action to a command of commander. */
  register(command: Command, io: Io): void
}

/** A command: its arguments and options as a table, and a function that receives their values by name. */
export const command = <const T extends Takes>(spec: CommandSpec<T>): Declared => ({
  summary: spec.summary ?? '',
  register(command, io) {
    for (const [syntax, parameter] of Object.entries(spec.takes ?? {})) add(command, syntax, parameter)
    addHelp(command, spec.examples, spec.notes)
    command.exitOverride((error) => {
      throw Object.assign(error, { command })
    })
    command.passThroughOptions(spec.passThrough === true)
    command.action((...given: unknown[]) => {
      const names = command.registeredArguments.map((argument, i) => [argument.name(), given[i]])
      return spec.run({ ...command.opts(), ...Object.fromEntries(names) } as Given<T>, io, command)
    })
  },
})

/** A command with these subcommands, each under its name. The first one is the default. */
export const group = (each: Readonly<Record<string, Declared>>, examples: readonly string[]): Declared => ({
  summary: '',
  register(command, io) {
    Object.entries(each).forEach(([name, { summary, register }], i) => {
      register(command.command(name, { isDefault: i === 0 }).description(summary), io)
    })
    addHelp(command, examples)
  },
})

function add(command: Command, syntax: string, parameter: Parameter): void {
  const {
    summary,
    choices,
    words = choices,
    default: standard,
    conflicts = [],
    read = choices && readWord(...choices),
  } = typeof parameter === 'string' ? { summary: parameter } : parameter
  const added = syntax.startsWith('-') ? new Option(syntax, summary) : command.createArgument(syntax, summary)
  if (words) added.argChoices = [...words]
  if (standard !== undefined) added.default(standard)
  const where = added instanceof Option ? (added.long ?? '') : `<${added.name()}>`
  if (read)
    added.argParser<unknown>((text, before) => {
      const value = at(where, () => read(text, before as never))
      return syntax.includes('...') ? [before ?? [], value].flat() : value
    })
  if (added instanceof Option)
    command.addOption(added.conflicts(conflicts.filter((name) => name !== added.attributeName())))
  else command.addArgument(added)
}

function addHelp(command: Command, examples: readonly string[] = [], notes: readonly string[] = []): void {
  for (const note of notes) command.addHelpText('after', note)
  const lines = examples.map((example) => `  $ petstore-sandbox ${example}\n`)
  if (lines.length > 0) command.addHelpText('after', `\nExamples:\n${lines.join('')}`)
}

/** Collects the values of a repeatable option. */
export const several = (text: string, before: readonly string[] = []): string[] => [...before, text]

export const OVERLAYS = {
  '--overlay <file>': {
    summary: 'OpenAPI Overlay file that adds fields to pets; repeatable',
    read: (text: string, before?: readonly string[]) => several(readText(text), before),
  },
}
