import { bytesOfBase64, encodeUtf8 } from '../text/utf8.ts'
import { NO_PETS, Pets } from '../world/pets/collection.ts'
import { continueFrom } from '../world/rewind.ts'
import { type Handle, type Request, requestWith } from '../world/traffic/message.ts'
import type { Commands } from './commands.ts'
import { type RecordingDifference, type Replay, replyDifference, requestName } from './difference.ts'
import type { Internals } from './internals.ts'
import { recorded, recordedReply } from './recorder.ts'
import type { RecordedCommand, RecordedNamespace, RecordedRequest, Recording } from './recording.ts'
import { waitForLate } from './repeat.ts'
import { recordedWorldOf } from './world-state.ts'

/** The result of replaying a recording. */
export type Repeated = Omit<Replay, 'notices'>

/**
 * Replays a recording from its first state on, in a sandbox that serves nothing yet, and compares the replies. `goTo`:
 * sets the clock of the sandbox, in milliseconds since the epoch.
 */
export async function repeatRecording(
  recording: Recording,
  commands: readonly RecordedCommand[],
  internals: Internals,
  goTo: (instant: number) => void,
): Promise<Repeated> {
  const { head } = recording
  for (const [name, namespace] of Object.entries(head.start.namespaces))
    await restore(name, namespace, internals, instantOf(head))
  return repeat(recording, commands, internals, goTo)
}

/** The instant of the first state, in milliseconds since the epoch. */
export const instantOf = ({ startedAt, at = 0 }: Recording['head']): number => Date.parse(startedAt) + at

async function repeat(
  recording: Recording,
  commands: readonly RecordedCommand[],
  { handle, timeline, worlds, commands: applied }: Internals,
  goTo: (instant: number) => void,
): Promise<Repeated> {
  const { head, replies, endedAt } = recording
  let compared = 0
  let difference: RecordingDifference | undefined
  // Compares each reply when it arrives: all replies together can take a thousand times the memory of the recording.
  const ready = new Set<number>()
  const unlisten = applied.listen(({ n, request }, reply) =>
    recorded(reply, (whole) => {
      ready.add(n)
      const was = replies.get(n)
      if (!was) return
      compared++
      if (difference && difference.command < n) return
      const found = replyDifference(was, recordedReply(whole))
      if (found) difference = { ...requestName(n, request, was), ...found }
    }),
  )
  const pending = new Set<Promise<unknown>>()
  const reading = new Set<Promise<void>>()
  const instant = (at: number) => Date.parse(head.startedAt) + at
  const { changes } = recording
  const order = [...replies.keys()]
  let seen = 0
  /** Waits for the replies that were recorded before an instant: some depend on other code, such as Prism. */
  const awaitReplies = async (replied: number, at: number) => {
    const areMissing = () => {
      while (seen < replied && ready.has(order[seen] as number)) seen++
      return seen < replied
    }
    await waitForLate(timeline, instant(at), areMissing)
    seen = replied
  }
  let made = 0
  /** Applies the changes recorded before this command. */
  const applyChanges = async (n: number) => {
    for (let change = changes[made]; change && change.after < n; change = changes[++made]) {
      const { from, at, keys, replied } = change
      await awaitReplies(replied, from ?? at)
      if (from !== undefined) {
        await timeline.advance(instant(from))
        await timeline.run(instant(at), (before) => {
          if (before > timeline.now()) applied.setBack(n, before)
        })
      }
      if (keys) worlds.default.keys.replace(keys)
    }
  }
  for (const command of commands) {
    await applyChanges(command.n)
    await awaitReplies(command.replied, command.from ?? command.at)
    applied.countFrom(command.n - 1)
    if (command.from !== undefined) await timeline.advance(instant(command.from))
    goTo(instant(command.at))
    const answered = send(handle, requestOf(command.request), reading)
    pending.add(answered)
    void answered.finally(() => pending.delete(answered))
    await isApplied(applied, command, answered)
  }
  const next = recording.commands[commands.length]
  if (!next) await applyChanges(Infinity)
  // Replies that were sent after the next command are not awaited: they may depend on it.
  await awaitReplies(
    next?.replied ?? order.length,
    next?.from ?? next?.at ?? endedAt ?? Number.MAX_SAFE_INTEGER,
  )
  if (!next && endedAt !== undefined) {
    goTo(instant(endedAt))
    await timeline.advance(instant(endedAt))
  }
  await settled(pending, timeline.turn)
  await Promise.all(reading)
  unlisten()
  return { commands: commands.length, compared, ...(difference && { difference }) }
}

/** Resolves when a command was applied; its reply may be pending. */
async function isApplied(commands: Commands, { n }: RecordedCommand, answered: Promise<unknown>) {
  if (commands.count >= n) return
  const applied = new Promise<void>((resolve) => {
    const unlisten = commands.listen(() => {
      unlisten()
      resolve()
      return undefined
    })
  })
  await Promise.race([applied, answered])
}

/** Reads a reply to its end. `reading` contains long replies meanwhile. */
async function send(handle: Handle, request: Request, reading: Set<Promise<void>>): Promise<void> {
  const { slices, onSent } = await handle(request)
  if (slices) {
    const read = readAll(slices)
    reading.add(read)
    await read
    reading.delete(read)
  }
  onSent?.()
}

async function readAll(parts: AsyncIterable<string>): Promise<void> {
  for await (const _ of parts);
}

/** Waits for the requests that can end without an advance of the clock. */
async function settled(pending: ReadonlySet<Promise<unknown>>, turn: () => Promise<void>): Promise<void> {
  for (let turns = 0; pending.size > 0 && turns < 10; turns++) await turn()
}

/** Restores the state of a namespace at the start of the recording. */
async function restore(
  name: string,
  { pets, empty, keys, isUnstored, state, snapshots = [] }: RecordedNamespace,
  { worlds, snapshots: saved }: Internals,
  at: number,
): Promise<void> {
  const world = worlds.get(name, at)
  const held = pets ? new Pets(pets) : world.collections.pets
  const collections = { pets: held, empty: new Pets(empty ?? NO_PETS) }
  if (state) continueFrom(world, recordedWorldOf(state, collections, keys, world.keys.secrets))
  else world.keys.replace(keys)
  if (!isUnstored) worlds.markStored(world)
  for (const { name: snapshot, at: savedAt, keys: savedKeys, ...table } of snapshots)
    await saved.save(name, snapshot, { pets: new Pets(table), keys: savedKeys }, savedAt)
}

const requestOf = (request: RecordedRequest): Request => ({
  ...requestWith(request.method, request.target, request.headers, bodyOf(request)),
  tooLarge: request.tooLarge === true,
})

function bodyOf(request: RecordedRequest): Uint8Array | undefined {
  if ('base64' in request) return bytesOfBase64(request.base64)
  if ('sha256' in request || request.body === undefined) return undefined
  return encodeUtf8(request.body)
}
