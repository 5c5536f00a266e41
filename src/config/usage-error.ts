import { didYouMean } from '../contract/decisions/nearest.ts'
import { AdvisedError, InvalidValue } from '../text/advised-error.ts'

/** Wrong usage. The message says what is wrong, where, and what to do. */
export class UsageError extends AdvisedError {
  override readonly name = 'UsageError'
}

/** The error of an option that has no effect without another one: `--side needs --at <request>`. */
export const needs = (option: string, other: string): UsageError =>
  new UsageError(`${option} needs ${other}`, `Add it, or leave out ${option}`)

/** Throws that error for the first option with a value. `options`: by their flags, such as `retry-after`. */
export function refuseWithout(other: string, options: object): void {
  const [given] = Object.entries(options).find(([, value]) => value !== undefined) ?? []
  if (given !== undefined) throw needs(`--${given}`, other)
}

/** The advice for an unknown name: the most similar one, and all: `Did you mean pro? Plans: free, pro`. */
export const choose = (what: string, names: readonly string[], given: string): string =>
  `${didYouMean(given, names)} ${what}: ${names.join(', ')}`

/** The result of `read`; a RangeError becomes a UsageError in which each line begins with `where`. */
export function at<T>(where: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvalidValue) throw new UsageError(`${where}: ${error.problem}`, error.fix)
    if (error instanceof RangeError)
      throw new UsageError(`${where}: ${error.message.replaceAll('\n', () => `\n${where}: `)}`)
    throw error
  }
}

/** Calls all functions. If several throw a UsageError or a RangeError, throws one UsageError with a line for each. */
export function together<T>(reads: readonly (() => T)[]): T[] {
  const refusals: Error[] = []
  const values = reads.flatMap((read) => {
    try {
      return [read()]
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof RangeError)) throw error
      refusals.push(error)
      return []
    }
  })
  const [first, ...others] = refusals
  if (!first) return values
  if (others.length === 0) throw first
  const kind = first instanceof UsageError ? UsageError : RangeError
  throw new kind(refusals.map(({ message }) => message).join('\n'))
}
