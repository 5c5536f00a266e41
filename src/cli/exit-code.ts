import { getSystemErrorMap } from 'node:util'
import { CommanderError } from 'commander'
import { ControlError, Unreachable } from '../client/control-error.ts'
import { UsageError } from '../config/usage-error.ts'
import { OverlayError } from '../contract/openapi/document.ts'
import { FixtureError } from '../fixtures/fixture-error.ts'
import { version } from '../node/files/package.ts'
import { DataFileError } from '../node/store/data-file-error.ts'
import { RecordingError } from '../past/recording-error.ts'
import { InvalidValue } from '../text/advised-error.ts'
import { errorMessage } from '../text/error.ts'

/** Ends a command with an exit code of its own; its message was printed already. */
export class Exit extends Error {
  override readonly name = 'Exit'
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

/** A gate of exec, contract or proxy failed. */
export const GATE_FAILED = 3

const USAGE = 2
const FAILED = 1

/** The exit code for an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Exit) return error.code
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
  if (error instanceof ControlError) return error.status === 400 ? USAGE : FAILED
  return usageCode(error) !== undefined || fileProblem(error) !== undefined ? USAGE : FAILED
}

/** The errors of wrong usage, with the codes that `--json` prints. */
const USAGE_ERRORS = [
  [UsageError, 'wrong_usage'],
  [InvalidValue, 'wrong_usage'],
  [FixtureError, 'invalid_fixture'],
  [DataFileError, 'invalid_data_file'],
  [RecordingError, 'invalid_recording'],
  [OverlayError, 'invalid_overlay'],
] as const

const usageCode = (error: unknown): string | undefined =>
  USAGE_ERRORS.find(([kind]) => error instanceof kind)?.[1]

/** The message of the operating system about a file or folder; undefined for every other error. */
function fileProblem(error: unknown): string | undefined {
  const { path, errno = 0, code }: Partial<NodeJS.ErrnoException> = Object(error)
  const [, reason] = getSystemErrorMap().get(errno) ?? []
  if (path === undefined || reason === undefined) return undefined
  return `${path} cannot be used: ${reason} (${code}). ${FILE_FIXES[`${code}`] ?? 'Use another file or folder'}`
}

const FILE_FIXES: Readonly<Record<string, string>> = {
  ENOENT: 'Check the path',
  EISDIR: 'Name a file, not a folder',
  EACCES: 'Change its permissions, or use another one',
  EPERM: 'Change its permissions, or use another one',
}

/** The JSON that `--json` prints for an error. `status`: that of the answer of the control API, if there was one. */
export interface ErrorObject {
  readonly code: string
  readonly message: string
  readonly status: number | null
  /** The step that fixes the error. */
  readonly fix: string
}

export function errorObject(error: unknown, message: string, command: string): ErrorObject {
  const { code, status } = error instanceof ControlError ? error : { code: codeOf(error), status: null }
  const { fix } = Object(error) as { readonly fix?: string }
  return { code, message, status, fix: fix ?? usageFix(error, command) }
}

const TOKEN_FIX = 'Pass it with --control-token, or set PETSTORE_SANDBOX_CONTROL_TOKEN'

function usageFix(error: unknown, command: string): string {
  if (needsToken(error)) return TOKEN_FIX
  if (error instanceof CommanderError && error.code === 'commander.conflictingOption')
    return 'Leave out one of them'
  return `See petstore-sandbox ${command} --help`
}

const needsToken = (error: unknown): boolean =>
  error instanceof ControlError && error.code === 'invalid_control_token'

function codeOf(error: unknown): string {
  if (error instanceof Unreachable) return 'unreachable'
  return usageCode(error) ?? (exitCodeOf(error) === USAGE ? 'wrong_usage' : 'failed')
}

/** The message of an error of a command; undefined if it was printed already. */
export function messageOf(error: unknown, command: string): string | undefined {
  if (error instanceof Exit || (error instanceof CommanderError && error.exitCode === 0)) return undefined
  if (error instanceof CommanderError) {
    const text = error.message
      .replace(/^error: /, '')
      .replaceAll('\n', ' ')
      .replace(/\.$/, '')
    return `${text}. ${usageFix(error, command)}`
  }
  if (error instanceof ControlError)
    return error.message + versionNote(error) + (needsToken(error) ? ` ${TOKEN_FIX}` : '')
  return fileProblem(error) ?? errorMessage(error)
}

/** A note if the sandbox has another version, which may lack an operation. */
function versionNote({ sandboxVersion = version }: ControlError): string {
  if (sandboxVersion === version) return ''
  return ` The sandbox has version ${sandboxVersion}, and this command has ${version}. Use the same version of both.`
}
