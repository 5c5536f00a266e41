import type { Meter } from '../world/limits/meter.ts'
import type { WorldMarks } from '../world/rewind.ts'
import type { Collections, WorldState } from '../world/state.ts'
import type { StoredKey } from '../world/stored.ts'
import { markWithKey, type Note } from '../world/traffic/duplicates.ts'
import type { Exchange, Message } from '../world/traffic/exchange.ts'
import type { Reason } from '../world/traffic/reason.ts'
import type { Rewriter, Secrets } from '../world/traffic/secrets.ts'
import { Tally, type TallyState } from '../world/traffic/tally.ts'

/** Everything of a world but its pets, as JSON. Instants are milliseconds since the epoch. */
export interface RecordedState {
  readonly meters: readonly (readonly [key: string, meter: JsonMeter])[]
  readonly clock: WorldState['clock']
  readonly faults: WorldState['faults']
  readonly holds: number
  readonly chance: number
  readonly requests: number
  readonly label?: string
  readonly duplicates: readonly (readonly [mark: string, note: Note])[]
  readonly journal: readonly Omit<Exchange, 'secrets'>[]
  readonly tally: TallyState
  readonly marks: WorldMarks
}

/** JSON has no infinity. */
type JsonNumber = number | 'Infinity' | '-Infinity'
type JsonMeter = { readonly [Name in keyof Meter]?: JsonOf<Meter[Name]> }
type JsonOf<T> = T extends number
  ? JsonNumber
  : T extends object
    ? { readonly [Name in keyof T]: JsonOf<T[Name]> }
    : T

export function recordedState(
  state: Omit<WorldState, 'collections' | 'keys'>,
  marks: WorldMarks,
  rewriter: Rewriter,
): RecordedState {
  const { clock, faults, holds, chance, requests, label } = state
  return {
    meters: Array.from(state.meters, ([key, meter]) => [rewriter.key(key), jsonOf(meter)]),
    clock,
    faults: JSON.parse(rewriter.text(JSON.stringify(faults))),
    holds,
    chance,
    requests,
    ...(label !== undefined && { label }),
    duplicates: Array.from(state.duplicates, ([mark, { id, at, order }]) => [
      markWithKey(mark, rewriter.key),
      { id, at, order },
    ]),
    journal: state.journal.map((exchange) => recordedExchange(exchange, rewriter)),
    tally: state.tally.state,
    marks,
  }
}

export function worldStateOf(
  recorded: RecordedState,
  collections: Collections,
  keys: readonly StoredKey[],
  secrets: Secrets,
): WorldState {
  const { meters, clock, duplicates, journal, tally, label, marks: _, ...rest } = recorded
  return {
    ...rest,
    collections,
    keys,
    meters: new Map(meters.map(([key, meter]) => [key, meterOf(meter)])),
    clock: { offset: clock.offset, frozenAt: clock.frozenAt },
    label,
    duplicates: new Map(duplicates),
    journal: journal.map((exchange) => ({ ...exchange, secrets })),
    tally: Tally.of(tally),
  }
}

function recordedExchange(
  { secrets: _, ...exchange }: Exchange,
  rewriter: Rewriter,
): Omit<Exchange, 'secrets'> {
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

const jsonOf = (meter: Meter): JsonMeter =>
  JSON.parse(
    JSON.stringify(meter, (_, value) =>
      typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
    ),
  )

const meterOf = (meter: JsonMeter): Meter => ({
  // What JSON leaves out.
  armed: undefined,
  wait: undefined,
  ...(JSON.parse(JSON.stringify(meter), (_, value) =>
    value === 'Infinity' || value === '-Infinity' ? Number(value) : value,
  ) as Omit<Meter, 'armed' | 'wait'>),
})
