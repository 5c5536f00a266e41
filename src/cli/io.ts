import type { Colours } from '../views/paint.ts'

/** What a command knows of its surroundings, and where it writes. */
export interface Io {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** What is piped in, or typed where it is a terminal. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown }
  /** Data: goes to stdout, which may be a pipe. */
  out(text: string): void
  /** Talk: goes to stderr. */
  talk(text: string): void
  /** Colours for stdout and stderr, each judged by its own stream. */
  readonly paint: Colours
  readonly talkPaint: Colours
  /** How wide the terminal is behind stdout and behind stderr; undefined where it is none. */
  readonly columns?: number | undefined
  readonly talkColumns?: number | undefined
  /** Whether somebody reads the talk as it comes. */
  readonly talksToTerminal: boolean
}
