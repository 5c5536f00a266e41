import { jsonOf } from '../contract/openapi/json.ts'
import { VERSION } from '../contract/version.ts'
import { bytesOfBase64, encodeUtf8 } from '../text/utf8.ts'
import type { Timeline } from '../time/timeline.ts'
import { ApiError } from '../world/api-error.ts'
import { NO_PETS, Pets } from '../world/pets/collection.ts'
import { fieldValue, type Handle, type Request, requestWith } from '../world/traffic/message.ts'
import type { CommandListener } from './commands.ts'
import {
  contentOf,
  type RecordingDifference,
  type Replay,
  replyDifference,
  requestName,
} from './difference.ts'
import type { Internals } from './internals.ts'
import { recorded, recordedReply } from './recorded-lines.ts'
import type {
  RecordedCommand,
  RecordedNamespace,
  RecordedReply,
  RecordedRequest,
  Recording,
} from './recording.ts'
import { waitForLate } from './repeat.ts'
import { continueFrom, recordedWorldOf } from './world-state.ts'

/** The result of replaying a recording. */
export type ReplayResult = Omit<Replay, 'notices'>

/** The instant of the first state, in milliseconds since the epoch. */
export const instantOf = ({ startedAt, at = 0 }: Recording['head']): number => Date.parse(startedAt) + at

/**
 * Replays a recording from its first state on, in a sandbox that serves nothing yet, and compares the replies. Afterwards
 * its clock stands still.
 */
export async function replayRecording(
  recording: Recording,
  commands: readonly RecordedCommand[],
  internals: Internals,
): Promise<ReplayResult> {
  const { head, changes, replies, endedAt } = recording
  const { handle, timeline, worlds, commands: applied } = internals
  const { stateSize } = worlds.default
  for (const [name, namespace] of Object.entries(head.start.namespaces))
    await restore(name, namespace, internals, instantOf(head))
  const instant = (at: number) => Date.parse(head.startedAt) + at
  const comparison = comparisonWith(replies, timeline)
  const unlisten = applied.listen(comparison.listener)
  const pending = new Set<Promise<void>>()
  const reading = new Set<Promise<void>>()
  let done = 0
  /** Applies the changes recorded before this command. */
  const applyChanges = async (n: number) => {
    for (let change = changes[done]; change && change.after < n; change = changes[++done]) {
      const { from, at, keys, replied } = change
      await comparison.waitFor(replied, instant(from ?? at))
      if (from !== undefined) {
        await timeline.advance(instant(from))
        await timeline.run(instant(at), (before) => {
          if (before > timeline.now()) applied.setBack(n, before)
        })
      }
      if (keys) worlds.default.keys.replace(keys)
    }
  }
  for (const { n, from, at, replied, request, refused } of commands) {
    await applyChanges(n)
    await comparison.waitFor(replied, instant(from ?? at))
    applied.countFrom(n - 1)
    if (from !== undefined) await timeline.advance(instant(from))
    applied.setClock(() => instant(at))
    const reply = replies.get(n)
    if (refused || reply?.refused)
      applied.refuseNext(refusalIn(reply) ?? stateSize.refusal, reply?.refused === true)
    stateSize.refuses = head.version === VERSION || reply?.status === 503
    const isApplied = comparison.next()
    const answered = send(handle, requestOf(request), reading)
    pending.add(answered)
    void answered.finally(() => pending.delete(answered))
    await Promise.race([isApplied, answered])
  }
  const next = recording.commands[commands.length]
  if (!next) await applyChanges(Infinity)
  // Replies that were sent after the next command are not awaited: they may depend on it.
  const until = next?.from ?? next?.at ?? endedAt ?? Number.MAX_SAFE_INTEGER
  await comparison.waitFor(next?.replied ?? replies.size, instant(until))
  if (!next && endedAt !== undefined) {
    applied.setClock(() => instant(endedAt))
    await timeline.advance(instant(endedAt))
  }
  // Waits for the requests that can end without an advance of the clock.
  for (let turns = 0; pending.size > 0 && turns < 10; turns++) await timeline.turn()
  await Promise.all(reading)
  stateSize.refuses = true
  unlisten()
  return { commands: commands.length, ...comparison.found }
}

/** The refusal that a recorded reply contains. */
function refusalIn(reply: RecordedReply | undefined): ApiError | undefined {
  if (!reply) return undefined
  const { message = '' } = Object(jsonOf(contentOf(reply) ?? ''))
  const after = fieldValue(reply.headers, 'retry-after') ?? '1'
  return new ApiError('service_unavailable', message, ['Retry-After', after])
}

/** Compares each reply when it arrives: all together can take a thousand times the memory of the recording. */
function comparisonWith(replies: Recording['replies'], timeline: Timeline) {
  /** The numbers of the recorded replies, in the order in which they were sent. */
  const order = [...replies.keys()]
  const ready = new Set<number>()
  /** The number of replies in `order` that are no longer awaited. */
  let seen = 0
  let applied = () => {}
  const found: { compared: number; difference?: RecordingDifference } = { compared: 0 }
  const listener: CommandListener = ({ n, request }, reply) => {
    applied()
    return recorded(reply, (complete) => {
      ready.add(n)
      const was = replies.get(n)
      if (!was) return
      found.compared++
      if (found.difference && found.difference.command < n) return
      const difference = replyDifference(was, recordedReply(complete))
      if (difference) found.difference = { ...requestName(n, request, was), ...difference }
    })
  }
  return {
    found,
    listener,
    /** Resolves when the next command is applied; its reply may be pending. */
    next(): Promise<void> {
      return new Promise((resolve) => {
        applied = resolve
      })
    },
    /** Waits for the first `count` recorded replies until an instant: some depend on other code, such as Prism. */
    async waitFor(count: number, until: number): Promise<void> {
      const areMissing = () => {
        while (seen < count && ready.has(order[seen] ?? -1)) seen++
        return seen < count
      }
      await waitForLate(timeline, until, areMissing)
      seen = count
    },
  }
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
  if (!isUnstored) world.isStored = true
  world.hasSnapshots = snapshots.length > 0
  for (const { name: snapshot, at: savedAt, keys: savedKeys, ...table } of snapshots)
    await saved.save(name, snapshot, { pets: new Pets(table), keys: savedKeys }, savedAt)
}

const requestOf = (request: RecordedRequest): Request => ({
  ...requestWith(request.method, request.target, request.headers, bodyOf(request)),
  tooLarge: request.tooLarge === true,
})

function bodyOf(request: RecordedRequest): Uint8Array | undefined {
  if ('base64' in request) return bytesOfBase64(request.base64)
  return 'body' in request && request.body !== undefined ? encodeUtf8(request.body) : undefined
}
