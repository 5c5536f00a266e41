import { createHash } from 'node:crypto'
import type { SandboxOptions } from '../config/options.ts'
import { isControlTarget } from '../control/control-path.ts'
import { version } from '../node/files/package.ts'
import { LONGEST_RECORDING, RecordingWriter } from '../node/files/recording-file.ts'
import type { Command } from '../past/commands.ts'
import { headParts, type InitialNamespace } from '../past/head.ts'
import type { RecentCommand, SharedChange } from '../past/recent.ts'
import { RecordedLines, recorded } from '../past/recorder.ts'
import {
  RECORDING_VERSION,
  type RecordedLine,
  type RecordedSnapshot,
  type RecordingHead,
} from '../past/recording.ts'
import { iso } from '../time/instant.ts'
import type { Point } from '../world/history.ts'
import { marksOf, stateAt } from '../world/rewind.ts'
import type { StoredKey } from '../world/stored.ts'
import type { Request } from '../world/traffic/message.ts'
import { AS_IT_IS, type Rewriter } from '../world/traffic/secrets.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { Internals } from './internals.ts'

/** The options that a recording contains: no paths of this machine, and no token. */
export const RECORDED_OPTIONS = [
  'limits',
  'decisions',
  'strict',
  'latency',
  'now',
  'freeze',
  'seed',
  'maxState',
  'faults',
  'keys',
] as const

/** The options of a recording that a sandbox takes: a recording may come from anywhere. */
export const replayedOptions = (options: Readonly<Record<string, unknown>>): SandboxOptions =>
  Object.fromEntries(RECORDED_OPTIONS.filter((name) => name in options).map((name) => [name, options[name]]))

/** Makes the recordings of one sandbox. */
export class Recordings {
  readonly #options: SandboxOptions
  readonly #internals: Internals
  #contract: string | undefined

  constructor(options: SandboxOptions, internals: Internals) {
    this.#options = options
    this.#internals = internals
  }

