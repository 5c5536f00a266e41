import { type CoreHooks, type CoreOptions, type OpenedCore, openCore } from '../compose/core.ts'
import { checkOptions, type Settings } from '../config/options.ts'
import { recordedOptions, replayedOptions } from '../config/recorded-options.ts'
import { isControlTarget } from '../control/control-path.ts'
import type { Internals } from '../past/internals.ts'
import { Recordings } from '../past/record.ts'
import { RecordedLines } from '../past/recorder.ts'
import type { RecordedLine, RecordingHead } from '../past/recording.ts'
import { instantOf, repeatRecording } from '../past/repeat-recording.ts'
import { type Eventually, whenReady } from '../time/eventually.ts'
import type { Command } from '../world/command.ts'
import { AS_IT_IS } from '../world/keys/secrets.ts'
import type { StoredKey } from '../world/stored.ts'
import type { Reply, Request } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import type { CommandLog, KeptCommands } from './command-log.ts'
import { isFork } from './route.ts'

/** A core whose commands are stored. */
export interface KeptCore extends OpenedCore {
  /** How many commands were applied again to open it. */
  readonly repeated: number
  readonly keeper: Keeper
}

/** The options of a world. */
export type WorldOptions = Omit<
  CoreOptions,
  'fixture' | 'clock' | 'store' | 'overlays' | 'origin' | 'warn' | 'platform'
> & {
  readonly fixture?: string
  readonly expire?: string
}

/** What a world takes from its object. */
export type Host = Required<Pick<CoreOptions, 'platform' | 'store' | 'warn'> & Pick<CoreHooks, 'spans'>>

/** Reads are stored together, this many milliseconds after the first of them, with what they count. */
const BATCH_MS = 100

/** Requests after which the state is stored, or characters of commands. */
const MOST_REQUESTS = 1000
const MOST_CHARACTERS = 4 * 1024 * 1024

/** Opens a core in the state that its stored commands have led to, and stores those that follow. */
export async function openKept(options: WorldOptions, host: Host, log: CommandLog): Promise<KeptCore> {
  const settings = checkOptions(options)
  const { platform, store, warn, spans } = host
  const found = log.read()
  const calls: Command[] = []
  const opened = await (found
    ? repeated(found, options, host, calls)
    : openCore(
        { ...options, platform, store, warn },
        { spans, beforeServing: async (internals) => advise(internals) },
      ))
  const keeper = new Keeper(options, settings, opened, log, found, calls)
  if (found && !isSame(found.recording.head, options, settings, opened)) {
    await keeper.checkpoint(true)
    await opened.core.close()
    return openKept(options, host, log)
  }
  await keeper.start()
  return { ...opened, repeated: found?.recording.commands.length ?? 0, keeper }
}

/** An isolate of Cloudflare has 128 MB for everything. */
export const MOST_STATE = '16MiB'

const advise = ({ worlds }: Internals): void => {
  worlds.default.stateSize.advice =
    'Reset the namespace. An isolate of Cloudflare has room for about 100,000 pets; on machines of your own PETSTORE_SANDBOX_MAX_STATE may be higher.'
}

/** Applies the stored commands with the options that held then. `calls`: receives the control calls among them. */
function repeated(
  { recording, command }: KeptCommands,
  options: WorldOptions,
  { platform, store, warn, spans }: Host,
  calls: Command[],
): Promise<OpenedCore> {
  const { head, commands } = recording
  const at = instantOf(head)
  let clock = () => at
  const { controlToken, controlOrigins, expire } = options
  return openCore(
    {
      ...replayedOptions(head.options),
      controlToken,
      controlOrigins,
      ...(expire !== undefined && { expire }),
      platform,
      store,
      warn,
      clock: () => clock(),
    },
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
        await repeatRecording(recording, commands, internals, (instant) => {
          clock = () => instant
        })
        unlisten()
        const reached = internals.timeline.now()
        clock = () => Math.max(reached, Date.now())
      },
    },
  )
}

/** Whether commands were applied by this version with these options; a state without commands takes over others. */
const isSame = (
  head: RecordingHead,
  options: WorldOptions,
  { now }: Settings,
  { internals }: OpenedCore,
): boolean =>
  head.version === internals.version &&
  JSON.stringify(head.options) === JSON.stringify(recordedOptions(options, now))

