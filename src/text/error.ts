/** The message of anything that was thrown. */
export const errorMessage = (thrown: unknown): string => String(Object(thrown).message ?? thrown)

/** The code of an error of the runtime, such as ENOENT. */
export const errorCode = (thrown: unknown): string | undefined => Object(thrown).code

/** Whether there is no file or directory of that name. */
export const isMissing = (thrown: unknown): boolean => errorCode(thrown) === 'ENOENT'

/** The reason for a document whose nesting exceeds the stack. */
export const TOO_DEEP = 'it is nested too deeply'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'there is no permission to use it',
}

/**
 * The reason why a file cannot be used: a sentence for a wrong path, else the message of the runtime. It names no path,
 * because users may not know the file, such as a lock.
 */
export const fileReason = (error: unknown): string =>
  REASONS[errorCode(error) ?? ''] ?? errorMessage(error).replace(/^(E[A-Z0-9]+: [^,]*), \w+ '.*'$/s, '$1')

/** The reason why a file cannot be written. */
export const unwritableReason = (error: unknown): string =>
  isMissing(error) ? 'it cannot be created there' : fileReason(error)
