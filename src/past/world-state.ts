import { joined } from '../contract/openapi/json.ts'
import type { Rewriter } from '../world/keys/redaction.ts'
import type { Secrets } from '../world/keys/secrets.ts'
import type { Meter } from '../world/limits/meter.ts'
import type { WorldState } from '../world/parts.ts'
import type { CapturedPets } from '../world/pets/collections.ts'
import type { Gone } from '../world/point.ts'
import type { StoredKey } from '../world/store.ts'
import { markWithKey, type Noted } from '../world/traffic/duplicates.ts'
import type { Exchange, Message } from '../world/traffic/exchange.ts'
import type { Reason } from '../world/traffic/reason.ts'
import type { World } from '../world/world.ts'

/** Parts of the state that a recording stores in another form, or not at all. */
type Special = 'collections' | 'keys' | 'meters' | 'duplicates' | 'journal' | 'label' | 'reportedSince'

/** The state of a world without its pets, as JSON. Instants are milliseconds since the epoch. */
export interface RecordedState extends Omit<WorldState, Special> {
  /** JSON has no infinite numbers: those of meters are texts. */
  readonly meters: readonly (readonly [key: string, meter: object])[]
  readonly label?: string
  readonly duplicates: readonly (readonly [mark: string, note: JsonNote])[]
  readonly journal: readonly Omit<Exchange, 'secrets'>[]
  /** The number of exchanges that the journal had dropped since it was cleared. */
  readonly dropped?: number
  readonly marks: WorldMarks
}

interface JsonNote {
  readonly id: string
  readonly at: number
  readonly order: number
}

/** Kept in a recording beside the state of a world: whether it is in use, and why it has no older points. */
export interface WorldMarks {
  readonly turned: boolean
  readonly admitted: boolean
  readonly setByHand: readonly ('limits' | 'bans')[]
  readonly gone?: Gone
  /** The number of rewinds; 0 by default. */
  readonly branches?: number
}

export function marksOf(world: World, branches = world.past.branchCount): WorldMarks {
  const { turned, admitted, past } = world
  const gone = past.gone && { gone: past.gone }
  const setByHand = [...world.setByHand]
  return { turned, admitted, setByHand, ...gone, ...(branches > 0 && { branches }) }
}

/** A world for a recording. */
export interface RecordedWorld {
  readonly state: WorldState
  readonly journal: readonly Exchange[]
  readonly marks: WorldMarks
}

/** Gives a world the state, the journal and the marks of a recorded one. */
export function continueFrom(world: World, { state, journal, marks }: RecordedWorld): void {
  world.takeOver(state)
  world.past.continueFrom(journal, marks.gone, marks.branches ?? 0)
  for (const _ of journal) world.journal.count()
  world.turned = marks.turned
  world.admitted = marks.admitted
  for (const mark of marks.setByHand) world.setByHand.add(mark)
}

/** A RecordedState as JSON, in parts: a journal may contain a thousand bodies. */
export function* stateParts(world: RecordedWorld, rewriter: Rewriter): Generator<string> {
  yield `${JSON.stringify(withoutJournal(world, rewriter)).slice(0, -1)},"journal":[`
  yield* joined(world.journal, (exchange) => JSON.stringify(recordedExchange(exchange, rewriter)))
  yield ']}'
}

function withoutJournal(world: RecordedWorld, rewriter: Rewriter): Omit<RecordedState, 'journal'> {
  const { state, journal, marks } = world
  const { collections: _pets, keys: _keys, reportedSince: _since, ...others } = state
  const { meters, faults, label, duplicates, journal: kept, ...rest } = others
  const dropped = kept.recorded - journal.length
  return {
    ...rest,
    meters: Array.from(meters, ([key, meter]) => [rewriter.key(key), jsonOf(meter)]),
    faults: JSON.parse(rewriter.text(JSON.stringify(faults))),
    ...(label !== undefined && { label }),
    duplicates: notesOf(duplicates).map(([mark, note]) => [markWithKey(mark, rewriter.key), note]),
    ...(dropped > 0 && { dropped }),
    marks,
  }
}

/** The last note of each mark. */
function notesOf({ notes, length }: Noted): [string, JsonNote][] {
  const last = new Map<string, JsonNote>()
  for (const [order, { mark, id, at, isForgotten }] of notes.slice(0, length).entries())
    if (!isForgotten) last.set(mark, { id, at, order })
  return [...last]
}

export function recordedWorldOf(
  recorded: RecordedState,
  collections: CapturedPets,
  keys: readonly StoredKey[],
  secrets: Secrets,
): RecordedWorld {
  const { meters, clock, duplicates, journal, dropped = 0, label, marks, ...rest } = recorded
  const notes = duplicates
    .toSorted(([, a], [, b]) => a.order - b.order)
    .map(([mark, { id, at }]) => ({ mark, id, at, isForgotten: false }))
  const state: WorldState = {
    ...rest,
    collections,
    keys,
    meters: new Map(meters.map(([key, meter]) => [key, meterOf(meter)])),
    clock: { offset: clock.offset, frozenAt: clock.frozenAt },
    label,
    duplicates: { notes, length: notes.length },
    journal: { since: 0, recorded: dropped },
    reportedSince: 0,
  }
  return { state, journal: journal.map((exchange) => ({ ...exchange, secrets })), marks }
}

function recordedExchange({ secrets: _, ...exchange }: Exchange, rewriter: Rewriter) {
  const text = (value: string) => rewriter.text(value)
  const hidden = (reason: Reason): Reason =>
    reason.message === undefined ? reason : { ...reason, message: text(reason.message) }
  const message = ({ headers, body, ...rest }: Message): Message => ({
    headers: rewriter.headers(headers),
    body: text(body),
    ...rest,
  })
  const { key, path, query, request, response, reason, acted, changed } = exchange
  return {
    ...exchange,
    key: key === undefined ? undefined : rewriter.key(key),
    path: text(path),
    query: text(query),
    request: message(request),
    response: message(response),
    reason: hidden(reason),
    changed: changed && { ...changed, id: String(changed.id) },
    acted: acted?.lost ? { ...acted, lost: { ...acted.lost, reason: hidden(acted.lost.reason) } } : acted,
  }
}

const jsonOf = (meter: Meter): object =>
  JSON.parse(
    JSON.stringify(meter, (_, value) =>
      typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
    ),
  )

const meterOf = (meter: object): Meter => ({
  // JSON omits undefined members.
  armed: undefined,
  wait: undefined,
  ...(JSON.parse(JSON.stringify(meter), (_, value) =>
    value === 'Infinity' || value === '-Infinity' ? Number(value) : value,
  ) as Omit<Meter, 'armed' | 'wait'>),
})
