import { printableLines } from '../text/printable.ts'

/** What users should know: collected until the sandbox has started, written to the terminal from then on. */
export class Notices {
  readonly collected: string[] = []
  #hasStarted = false

  readonly add = (notice: string): void => {
    if (this.#hasStarted) writeToTerminal(notice)
    else this.collected.push(notice)
  }

  started(): void {
    this.#hasStarted = true
  }
}

export const writeToTerminal = (warning: string): void => {
  process.stderr.write(`${printableLines(warning)}\n`)
}
