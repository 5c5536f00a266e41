import { namespaceNamed } from '../api/identify.ts'
import type { SandboxOptions } from '../config/options.ts'
import { UsageError } from '../config/usage-error.ts'
import { version } from '../node/files/package.ts'
import { readRecordingFile } from '../node/files/recording-file.ts'
import type { RecordingDifference, Replay } from '../past/difference.ts'
import type { RecordedCommand, Recording } from '../past/recording.ts'
import { listed } from '../text/listed.ts'
import { plural } from '../text/plural.ts'
import { fieldValue } from '../world/traffic/message.ts'
import { openSandbox } from './open-sandbox.ts'
import { RECORDED_OPTIONS, replayedOptions } from './record.ts'
import { instantOf, repeatRecording } from './repeat-recording.ts'
import type { Sandbox } from './sandbox-object.ts'

export type { RecordingDifference, Replay }

export interface ReplayOptions {
  /** The number of a command or the id of a request: the last command to replay. */
  readonly until?: number | string
}

/** Repeats a recording in memory and compares each reply. Rejects with a RecordingError where the file is not a recording. */
export async function replay(file: string, options: ReplayOptions = {}): Promise<Replay> {
  const { result, sandbox } = await openReplay(file, options, { listen: false })
  await sandbox.close()
  return result
}

/** Repeats a recording, and continues to serve from its last state where `serving` says so. */
export async function openReplay(
  file: string,
  { until }: ReplayOptions,
  serving: SandboxOptions,
): Promise<{ readonly result: Replay; readonly sandbox: Sandbox }> {
  const own = [...RECORDED_OPTIONS, 'db', 'fixture', 'fresh', 'acceptDataFile', 'overlay'] as const
  const given = own.filter((name) => serving[name] !== undefined)
  if (given.length > 0)
    throw new UsageError('A recording begins with its own state and options', `leave out ${listed(given)}`)
  const recording = await readRecordingFile(file)
  const { head } = recording
  const commands = commandsUntil(recording, until)
  const initialInstant = instantOf(head)
  let clock = () => initialInstant
  let result: Replay | undefined
  const sandbox = await openSandbox(
    { ...replayedOptions(head.options), ...serving },
    {
      replayed: {
        fixture: head.start.fixture,
        at: initialInstant,
        clock: () => clock(),
        origin: head.origin,
        overlay: head.overlay,
      },
      async beforeServing(internals) {
        const repeated = await repeatRecording(recording, commands, internals, (instant) => {
          clock = () => instant
        })
        result = { ...repeated, notices: recordingNotices(recording) }
        const [reached, now] = [internals.timeline.now(), Date.now()]
        clock = () => reached + Math.max(0, Date.now() - now)
      },
    },
  )
  return { result: result as Replay, sandbox }
}

/** Notices for users who replay a recording. */
export function recordingNotices({ head, endedAt }: Recording): string[] {
  const notices: string[] = []
  if (head.version !== version) notices.push(`Recorded by version ${head.version}; this is ${version}.`)
  if (head.waiting !== undefined) {
    notices.push(
      `${plural(head.waiting, 'request was', 'requests were')} waiting where the recording continues from a checkpoint; what they changed afterwards is missing.`,
    )
  }
  if (endedAt === undefined) notices.push('The recording was cut off; it was replayed as far as it goes.')
  return notices
}

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
    const shown = found.slice(0, MOST_SHOWN).map(commandText).join(', ')
    throw new UsageError(
      `"${until}" is the id of ${found.length} requests of the recording`,
      `use the number of one of them: ${shown}${found.length > MOST_SHOWN ? ', …' : ''}`,
    )
  }
  return commands.slice(0, commands.indexOf(last) + 1)
}

/** Each namespace counts its requests by itself. */
const commandText = ({ n, request: { method, target, headers } }: RecordedCommand): string =>
  `${n} (${method} ${target.slice(0, 100)}, namespace ${namespaceNamed(headers)})`

const MOST_SHOWN = 5
