import { constants } from 'node:os'
import { getSystemErrorMap } from 'node:util'
import { type Command, CommanderError } from 'commander'
import { ControlError, Unreachable } from '../client/control-error.ts'
import { UsageError } from '../config/usage-error.ts'
import { didYouMean } from '../contract/decisions/nearest.ts'
import { OverlayError } from '../contract/openapi/document.ts'
import { VERSION } from '../contract/version.ts'
import { FixtureError } from '../fixtures/fixture-error.ts'
import { DataFileError } from '../node/store/data-file-error.ts'
import { RecordingError } from '../past/recording.ts'
import { InvalidValue } from '../text/advised-error.ts'
import { errorMessage } from '../text/error.ts'

/** Ends a command with an exit code of its own. Without `why`, a message was printed already. */
export class Exit extends Error {
  override readonly name = 'Exit'
  readonly code: number
  readonly fix: string | undefined
  constructor(code: number, why?: string, fix?: string) {
    super(why)
    this.code = code
    this.fix = fix
  }
}

/** The exit code of a program that a signal ends, as in a shell. */
export const codeOf = (signal: NodeJS.Signals): number => 128 + (constants.signals[signal] ?? 0)

/** A gate of exec, contract or proxy failed. */
export const GATE_FAILED = 3

const USAGE = 2
const FAILED = 1

/** The errors of wrong usage, with the codes that `--json` prints. */
const USAGE_ERRORS = [
  [UsageError, 'wrong_usage'],
  [InvalidValue, 'wrong_usage'],
  [FixtureError, 'invalid_fixture'],
  [DataFileError, 'invalid_data_file'],
  [RecordingError, 'invalid_recording'],
  [OverlayError, 'invalid_overlay'],
] as const

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
  EMFILE: 'Raise the limit of open files (ulimit -n)',
}

interface Failure {
  readonly exitCode: number
  /** For people; undefined if it was printed already. */
  readonly message: string | undefined
  readonly code: string
  /** The status of the answer of the control API, if there was one. */
  readonly status: number | null
  /** The step that fixes the error. */
  readonly fix: string
}

/** An error of commander about the arguments of a command. */
export type FromCommand = { readonly command?: Command }

/** `later`: the name of a command that was written after its options. */
export function failureOf(error: unknown, command: string, later?: string): Failure {
  const order = later && `Write the command before its options: petstore-sandbox ${later} …`
  const { fix = order ?? `See petstore-sandbox ${command} --help` }: { readonly fix?: string } = Object(error)
  const failed = { exitCode: FAILED, message: errorMessage(error), code: 'failed', status: null, fix }
  if (error instanceof Exit) return { ...failed, exitCode: error.code, message: error.message || undefined }
  if (error instanceof CommanderError) return { ...failed, ...commanderFailure(error, fix) }
  if (error instanceof ControlError) return { ...failed, ...controlFailure(error) }
  if (error instanceof Unreachable) return { ...failed, code: 'unreachable' }
  const problem = fileProblem(error)
  const [, code = problem && 'wrong_usage'] = USAGE_ERRORS.find(([kind]) => error instanceof kind) ?? []
  return code === undefined
    ? failed
    : { ...failed, exitCode: USAGE, message: problem ?? failed.message, code }
}

function commanderFailure(error: CommanderError & FromCommand, help: string): Partial<Failure> {
  const { exitCode, code, message, command } = error
  if (exitCode === 0) return { exitCode, message: undefined }
  const [option = ''] =
    (code === 'commander.unknownOption' && command?.parseOptions(command.args).unknown) || []
  // No option begins with a digit.
  if (/^-\d/.test(option) && command?.name() === 'advance') {
    const fix = 'Leave out the minus sign; clock set <instant> sets a clock back'
    const problem = `"${option}" is negative: a duration must be positive`
    return { exitCode: USAGE, message: `${problem}. ${fix}`, code: 'wrong_usage', fix }
  }
  // --prot=4011 is like --prot 4011.
  const near = didYouMean(option.replace(/=.*/s, ''), command?.options.map(({ long }) => long ?? '') ?? [])
  const fix = code === 'commander.conflictingOption' ? 'Leave out one of them' : `${near} ${help}`.trim()
  const problem = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/\.$/, () => (code === 'commander.excessArguments' ? `: ${command?.args.join(' ')}` : ''))
  return { exitCode: USAGE, message: `${problem}. ${fix}`, code: 'wrong_usage', fix }
}

const TOKEN_FIX = 'Pass it with --control-token, or set PETSTORE_SANDBOX_CONTROL_TOKEN'

function controlFailure({ code, status, message, sandboxVersion = VERSION }: ControlError): Partial<Failure> {
  // A sandbox of another version may lack an operation.
  const isOtherVersion = sandboxVersion !== VERSION
  const both = `The sandbox has version ${sandboxVersion}, and this command has ${VERSION}.`
  const fix = code === 'invalid_control_token' ? TOKEN_FIX : undefined
  const sentences = [message, isOtherVersion && `${both} Use the same version of both.`, fix].filter(Boolean)
  return {
    exitCode: status === 400 ? USAGE : FAILED,
    message: sentences.join(' '),
    code,
    status,
    ...(fix && { fix }),
  }
}
