import { stringifyJson } from '../contract/openapi/json.ts'
import { VERSION } from '../contract/version.ts'
import { iso } from '../time/instant.ts'
import type { Run } from '../world/branches.ts'
import type { Checkpoint, Command } from '../world/command.ts'
import { AS_IT_IS, type Rewriter } from '../world/keys/redaction.ts'
import type { StoredKey } from '../world/store.ts'
import type { Reply } from '../world/traffic/message.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import { headParts, type InitialNamespace } from './head.ts'
import type { Internals } from './internals.ts'
import { digest, type RecordedLines, recorded, recordedLines } from './recorded-lines.ts'
import {
  RECORDING_VERSION,
  type RecordedLine,
  type RecordedSnapshot,
  type RecordingHead,
} from './recording.ts'
import { repliesOf } from './repeat.ts'
import { marksOf } from './world-state.ts'

/** Receives the lines of a recording while it is made. */
export interface Lines {
  /** Whether the recording should continue from a checkpoint, as soon as no request is in progress. */
  readonly wantsCheckpoint: boolean
  /** Whether that checkpoint must be taken even if requests are in progress. */
  readonly isOverdue: boolean
  /** Writes the first line, given in parts. Rejects if it cannot be written. */
  begin(head: AsyncIterable<string>): Promise<void>
  continueFrom(head: AsyncIterable<string>): void
  write(line: RecordedLine): void
  close(): Promise<void>
}

/** Makes the recordings of one sandbox. */
export function recordingsOf(internals: Internals) {
  const { worlds, timeline, commands, snapshots, contract, fixture, options } = internals
  let contractDigest: string | undefined
  return { record, checkpoint, of }

  /** Records everything from now on; returns a function that ends it. `open` receives what to call if writing fails. */
  async function record(open: (fail: () => void) => Lines): Promise<() => Promise<void>> {
    const rewriter = rewriterNow()
    const startedAt = timeline.now()
    let lines = recordedLines(startedAt, rewriter)
    const writer = open(() => unlisten())
    const started = writer.begin(checkpoint(startedAt))
    let last = commands.count
    const unlisten = commands.listen((command, reply) => {
      last = command.n
      writer.write(lines.command(command))
      if (writer.wantsCheckpoint && (timeline.sleeping === 0 || writer.isOverdue)) {
        lines = recordedLines(startedAt, rewriter)
        writer.continueFrom(checkpoint(startedAt))
      }
      return recorded(reply, (ready) => writer.write(lines.reply(command.n, ready, command.isRefused)))
    })
    await started
    return async () => {
      unlisten()
      writer.write({ end: last, at: timeline.now() - startedAt })
      await writer.close()
    }
  }

  /**
   * The first line of a recording that continues from the current state, in parts. `startedAt`: milliseconds since the
   * epoch; `those`: by default all worlds.
   */
  function checkpoint(startedAt: number, those = worlds.all()): AsyncGenerator<string> {
    const namespaces = those.map((world) => stateOf(world))
    return headOf(startedAt, timeline.now(), namespaces, rewriterNow(), { waiting: timeline.sleeping })
  }

  /** A recording of one namespace, in parts: from the oldest checkpoint of its history. */
  function of(world: World): AsyncGenerator<string> {
    const rewriter = rewriterNow()
    const { first, runs = [] } = world.past.recordable() ?? {}
    const isLater = ({ n }: Command) => n > (first?.n ?? Infinity)
    const applied = runs.flatMap((run) => run.commands.filter(isLater)).sort(inOrder)
    const [oldest] = applied
    const startedAt = oldest?.at ?? timeline.now()
    const namespaces = [stateOf(world, oldest && first)]
    const isDefault = world === worlds.default
    const keys = isDefault ? undefined : (oldest?.keys ?? worlds.default.keys.stored)
    if (keys) namespaces.unshift({ name: DEFAULT_NAMESPACE, keys, isStored: true })
    const head = headOf(startedAt, startedAt, namespaces, rewriter, { saved: savedIn(applied) })
    const lines = recordedLines(startedAt, rewriter)
    const change = changesFrom(startedAt, keys, rewriter)
    const [endedAt, lastKeys] = [timeline.now(), worlds.default.keys.stored]
    return (async function* () {
      yield* head
      const replies = await repliesTo(world, runs, internals)
      const count = yield* commandLines(applied, replies, lines, change)
      yield change(endedAt, lastKeys)
      yield textOf({ end: count, at: endedAt - startedAt })
    })()
  }

  /**
   * The first line. `namespaces`: at the instant `at`, which is, like `startedAt`, in milliseconds since the epoch;
   * `waiting`: how many requests were in progress then; `saved`: snapshots that were saved later.
   */
  async function* headOf(
    startedAt: number,
    at: number,
    namespaces: readonly NamespaceState[],
    rewriter: Rewriter,
    { waiting = 0, saved }: { readonly waiting?: number; readonly saved?: ReadonlySet<string> },
  ): AsyncGenerator<string> {
    contractDigest ??= `sha256:${digest(stringifyJson(contract.document))}`
    const head = {
      recording: RECORDING_VERSION,
      version: VERSION,
      startedAt: iso(startedAt),
      ...(at > startedAt && { at: at - startedAt }),
      ...(waiting > 0 && { waiting }),
      origin: internals.origin(),
      options: withPseudonyms(options, rewriter),
      ...(contract.overlay !== undefined && { overlay: contract.overlay }),
      contract: contractDigest,
    } satisfies Omit<RecordingHead, 'start'>
    const complete: InitialNamespace[] = []
    for (const each of namespaces) complete.push({ ...each, snapshots: await snapshotsOf(each.name, saved) })
    yield* headParts(head, fixture, complete, rewriter)
  }

  async function snapshotsOf(namespace: string, saved?: ReadonlySet<string>): Promise<RecordedSnapshot[]> {
    const found: RecordedSnapshot[] = []
    for (const { name, at } of await snapshots.list(namespace)) {
      const content = saved?.has(name) ? undefined : await snapshots.read(namespace, name)
      if (content) found.push({ name, at, ...content })
    }
    return found
  }

  /** `first`: begins with its state, in place of the current one; the recording has no journal from before it. */
  function stateOf(world: World, first?: Checkpoint): NamespaceState {
    const state = first?.state ?? world.capture()
    const journal = first ? [] : world.journal.entries()
    const { name, isStored } = world
    const marks = marksOf(world, first?.branches)
    return { name, keys: state.keys, isStored, world: { state, journal, marks } }
  }

  function rewriterNow(): Rewriter {
    const { secrets } = worlds.default.keys
    const given = [...fixture.keys, ...((options.keys ?? []) as readonly StoredKey[])]
    secrets.add(given.map(({ key }) => key))
    return internals.keepKeys ? AS_IT_IS : secrets.pseudonyms
  }
}

