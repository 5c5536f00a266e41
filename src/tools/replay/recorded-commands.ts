import { namespaceNamed } from '../../api/identify.ts'
import { UsageError } from '../../config/usage-error.ts'
import { version } from '../../node/files/package.ts'
import type { RecordedCommand, Recording } from '../../past/recording.ts'
import { plural } from '../../text/plural.ts'
import { shorten } from '../../text/shorten.ts'
import { fieldValue } from '../../world/traffic/message.ts'

export interface ReplayOptions {
  /** The number of a command or the id of a request: the last command to replay. */
  readonly until?: number | string
}

/** The commands up to one of them. Throws a UsageError if there is none, or if several have that id. */
export function commandsUntil(
  { commands, replies }: Recording,
  until: number | string | undefined,
): readonly RecordedCommand[] {
  if (until === undefined) return commands
  const n = /^\d+$/.test(String(until)) ? Number(until) : undefined
  const idOf = (command: RecordedCommand) => fieldValue(replies.get(command.n)?.headers ?? [], 'x-request-id')
  const found = commands.filter((command) => (n === undefined ? idOf(command) === until : command.n === n))
  const [last, ...others] = found
  if (!last) {
    const known = commands.length === 0 ? 'it has no commands' : `it has the commands 1 to ${commands.length}`
    throw new UsageError(
      `There is no "${until}" in the recording: ${known}`,
      'use one of them or a request id such as req_000001',
    )
  }
  if (others.length > 0) {
    const shown = found.slice(0, MAX_SHOWN).map(commandText).join(', ')
    throw new UsageError(
      `"${until}" is the id of ${found.length} requests of the recording`,
      `use the number of one of them: ${shown}${found.length > MAX_SHOWN ? ', …' : ''}`,
    )
  }
  return commands.slice(0, commands.indexOf(last) + 1)
}

/** Includes the namespace, because each namespace numbers its requests from 1. */
const commandText = ({ n, request: { method, target, headers } }: RecordedCommand): string =>
  `${n} (${method} ${shorten(target)}, namespace ${namespaceNamed(headers)})`

const MAX_SHOWN = 5

/** Notices for users who replay a recording. */
export function recordingNotices({ head, endedAt }: Recording): string[] {
  const notices: string[] = []
  if (head.version !== version) notices.push(`Recorded by version ${head.version}; this is ${version}.`)
  if (head.waiting !== undefined) {
    notices.push(
      `${plural(head.waiting, 'request was', 'requests were')} in progress when the recording continued from a checkpoint; their later changes are missing.`,
    )
  }
  if (endedAt === undefined) notices.push('The recording was cut off; it was replayed as far as it goes.')
  return notices
}
