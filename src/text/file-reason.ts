import { errorCode, errorMessage } from './error.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'there is no permission to use it',
}

/** Why a file cannot be used: a sentence for a wrong path, else the message of the runtime. */
export const fileReason = (error: unknown): string => REASONS[errorCode(error) ?? ''] ?? errorMessage(error)
