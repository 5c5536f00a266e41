import type { SandboxOptions } from '../config/options.ts'
import { RECORDED_OPTIONS, replayedOptions } from '../config/recorded-options.ts'
import { readOptions, refuseUnknown } from '../config/table.ts'
import { UsageError } from '../config/usage-error.ts'
import { isSameFile } from '../node/files/recording-file.ts'
import type { RecordingDifference, Replay } from '../past/difference.ts'
import { instantOf, replayRecording } from '../past/replay-recording.ts'
import { InvalidMembers } from '../text/advised-error.ts'
import { listed } from '../text/listed.ts'
import { commandsUntil, type ReplayOptions, readReplayable } from '../tools/replay/replayable.ts'
import { openSandbox, type SandboxHooks } from './open-sandbox.ts'

export type { RecordingDifference, Replay, ReplayOptions }

/** Replays a recording in memory and compares each reply. Rejects with a RecordingError if the file is not a recording. */
export async function replay(file: string, options: ReplayOptions = {}): Promise<Replay> {
  refuseUnknown(options, ['until'], 'replay')
  const { result, sandbox } = await openReplay(file, options, { listen: false })
  await sandbox.close()
  return result
}

/** Replays a recording. With `serving`, a sandbox then continues from its last state. */
export async function openReplay(
  file: string,
  { until }: ReplayOptions,
  serving: SandboxOptions,
  logTo?: SandboxHooks['logTo'],
) {
  const own = [...RECORDED_OPTIONS, 'db', 'fixture', 'fresh', 'acceptDataFile', 'overlay'] as const
  const given = own.filter((name) => serving[name] !== undefined)
  if (given.length > 0)
    throw new UsageError('A recording begins with its own state and options', `leave out ${listed(given)}`)
  if (serving.record !== undefined && isSameFile(serving.record, file))
    throw new UsageError(`${file} is replayed, and cannot be recorded to`, 'record in another file')
  const { isHar, notices, ...read } = await readReplayable(file)
  const recording = isHar ? { ...read.recording, replies: new Map() } : read.recording
  const { options, origin, overlay, start } = recording.head
  const commands = commandsUntil(read.recording, until)
  let result: Replay | undefined
  const sandbox = await openSandbox(
    { ...readOptions({ ...replayedOptions(options) }, (name) => `${file}: option ${name}`), ...serving },
    {
      logTo,
      replayed: { fixture: start.fixture, at: instantOf(recording.head), origin, overlay },
      async beforeServing(internals) {
        const counts = await replayRecording(recording, commands, internals)
        result = { ...counts, notices: isHar ? [FROM_DEFAULT, ...notices] : notices }
        const [reached, now] = [internals.timeline.now(), Date.now()]
        internals.commands.setClock(() => reached + Math.max(0, Date.now() - now))
      },
    },
  ).catch((error: Error) => {
    if (!(error.cause instanceof InvalidMembers)) throw error
    throw new UsageError(error.cause.problems.map(({ text }) => `${file}: ${text}`).join('\n'))
  })
  return { result: result as Replay, sandbox, recording }
}

const FROM_DEFAULT =
  'A HAR has no state: its requests begin with the fixture default, and their responses are not compared.'
