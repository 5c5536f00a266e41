/** Something was asked for in a way that cannot be meant. The message says what, where and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * What `read` gives; a RangeError of it becomes a UsageError that begins with the place it is about, each line of it
 * where it has several.
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

/** Carries out each; what several of them refuse becomes one UsageError, a line for each. */
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
