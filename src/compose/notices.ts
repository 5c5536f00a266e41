import { printableLines } from '../text/printable.ts'

/** A notice for users, in a sentence. */
export interface Notice {
  /** `unused-fixture`: not shown to programs that start again and again with the same options. */
  readonly kind: 'unused-fixture' | 'warning'
  readonly text: string
}

export const writeToTerminal = (warning: string): void =>
  void process.stderr.write(`${printableLines(warning)}\n`)