  /**
   * Records everything from here on in a file; returns how to end it. `warn`: called once, where the recording ends
   * early. `longest`: in characters, after which it continues from a checkpoint.
   */
  async inFile(
    file: string,
    warn: (warning: string) => void,
    longest: number = LONGEST_RECORDING,
  ): Promise<() => Promise<void>> {
    const { worlds, timeline, commands } = this.#internals
    const rewriter = this.#rewriter
    const startedAt = timeline.now()
    const lines = new RecordedLines({ startedAt, rewriter, isControl })
    const initialState = () => {
      lines.restart()
      const namespaces = worlds.all().map((world) => this.#presentOf(world))
      return this.#head(startedAt, timeline.now(), namespaces, rewriter, { waiting: timeline.sleeping })
    }
    const fail = (reason: string) => {
      unlisten()
      warn(`The recording ${file} ends here: ${reason}.`)
    }
    const writer = new RecordingWriter(file, fail, longest)
    const started = writer.begin(initialState())
    let last = commands.count
    const unlisten = commands.listen((command, reply) => {
      last = command.n
      writer.write(lines.command(command))
      if (writer.wantsCheckpoint && (timeline.isIdle || writer.isOverdue)) writer.continueFrom(initialState())
      return recorded(reply, (ready) => writer.write(lines.reply(command.n, ready)))
    })
    await started
    return async () => {
      unlisten()
      writer.write({ end: last, at: timeline.now() - startedAt })
      await writer.close()
    }
  }

  /** A recording of one namespace, in parts: from the start of its journal, or from the oldest point of its history. */
  of(world: World): AsyncGenerator<string> {
    const { worlds, timeline, recent } = this.#internals
    const rewriter = this.#rewriter
    const own = recent.of(world)
    const first = firstPoint(world, own)
    const startedAt = first?.command.at ?? timeline.now()
    const n = first?.command.n ?? Infinity
    const commands = own.filter(({ command }) => command.n >= n)
    const namespaces = [first ? this.#pastOf(world, first.point) : this.#presentOf(world)]
    const numbers = new Set(commands.map(({ command }) => command.n))
    // What its own commands change is repeated with them.
    const shared = recent.sharedChangesFrom(n).filter((change) => !numbers.has(change.n))
    if (world !== worlds.default) {
      const keys = shared.find((change) => change.keys)?.keys?.before ?? worlds.default.keys.stored
      namespaces.unshift({ name: DEFAULT_NAMESPACE, keys, isStored: true })
    }
    const head = this.#head(startedAt, startedAt, namespaces, rewriter, { saved: savedIn(commands) })
    const lines = new RecordedLines({ startedAt, rewriter, isControl })
    const endedAt = timeline.now() - startedAt
    const sharedLine = ({ at, from, keys }: SharedChange): RecordedLine => ({
      ...(from !== undefined && { from: from - startedAt }),
      at: at - startedAt,
      ...(keys && { keys: withPseudonyms(keys.after, rewriter) }),
    })
    return (async function* () {
      yield* head
      let number = 0
      for (const { command, reply } of commands) {
        for (; shared[0] && shared[0].n < command.n; shared.shift()) yield textOf(sharedLine(shared[0]))
        yield textOf(lines.command({ ...command, n: ++number }))
        if (reply && !reply.slices && !reply.stream) yield textOf(lines.reply(number, reply))
      }
      for (const change of shared) yield textOf(sharedLine(change))
      yield textOf({ end: number, at: endedAt })
    })()
  }

  /**
   * The first line. `namespaces` are as they were at the instant `at`, in milliseconds since the epoch as `startedAt`;
   * `waiting`: how many requests were waiting then; `saved`: snapshots that were saved later.
   */
  async *#head(
    startedAt: number,
    at: number,
    namespaces: readonly NamespaceState[],
    rewriter: Rewriter,
    { waiting = 0, saved }: { readonly waiting?: number; readonly saved?: ReadonlySet<string> },
  ): AsyncGenerator<string> {
    const { contractText, overlay, fixture, settings, origin } = this.#internals
    const { now } = settings
    this.#contract ??= `sha256:${createHash('sha256').update(contractText()).digest('hex')}`
    const options = { ...replayedOptions({ ...this.#options }), ...(now !== undefined && { now: iso(now) }) }
    const head = {
      recording: RECORDING_VERSION,
      version,
      startedAt: iso(startedAt),
      ...(at > startedAt && { at: at - startedAt }),
      ...(waiting > 0 && { waiting }),
      origin: origin(),
      options: withPseudonyms(options, rewriter),
      ...(overlay !== undefined && { overlay }),
      contract: this.#contract,
    } satisfies Omit<RecordingHead, 'start'>
    const whole: InitialNamespace[] = []
    for (const each of namespaces) whole.push({ ...each, snapshots: await this.#snapshots(each.name, saved) })
    yield* headParts(head, fixture, whole, rewriter)
  }

  async #snapshots(namespace: string, saved?: ReadonlySet<string>): Promise<RecordedSnapshot[]> {
    const { snapshots } = this.#internals
    const found: RecordedSnapshot[] = []
    for (const { name, at } of await snapshots.list(namespace)) {
      const content = saved?.has(name) ? undefined : await snapshots.read(namespace, name)
      if (content) found.push({ name, at, ...content })
    }
    return found
  }

  #presentOf(world: World): NamespaceState {
    const { keys, ...state } = world.capture()
    const isStored = this.#internals.worlds.isStored(world)
    return { name: world.name, keys, isStored, whole: { state, marks: marksOf(world) } }
  }

  #pastOf(world: World, point: Point): NamespaceState {
    const { history } = world
    const { keys, ...state } = stateAt(world, point.before)
    // A call that ended while the first request was waiting is a point before it.
    const index = history.points.indexOf(point)
    const later = history.points.filter(
      ({ before, exchange }, i) => !exchange && (i >= index || before.at > point.before.at),
    )
    const marks = {
      ...marksOf(world),
      hasChanged: point.before.at > 0,
      controls: history.controls - later.length,
    }
    return { ...this.#presentOf(world), keys, whole: { state, marks } }
  }

  get #rewriter(): Rewriter {
    const { settings, worlds, fixture } = this.#internals
    const { secrets } = worlds.default.keys
    const given = [...fixture.keys, ...((this.#options.keys ?? []) as readonly StoredKey[])]
    secrets.add(given.map(({ key }) => key))
    return settings.keepKeys ? AS_IT_IS : secrets.pseudonyms
  }
}

type NamespaceState = Omit<InitialNamespace, 'snapshots'>

const isControl = ({ target }: Request): boolean => isControlTarget(target)

const textOf = (line: RecordedLine): string => `${JSON.stringify(line)}\n`

/** The names of snapshots that the commands saved. None of them existed before: replacing one loses its content. */
function savedIn(commands: readonly RecentCommand[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { command, reply } of commands) {
    const { method, target } = command.request
    if (method !== 'PUT' || reply?.status !== 201 || !isControl(command.request)) continue
    const [, name] = /\/snapshots\/([^/?]+)/.exec(target) ?? []
    if (name !== undefined) names.add(decodeURIComponent(name))
  }
  return names
}

/** The oldest point that history reaches, before which no command was waiting, with its command. */
function firstPoint(
  { history }: World,
  commands: readonly RecentCommand[],
): { readonly point: Point; readonly command: Command } | undefined {
  const byHeaders = new Map(commands.map(({ command }) => [command.request.headers, command]))
  for (const point of history.points) {
    const command = byHeaders.get(headersOf(point))
    if (command?.isAlone && history.reaches(point.before)) return { point, command }
  }
  return undefined
}

const headersOf = ({ exchange, headers = [] }: Point): readonly string[] =>
  exchange?.request.headers ?? headers

/** Keys are in members named `key`. */
function withPseudonyms<T>(value: T, rewriter: Rewriter): T {
  const hide = (name: string, member: unknown) =>
    name === 'key' && typeof member === 'string' ? rewriter.key(member) : member
  return JSON.parse(JSON.stringify(value, hide))
}
