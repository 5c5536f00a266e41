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
  /** The colours of stdout and of stderr, each as its own stream supports them. */
  readonly paint: Colours
  readonly talkPaint: Colours
  /** Columns of the terminal at stdout and at stderr; undefined if that is no terminal. */
  readonly columns?: number | undefined
  readonly talkColumns?: number | undefined
  /** Whether stderr is a terminal. */
  readonly talksToTerminal: boolean
}
