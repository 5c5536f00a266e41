import { type CoreHooks, type CoreOptions, type OpenedCore, openCore } from '../compose/core.ts'
import { checkOptions } from '../config/options.ts'
import { recordedOptions, replayedOptions, unrecordedOptions } from '../config/recorded-options.ts'
import { VERSION } from '../contract/version.ts'
import type { Internals } from '../past/internals.ts'
import { recordingsOf } from '../past/record.ts'
import { recordedLines } from '../past/recorded-lines.ts'
import type { RecordedLine, RecordingHead } from '../past/recording.ts'
import { instantOf, replayRecording } from '../past/replay-recording.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import { SECOND } from '../time/instant.ts'
import type { Command } from '../world/command.ts'
import { AS_IT_IS } from '../world/keys/redaction.ts'
import type { StoredKey } from '../world/store.ts'
import { isControlTarget } from '../world/traffic/address.ts'
import { isRead, type Reply, type Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import type { CommandLog, StoredCommands } from './command-log.ts'
import { isFork } from './route.ts'
import type { WorldOptions } from './settings.ts'

/** A core whose commands are stored. */
export interface DurableCore extends OpenedCore {
  readonly writer: ReturnType<typeof commandWriter>
}

/** The parts of a Durable Object that its world needs. */
export type Host = Required<Pick<CoreOptions, 'platform' | 'store' | 'warn'> & Pick<CoreHooks, 'spans'>>

/** Stored reads are collected for this time, in milliseconds. */
const BATCH_MS = 100

/** After this many requests, or characters of commands, a checkpoint is stored. */
const MAX_REQUESTS = 1000
const MAX_CHARACTERS = 4 * 1024 * 1024

/** Opens a core in the state after its stored commands, and stores later commands. */
export async function openDurable(options: WorldOptions, host: Host, log: CommandLog): Promise<DurableCore> {
  const given = recordedOptions(options, checkOptions(options).now)
  const { spans, ...parts } = host
  const found = log.read()
  const calls: Command[] = []
  const opened = await (found
    ? reopened(found, options, host, calls)
    : openCore({ ...options, ...parts }, { spans, beforeServing: async (internals) => advise(internals) }))
  const writer = commandWriter(given, opened, log, found, calls, host.platform.onFailure ?? console.error)
  if (found && !isSame(found.recording.head, given)) {
    await writer.checkpoint(true)
    await opened.core.close()
    return openDurable(options, host, log)
  }
  await writer.start()
  return { ...opened, writer }
}

/** An isolate of Cloudflare has 128 MB of memory in total. */
export const MAX_STATE = '16MiB'

const advise = ({ worlds }: Internals): void => {
  worlds.default.stateSize.advice =
    'Reset the namespace. An isolate of Cloudflare has room for about 100,000 pets; on machines of your own PETSTORE_SANDBOX_MAX_STATE may be higher.'
}

/** Opens a core and applies the stored commands with their recorded options. `calls`: receives the control calls. */
function reopened(
  { recording, command }: StoredCommands,
  options: WorldOptions,
  { spans, ...parts }: Host,
  calls: Command[],
): Promise<OpenedCore> {
  const { head, commands } = recording
  return openCore(
    { ...replayedOptions(head.options), ...unrecordedOptions(options), ...parts },
    {
      spans,
      replayed: { fixture: head.start.fixture, at: instantOf(head) },
      async beforeServing(internals) {
        advise(internals)
        internals.commands.countFrom(command)
        const unlisten = internals.commands.listen((each) => {
          if (isControlTarget(each.request.target)) calls.push(each)
          return undefined
        })
        const { stateSize } = internals.worlds.default
        stateSize.isLimited = false
        await replayRecording(recording, commands, internals)
        stateSize.isLimited = true
        unlisten()
        internals.commands.setClock(clockFrom(internals.timeline.now()))
      },
    },
  )
}

/** The clocks of two machines differ by at most this, in milliseconds: more means that a clock was set back. */
const MAX_SKEW = 60 * SECOND

/** The time, which stands still after a small step back: the object may be on another machine now. */
function clockFrom(reached: number): () => number {
  let earliest = reached
  return () => {
    const now = Date.now()
    if (now < earliest - MAX_SKEW) earliest = now
    return Math.max(earliest, now)
  }
}

/** Whether this version applied the stored commands, with these options. */
const isSame = ({ version, options }: RecordingHead, given: object): boolean =>
  version === VERSION && JSON.stringify(options) === JSON.stringify(given)

/** Stores the commands of a core. */
function commandWriter(
  options: RecordingHead['options'],
  { internals, settings }: OpenedCore,
  log: CommandLog,
  found: StoredCommands | undefined,
  calls: readonly Command[],
  onFailure: (error: unknown) => void,
) {
  const { worlds, timeline, commands } = internals
  // Keys stay unchanged, because the log is private to the object.
  const recordings = recordingsOf({ ...internals, options, keepKeys: true })
  const startedAt = found ? Date.parse(found.recording.head.startedAt) : timeline.now()
  let lines = recordedLines(startedAt, AS_IT_IS)
  const storesReads = settings.policy.durable.log === 'every'
  /** The initial state. It is stored with the first command. */
  let first: string | undefined
  /** Lines that are not stored yet. */
  let pending = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The numbers of the last commands before the oldest and the newest checkpoint. */
  let { command: oldest, newest } = found ?? { command: 0, newest: 0 }
  /** Requests and characters since the newest checkpoint. */
  let requests = found?.recording.commands.filter(({ n }) => n > newest).length ?? 0
  let characters = found?.characters ?? 0
  /** The rewinds since the newest checkpoint. */
  let rewinds = calls.filter(({ n, needs }) => needs !== undefined && n > newest)
  let latest: Promise<void> | undefined
  /** Whether the only stored state is being replaced: then answers wait. */
  let isReplacing = false

  /**
   * Stores a checkpoint. The previous one is kept unless the commands since then went back to before it, or `isForced`:
   * then answers wait until it is stored.
   */
  function checkpoint(isForced: boolean): Promise<void> {
    store()
    const isAlone = isForced || rewinds.some(({ needs = Infinity }) => needs <= newest)
    const end = log.end()
    const { count } = commands
    const state = recordings.checkpoint(startedAt)
    const earlier = rewinds
    lines = recordedLines(startedAt, AS_IT_IS)
    requests = 0
    characters = 0
    rewinds = []
    isReplacing ||= isForced
    const stored = Promise.all([textOf(state), latest?.catch(() => {})])
      .then(([text]) => {
        oldest = log.checkpoint(end, count, text, isAlone)
        newest = count
        if (latest === stored) isReplacing = false
      })
      .catch((error: unknown) => {
        rewinds = [...earlier, ...rewinds]
        throw error
      })
      .finally(() => {
        if (latest === stored) latest = undefined
      })
    latest = stored
    return stored
  }

  function keep(command: Command & { readonly request: Request }, reply: Eventually<Reply>) {
    const { request, from } = command
    const isSafe = isRead(request) || request.method === 'OPTIONS'
    const isControl = isControlTarget(request.target)
    // A fork changes nothing here: the copy is in another object.
    const changesNothing = isControl && (isSafe || isFork(request))
    if (changesNothing && from === undefined) return undefined
    add(lines.command(command))
    if (!isControl) requests++
    // A refusal by a ban is stored at once: it changes more than the counts of a read.
    const mayWait = !storesReads && isSafe && command.exchange && command.exchange.decision !== 'refused:ban'
    if (mayWait) timer ??= setTimeout(store, BATCH_MS)
    else store()
    return whenReady(isControl ? reply : undefined, (): Eventually<Reply> => {
      if (command.needs !== undefined) rewinds.push(command)
      // After a rewind to before the oldest checkpoint, the stored commands cannot be applied again.
      const isForced = (command.needs ?? Infinity) <= oldest
      if (isForced || isDue()) checkpoint(isForced).catch(onFailure)
      return isReplacing && latest ? latest.then(() => reply) : reply
    })
  }

  /** Whether to take a checkpoint: after a failure, or at the limits; at four times these while requests wait: it loses them. */
  function isDue(): boolean {
    const parts = Math.max(requests / MAX_REQUESTS, characters / MAX_CHARACTERS)
    return !latest && (isReplacing || parts >= (timeline.sleeping === 0 ? 1 : 4))
  }

  function add(line: RecordedLine): void {
    const text = `${JSON.stringify(line)}\n`
    pending += text
    characters += text.length
  }

  function store(): void {
    clearTimeout(timer)
    timer = undefined
    if (pending === '') return
    if (first !== undefined) log.checkpoint(0, 0, first, true)
    first = undefined
    log.append(pending)
    pending = ''
  }

  return {
    checkpoint,
    async start(): Promise<void> {
      if (!found) first = await textOf(recordings.checkpoint(startedAt))
      commands.listen(keep)
    },
    /** Stores nothing more. */
    close(): void {
      clearTimeout(timer)
      log.close()
    },
    /** Takes over the keys of `default`, which another object owns. They are stored with the next command. */
    replaceKeys(keys: readonly StoredKey[]): void {
      worlds.default.keys.replace(keys)
      add({ at: timeline.now() - startedAt, keys })
    },
    /** The state of one namespace with its inherited keys, for `adopt` of another object. */
    stateOf: (world: World): Promise<string> =>
      textOf(recordings.checkpoint(startedAt, [worlds.default, world])),
  }
}

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) text += part
  return text
}