/** Stores the commands of a core. */
export class Keeper {
  readonly #log: CommandLog
  readonly #opened: OpenedCore
  readonly #recordings: Recordings
  readonly #lines: RecordedLines
  readonly #startedAt: number
  readonly #storesReads: boolean
  #isStored: boolean
  /** The first state, until a command follows it. */
  #first: string | undefined
  /** Lines that are not stored yet. */
  #pending = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Since the newest checkpoint. */
  #requests: number
  #characters = 0
  #checkpoint: Promise<void> | undefined
  /** While the only state that is stored is replaced, no answer leaves. */
  #isReplacing = false
  /** The numbers of the last commands before the oldest checkpoint and the newest one. */
  #oldest: number
  #newest: number
  /** Since the newest checkpoint. */
  #rewinds: Command[]

  constructor(
    options: WorldOptions,
    settings: Settings,
    opened: OpenedCore,
    log: CommandLog,
    found: KeptCommands | undefined,
    calls: readonly Command[],
  ) {
    const { internals } = opened
    this.#log = log
    this.#opened = opened
    // What stays here has its keys.
    this.#recordings = new Recordings({
      ...internals,
      options: recordedOptions(options, settings.now),
      keepKeys: true,
    })
    this.#startedAt = found ? Date.parse(found.recording.head.startedAt) : internals.timeline.now()
    this.#lines = new RecordedLines({
      startedAt: this.#startedAt,
      rewriter: AS_IT_IS,
      isControl: internals.isControl,
    })
    this.#storesReads = settings.policy.durable.log === 'every'
    this.#oldest = found?.command ?? 0
    this.#newest = found?.newest ?? 0
    this.#rewinds = calls.filter(({ n, needs }) => needs !== undefined && n > this.#newest)
    this.#requests = found?.recording.commands.filter(({ n }) => n > this.#newest).length ?? 0
    this.#isStored = found !== undefined
  }

  /** Whether anything is stored: reading alone stores nothing. */
  get isStored(): boolean {
    return this.#isStored
  }

  async start(): Promise<void> {
    if (!this.#isStored) this.#first = await textOf(this.#recordings.checkpoint(this.#startedAt))
    this.#opened.internals.commands.listen((command, reply) => this.#keep(command, reply))
  }

  /** Takes over the keys of `default`, which another object has. */
  replaceKeys(keys: readonly StoredKey[]): void {
    const { worlds, timeline } = this.#opened.internals
    worlds.default.keys.replace(keys)
    this.#add({ at: timeline.now() - this.#startedAt, keys })
    this.#store()
  }

  /** The state of one namespace with the keys that it inherits, as `adopt` of another object takes it. */
  stateOf(world: World): Promise<string> {
    const { worlds } = this.#opened.internals
    return textOf(this.#recordings.checkpoint(this.#startedAt, [worlds.default, world]))
  }

  /**
   * Stores the state as it is. The checkpoint before stays, unless the commands since went back further than that, or
   * `isForced`: then no answer leaves meanwhile.
   */
  checkpoint(isForced: boolean): Promise<void> {
    this.#store()
    const isAlone = isForced || this.#rewinds.some(({ needs }) => (needs as number) <= this.#newest)
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

  #keep(
    command: Command & { readonly request: Request },
    reply: Eventually<Reply>,
  ): Eventually<Reply> | undefined {
    const { request, from } = command
    const isRead = /^(?:GET|HEAD|OPTIONS)$/.test(request.method)
    const isControl = isControlTarget(request.target)
    // A fork changes nothing here: the copy is another object.
    const isLook = isControl && (isRead || isFork(request))
    if (isLook && from === undefined) return undefined
    this.#add(this.#lines.command(command))
    if (!isControl) this.#requests++
    // A ban is more than a count of reads.
    const mayWait =
      !this.#storesReads && isRead && command.exchange && command.exchange.decision !== 'refused:ban'
    if (mayWait) this.#timer ??= setTimeout(() => this.#store(), BATCH_MS)
    else this.#store()
    return whenReady(isControl ? reply : undefined, (): Eventually<Reply> => {
      if (command.needs !== undefined) this.#rewinds.push(command)
      // Where a rewind went further back than the stored commands do, they cannot be applied again.
      if ((command.needs ?? Infinity) <= this.#oldest) void this.checkpoint(true)
      else if (this.#isDue) void this.checkpoint(false)
      return this.#isReplacing && this.#checkpoint ? this.#checkpoint.then(() => reply) : reply
    })
  }

  /** What waits at a checkpoint ends without its effect, so it is taken while nothing waits, if that comes soon. */
  get #isDue(): boolean {
    const parts = Math.max(this.#requests / MOST_REQUESTS, this.#characters / MOST_CHARACTERS)
    return !this.#checkpoint && parts >= (this.#opened.internals.timeline.isIdle ? 1 : 4)
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
    this.#isStored = true
    this.#log.append(this.#pending)
    this.#pending = ''
  }
}

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) text += part
  return text
}
