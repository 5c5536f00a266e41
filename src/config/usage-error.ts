import { AdvisedError, InvalidValue } from '../text/advised-error.ts'

/** Wrong usage. The message says what is wrong, where, and what to do. */
export class UsageError extends AdvisedError {
  override readonly name = 'UsageError'
}

/**
 * The result of `read`; a RangeError becomes a UsageError in which each line begins with `where`.
 */
export function at<T>(where: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvalidValue) throw new UsageError(`${where}: ${error.problem}`, error.fix)
    if (error instanceof RangeError) {
      throw new UsageError(
        error.message
          .split('\n')
          .map((line) => `${where}: ${line}`)
          .join('\n'),
      )
    }
    throw error
  }
}

/** Calls all functions; their UsageErrors become one, with a line for each. */
export function together<T>(reads: readonly (() => T)[]): T[] {
  const refusals: UsageError[] = []
  const values = reads.flatMap((read) => {
    try {
      return [read()]
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      refusals.push(error)
      return []
    }
  })
  if (refusals.length === 1) throw refusals[0]
  if (refusals.length > 1) throw new UsageError(refusals.map(({ message }) => message).join('\n'))
  return values
}
