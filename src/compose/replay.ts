import { namespaceNamed } from '../api/identify.ts'
import type { SandboxOptions } from '../config/options.ts'
import { UsageError } from '../config/usage-error.ts'
import { version } from '../node/files/package.ts'
import { readRecordingFile } from '../node/files/recording-file.ts'
import { type RecordingDifference, type Replay, replyDifference } from '../past/difference.ts'
import { recorded, recordedReply } from '../past/recorder.ts'
import type {
  RecordedCommand,
  RecordedNamespace,
  RecordedReply,
  RecordedRequest,
  Recording,
} from '../past/recording.ts'
import { wholeOf } from '../past/world-state.ts'
import { listed } from '../text/listed.ts'
import { plural } from '../text/plural.ts'
import { NO_PETS, Pets } from '../world/pets/collection.ts'
import { continueFrom } from '../world/rewind.ts'
import { fieldValue, type Handle, type Request } from '../world/traffic/message.ts'
import type { Internals } from './internals.ts'
import { openSandbox } from './open-sandbox.ts'
import { RECORDED_OPTIONS, replayedOptions } from './record.ts'
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
  const startedAt = Date.parse(head.startedAt)
  const initialInstant = startedAt + (head.at ?? 0)
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
        const at = (instant: number) => {
          clock = () => startedAt + instant
        }
        for (const [name, namespace] of Object.entries(head.start.namespaces))
          await restore(name, namespace, internals, initialInstant)
        result = await repeat(recording, commands, internals, at)
        const [reached, now] = [internals.timeline.now(), Date.now()]
        clock = () => reached + Math.max(0, Date.now() - now)
      },
    },
  )
  return { result: result as Replay, sandbox }
}

async function repeat(
  recording: Recording,
  commands: readonly RecordedCommand[],
  { handle, timeline, worlds, commands: applied }: Internals,
  goTo: (at: number) => void,
): Promise<Replay> {
  const { head, replies, endedAt } = recording
  let compared = 0
  let difference: RecordingDifference | undefined
  // As they come: together, the replies can take a thousand times what the recording takes.
  const unlisten = applied.listen(({ n, request }, reply) =>
    recorded(reply, (ready) => {
      const was = replies.get(n)
      if (!was) return
      compared++
      if (!difference || n < difference.command)
        difference = differenceAt(n, request, was, recordedReply(ready)) ?? difference
    }),
  )
  const pending = new Set<Promise<unknown>>()
  const instant = (at: number) => Date.parse(head.startedAt) + at
  const { changes } = recording
  let made = 0
  /** Makes the changes before the command with this number. */
  const changeUntil = async (n: number) => {
    for (let change = changes[made]; change && change.after < n; change = changes[++made]) {
      const { from, at, keys } = change
      if (from !== undefined) {
        await timeline.advance(instant(from))
        await timeline.run(instant(at), () => {})
      }
      if (keys) worlds.default.keys.replace(keys)
    }
  }
  for (const command of commands) {
    await changeUntil(command.n)
    applied.countFrom(command.n - 1)
    if (command.from !== undefined) await timeline.advance(instant(command.from))
    goTo(command.at)
    const answered = send(handle, requestOf(command.request))
    pending.add(answered)
    void answered.finally(() => pending.delete(answered))
    await isApplied(applied, command, answered)
  }
  const last = commands.at(-1)
  const isWhole = last === recording.commands.at(-1)
  if (isWhole) await changeUntil(Infinity)
  if (isWhole && endedAt !== undefined) {
    goTo(endedAt)
    await timeline.advance(instant(endedAt))
  }
  await settled(pending)
  unlisten()
  return {
    commands: commands.length,
    compared,
    ...(difference && { difference }),
    notices: recordingNotices(recording),
  }
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

/** Resolves when a command was applied, although its reply may come later. */
function isApplied(
  commands: Internals['commands'],
  { n }: RecordedCommand,
  answered: Promise<unknown>,
): Promise<unknown> {
  if (commands.count >= n) return Promise.resolve()
  const applied = new Promise<void>((resolve) => {
    const unlisten = commands.listen(() => {
      unlisten()
      resolve()
      return undefined
    })
  })
  return Promise.race([applied, answered])
}

/** Reads the reply to its end. */
async function send(handle: Handle, request: Request): Promise<void> {
  const { slices, onSent } = await handle(request)
  if (slices) for await (const _ of slices);
  onSent?.()
}

/** Waits for the requests that can end although the clock does not advance. */
async function settled(pending: ReadonlySet<Promise<unknown>>): Promise<void> {
  for (let turns = 0; pending.size > 0 && turns < 10; turns++)
    await new Promise((resolve) => setImmediate(resolve))
}

function differenceAt(
  command: number,
  { method, target }: Request,
  was: RecordedReply,
  is: RecordedReply,
): RecordingDifference | undefined {
  const difference = replyDifference(was, is)
  const requestId = fieldValue(was.headers, 'x-request-id') ?? null
  return difference && { command, request: `${method} ${target}`, requestId, ...difference }
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

/** Restores the state of a namespace at the start of the recording. */
async function restore(
  name: string,
  { pets, empty, keys, isUnstored, state, snapshots = [] }: RecordedNamespace,
  { worlds, snapshots: saved }: Internals,
  at: number,
): Promise<void> {
  const world = worlds.get(name, at)
  const collections = {
    pets: pets ? new Pets(pets) : world.collections.pets,
    empty: new Pets(empty ?? NO_PETS),
  }
  if (state) continueFrom(world, wholeOf(state, collections, keys, world.keys.secrets))
  else world.keys.replace(keys)
  if (!isUnstored) worlds.markStored(world)
  for (const { name: snapshot, at: savedAt, keys: savedKeys, ...table } of snapshots)
    await saved.save(name, snapshot, { pets: new Pets(table), keys: savedKeys }, savedAt)
}

const requestOf = (request: RecordedRequest): Request => ({
  method: request.method,
  target: request.target,
  headers: request.headers,
  body: bodyOf(request),
  tooLarge: request.tooLarge === true,
  address: undefined,
})

function bodyOf(request: RecordedRequest): Uint8Array | undefined {
  if ('base64' in request) return Buffer.from(request.base64, 'base64')
  if ('sha256' in request || request.body === undefined) return undefined
  return Buffer.from(request.body)
}
