/** Something was asked for in a way that cannot be meant. The message says what, where and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What `read` gives; a RangeError of it becomes a UsageError that begins with the place it is about. */
export function at<T>(where: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`${where}: ${error.message}`)
    throw error
  }
}
