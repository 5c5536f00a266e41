import { printableLines } from '../text/printable.ts'

/** A notice for users, in a sentence. */
export interface Notice {
  /** `unused-fixture`: not shown to programs that start again and again with the same options. */
  readonly kind: 'unused-fixture' | 'warning'
  readonly text: string
}

/** Collects notices until the sandbox has started; then writes each to the terminal. */
export class Notices {
  readonly collected: Notice[] = []
  #hasStarted = false

  readonly add = (notice: Notice): void => {
    if (this.#hasStarted) writeToTerminal(notice.text)
    else this.collected.push(notice)
  }

  readonly warn = (text: string): void => this.add({ kind: 'warning', text })

  started(): void {
    this.#hasStarted = true
  }
}

export const writeToTerminal = (warning: string): void =>
  void process.stderr.write(`${printableLines(warning)}\n`)
