import { type CoreHooks, type CoreOptions, type OpenedCore, openCore } from '../compose/core.ts'
import { checkOptions } from '../config/options.ts'
import { recordedOptions, replayedOptions, unrecordedOptions } from '../config/recorded-options.ts'
import { VERSION } from '../contract/version.ts'
import type { Internals } from '../past/internals.ts'
import { Recordings } from '../past/record.ts'
import { RecordedLines } from '../past/recorder.ts'
import type { RecordedLine, RecordingHead } from '../past/recording.ts'
import { instantOf, replayRecording } from '../past/replay-recording.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import type { Command } from '../world/command.ts'
import { AS_IT_IS } from '../world/keys/redaction.ts'
import type { StoredKey } from '../world/stored.ts'
import { isControlTarget } from '../world/traffic/address.ts'
import { isRead, type Reply, type Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import type { CommandLog, StoredCommands } from './command-log.ts'
import { isFork } from './route.ts'
import type { WorldOptions } from './settings.ts'

/** A core whose commands are stored. */
export interface DurableCore extends OpenedCore {
  readonly recorder: CommandRecorder
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
  const recorder = new CommandRecorder(given, opened, log, found, calls)
  if (found && !isSame(found.recording.head, given)) {
    await recorder.checkpoint(true)
    await opened.core.close()
    return openDurable(options, host, log)
  }
  await recorder.start(!found)
  return { ...opened, recorder }
}

/** An isolate of Cloudflare has 128 MB of memory in total. */
export const MAX_STATE = '16MiB'

const advise = ({ worlds }: Internals): void => {
  worlds.default.stateSize.advice =
    'Reset the namespace. An isolate of Cloudflare has room for about 100,000 pets; on machines of your own PETSTORE_SANDBOX_MAX_STATE may be higher.'
}

/** Opens a core and applies the stored commands, with the options of their time. `calls`: receives their control calls. */
function reopened(
  { recording, command }: StoredCommands,
  options: WorldOptions,
  { spans, ...parts }: Host,
  calls: Command[],
): Promise<OpenedCore> {
  const { head, commands } = recording
  const at = instantOf(head)
  let clock = () => at
  return openCore(
    { ...replayedOptions(head.options), ...unrecordedOptions(options), ...parts, clock: () => clock() },
    {
      spans,
      replayed: { fixture: head.start.fixture, at },
      async beforeServing(internals) {
        advise(internals)
        internals.commands.countFrom(command)
        const unlisten = internals.commands.listen((each) => {
          if (isControlTarget(each.request.target)) calls.push(each)
          return undefined
        })
        await replayRecording(recording, commands, internals, (instant) => {
          clock = () => instant
        })
        unlisten()
        const reached = internals.timeline.now()
        clock = () => Math.max(reached, Date.now())
      },
    },
  )
}

/** Whether this version applied the stored commands, with these options. */
const isSame = ({ version, options }: RecordingHead, given: object): boolean =>
  version === VERSION && JSON.stringify(options) === JSON.stringify(given)

/** Stores the commands of a core. */
export class CommandRecorder {
  readonly #log: CommandLog
  readonly #opened: OpenedCore
  readonly #recordings: Recordings
  readonly #lines: RecordedLines
  readonly #startedAt: number
  readonly #storesReads: boolean
  /** The initial state. It is stored with the first command. */
  #first: string | undefined
  /** Lines that are not stored yet. */
  #pending = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Requests and characters since the newest checkpoint. */
  #requests: number
  #characters = 0
  #checkpoint: Promise<void> | undefined
  /** Whether the only stored state is being replaced: then answers wait. */
  #isReplacing = false
  /** The numbers of the last commands before the oldest and the newest checkpoint. */
  #oldest: number
  #newest: number
  /** The rewinds since the newest checkpoint. */
  #rewinds: Command[]

  constructor(
    options: RecordingHead['options'],
    opened: OpenedCore,
    log: CommandLog,
    found: StoredCommands | undefined,
    calls: readonly Command[],
  ) {
    const { internals, settings } = opened
    this.#log = log
    this.#opened = opened
    // Keys stay unchanged, because the log is private to the object.
    this.#recordings = new Recordings({ ...internals, options, keepKeys: true })
    this.#startedAt = found ? Date.parse(found.recording.head.startedAt) : internals.timeline.now()
    this.#lines = new RecordedLines(this.#startedAt, AS_IT_IS)
    this.#storesReads = settings.policy.durable.log === 'every'
    this.#oldest = found?.command ?? 0
    this.#newest = found?.newest ?? 0
    this.#rewinds = calls.filter(({ n, needs }) => needs !== undefined && n > this.#newest)
    this.#requests = found?.recording.commands.filter(({ n }) => n > this.#newest).length ?? 0
  }

  /** `isNew`: nothing is stored yet. */
  async start(isNew: boolean): Promise<void> {
    if (isNew) this.#first = await textOf(this.#recordings.checkpoint(this.#startedAt))
    this.#opened.internals.commands.listen((command, reply) => this.#keep(command, reply))
  }

  /** Stores nothing more. */
  close(): void {
    clearTimeout(this.#timer)
    this.#log.close()
  }

  /** Takes over the keys of `default`, which another object owns. They are stored with the next command. */
  replaceKeys(keys: readonly StoredKey[]): void {
    const { worlds, timeline } = this.#opened.internals
    worlds.default.keys.replace(keys)
    this.#add({ at: timeline.now() - this.#startedAt, keys })
  }

  /** The state of one namespace with its inherited keys, for `adopt` of another object. */
  stateOf(world: World): Promise<string> {
    const { worlds } = this.#opened.internals
    return textOf(this.#recordings.checkpoint(this.#startedAt, [worlds.default, world]))
  }

  /**
   * Stores a checkpoint. The previous one is kept unless the commands since then went back to before it, or `isForced`:
   * then answers wait until it is stored.
   */
  checkpoint(isForced: boolean): Promise<void> {
    this.#store()
    const isAlone = isForced || this.#rewinds.some(({ needs = Infinity }) => needs <= this.#newest)
    const { end } = this.#log
    const { count } = this.#opened.internals.commands
    const state = this.#recordings.checkpoint(this.#startedAt)
    this.#lines.restart()
    this.#requests = 0
    this.#characters = 0
    this.#newest = count
    this.#rewinds = []
    this.#isReplacing ||= isForced
    const earlier = this.#checkpoint
    const stored = Promise.all([textOf(state), earlier]).then(([text]) => {
      this.#oldest = this.#log.checkpoint(end, count, text, isAlone)
      if (this.#checkpoint !== stored) return
      this.#checkpoint = undefined
      this.#isReplacing = false
    })
    this.#checkpoint = stored
    return stored
  }

  #keep(command: Command & { readonly request: Request }, reply: Eventually<Reply>) {
    const { request, from } = command
    const isSafe = isRead(request) || request.method === 'OPTIONS'
    const isControl = isControlTarget(request.target)
    // A fork changes nothing here: the copy is in another object.
    const isLook = isControl && (isSafe || isFork(request))
    if (isLook && from === undefined) return undefined
    this.#add(this.#lines.command(command))
    if (!isControl) this.#requests++
    // A refusal by a ban is stored at once: it changes more than the counts of a read.
    const mayWait =
      !this.#storesReads && isSafe && command.exchange && command.exchange.decision !== 'refused:ban'
    if (mayWait) this.#timer ??= setTimeout(() => this.#store(), BATCH_MS)
    else this.#store()
    return whenReady(isControl ? reply : undefined, (): Eventually<Reply> => {
      if (command.needs !== undefined) this.#rewinds.push(command)
      // After a rewind to before the oldest checkpoint, the stored commands cannot be applied again.
      if ((command.needs ?? Infinity) <= this.#oldest) void this.checkpoint(true)
      else if (this.#isDue) void this.checkpoint(false)
      return this.#isReplacing && this.#checkpoint ? this.#checkpoint.then(() => reply) : reply
    })
  }

  /** Whether to take a checkpoint: when no request waits, since it would be lost, or when it is overdue. */
  get #isDue(): boolean {
    const parts = Math.max(this.#requests / MAX_REQUESTS, this.#characters / MAX_CHARACTERS)
    return !this.#checkpoint && parts >= (this.#opened.internals.timeline.sleeping === 0 ? 1 : 4)
  }

  #add(line: RecordedLine): void {
    const text = `${JSON.stringify(line)}\n`
    this.#pending += text
    this.#characters += text.length
  }

  #store(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending === '') return
    if (this.#first !== undefined) this.#log.checkpoint(0, 0, this.#first, true)
    this.#first = undefined
    this.#log.append(this.#pending)
    this.#pending = ''
  }
}

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) text += part
  return text
}
