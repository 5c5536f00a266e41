/** The message of anything that was thrown. */
export const errorMessage = (thrown: unknown): string => String(Object(thrown).message ?? thrown)

/** The code of an error of the runtime, such as ENOENT. */
export const errorCode = (thrown: unknown): string | undefined => Object(thrown).code

/** Whether there is no file or directory of that name. */
export const isMissing = (thrown: unknown): boolean => errorCode(thrown) === 'ENOENT'

/** The reason for a document whose nesting exceeds the stack. */
export const TOO_DEEP = 'it is nested too deeply'