/** A change of the clock has the number of the command that follows it. A rewind is not in the run that it undid. */
const inOrder = (a: Command, b: Command): number =>
  a.n - b.n || Number(a.request !== undefined) - Number(b.request !== undefined)

type NamespaceState = Omit<InitialNamespace, 'snapshots'>

const textOf = (line: RecordedLine): string => `${JSON.stringify(line)}\n`

/** The line of a change that another namespace made, such as of keys of `default`; empty if there was no change. */
type ChangeText = (at: number, now: readonly StoredKey[], from?: number) => string

/** `keys`: those of `default` at the start; undefined if their changes are not recorded. */
function changesFrom(
  startedAt: number,
  keys: readonly StoredKey[] | undefined,
  rewriter: Rewriter,
): ChangeText {
  let last = keys
  return (at, now, from) => {
    const isReplaced = last !== undefined && now !== last
    if (isReplaced) last = now
    if (from === undefined && !isReplaced) return ''
    return textOf({
      ...(from !== undefined && { from: from - startedAt }),
      at: at - startedAt,
      ...(isReplaced && { keys: withPseudonyms(now, rewriter) }),
    })
  }
}

/** The lines of commands, numbered anew, of their replies and of changes between them. Returns the number of commands. */
function* commandLines(
  commands: readonly Command[],
  replies: (command: Command) => Reply | undefined,
  lines: RecordedLines,
  change: ChangeText,
): Generator<string, number> {
  let count = 0
  let unanswered: { readonly n: number; readonly command: Command }[] = []
  /** The replies that were sent before an event, in their order. */
  function* repliesBefore(position: number) {
    const ended = unanswered.filter(({ command }) => command.ended < position)
    unanswered = unanswered.filter((each) => !ended.includes(each))
    for (const { n, command } of ended.sort((a, b) => a.command.ended - b.command.ended)) {
      const reply = replies(command)
      if (reply && !reply.slices && !reply.stream) yield textOf(lines.reply(n, reply, command.isRefused))
    }
  }
  for (const command of commands) {
    const { at, from, request, began, refusal } = command
    // A rewind has no position. All requests before it have ended.
    yield* repliesBefore(began < 0 ? Infinity : began)
    yield change(at, command.keys, request ? undefined : from)
    if (!request) continue
    yield textOf(lines.command({ n: ++count, at, request, refusal }))
    unanswered.push({ n: count, command })
  }
  yield* repliesBefore(Infinity)
  return count
}

/** The names of snapshots that the commands saved. None existed before: a recording cannot begin before a replacement. */
const savedIn = (commands: readonly Command[]): ReadonlySet<string> =>
  new Set(commands.flatMap(({ call }) => (call?.again && call.saved) ?? []))

/** The replies to commands. Those that the exchanges do not contain completely are produced again. */
async function repliesTo(
  world: World,
  runs: readonly Run[],
  { openDetached, pause }: Internals,
): Promise<(command: Command) => Reply | undefined> {
  const made = new Map<Command, Reply>()
  const isMissing = (command: Command) =>
    !replyOf(command) && (command.exchange !== undefined || command.call?.again !== undefined)
  for (const run of runs) {
    const missing = [...run.earlier, ...run.commands].filter((each) => run.endsIn(each) && isMissing(each))
    if (missing.length === 0) continue
    const replies = await repliesOf(world, run, openDetached, pause)
    for (const command of missing) {
      const reply = replies.get(command)
      if (reply) made.set(command, reply)
    }
  }
  return (command) => replyOf(command) ?? made.get(command)
}

/** The reply in the exchange; undefined if its body was cut, or if a fault or `Prefer` affected it. */
function replyOf({ call, exchange }: Command): Reply | undefined {
  if (!exchange) return call?.reply
  const { decision, response, status } = exchange
  if (response.truncated || !(decision === 'served' || decision.startsWith('refused'))) return undefined
  return { status, headers: response.headers, body: response.body === '' ? undefined : response.body }
}

/** Keys are the members named `key`. */
function withPseudonyms<T>(value: T, rewriter: Rewriter): T {
  const hide = (name: string, member: unknown) =>
    name === 'key' && typeof member === 'string' ? rewriter.key(member) : member
  return JSON.parse(JSON.stringify(value, hide))
}
