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

/** Wrong values inside an option: a line for each. */
export class InvalidMembers extends RangeError {
  override readonly name = 'InvalidMembers'
  /** `path`: from the option on, such as `['keys', 0, 'plan']`. */
  readonly problems: readonly { readonly path: readonly (string | number)[]; readonly text: string }[]
  constructor(problems: InvalidMembers['problems']) {
    super(problems.map(({ text }) => text).join('\n'))
    this.problems = problems
  }
}

const advised = (problem: string, fix: string | undefined): string =>
  fix === undefined ? problem : `${problem}${/^[a-z]/.test(fix) ? ';' : '.'} ${fix.trim()}`
