/** An error whose message says what is wrong (`problem`) and then what to do (`fix`). */
export class AdvisedError extends Error {
  readonly problem: string
  readonly fix: string | undefined
  constructor(problem: string, fix?: string) {
    super(advised(problem, fix))
    this.problem = problem
    this.fix = fix?.trim()
  }
}

/** A value that cannot be used. The caller adds where the value was given. */
export class InvalidValue extends RangeError {
  override readonly name = 'InvalidValue'
  readonly problem: string
  readonly fix: string
  constructor(problem: string, fix: string) {
    super(advised(problem, fix))
    this.problem = problem
    this.fix = fix.trim()
  }
}

const advised = (problem: string, fix: string | undefined): string =>
  fix === undefined ? problem : `${problem}${/^[a-z]/.test(fix) ? ';' : '.'} ${fix.trim()}`
