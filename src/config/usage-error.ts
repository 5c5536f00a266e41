/** Wrong usage. The message says what is wrong, where, and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * The result of `read`; a RangeError becomes a UsageError in which each line begins with `where`.
 */
export function at<T>(where: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
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
  const refusals: string[] = []
  const values = reads.flatMap((read) => {
    try {
      return [read()]
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      refusals.push(error.message)
      return []
    }
  })
  if (refusals.length > 0) throw new UsageError(refusals.join('\n'))
  return values
}
