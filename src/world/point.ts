import type { PointView, Side } from '../contract/generated/control.types.d.ts'
import { inMiB, inThousands } from '../text/in-thousands.ts'
import { statusWord } from '../text/status-word.ts'
import { iso } from '../time/instant.ts'
import { KEPT_BYTES } from './budget.ts'
import type { Command } from './command.ts'
import { targetOf } from './traffic/address.ts'
import type { Exchange } from './traffic/exchange.ts'
import { JOURNAL_LENGTH } from './traffic/journal.ts'

/** A point of the history: before or after a request or a control call. */
export interface Point {
  readonly command: Command
  readonly side: Side
  /** The number of earlier events of the namespace. */
  readonly position: number
  /** Its instant of real time. */
  readonly real: number
}

/** The reason why the history has no older points. */
export type Gone = 'journal' | 'budget' | 'cleared' | 'copied' | 'size' | 'busy' | 'stored'

/** After this many commands a checkpoint is taken even if requests are in progress. No command can be repeated from it. */
export const MAX_COMMANDS = 2000

export const GONE_WORDS: Readonly<Record<Gone, string>> = {
  journal: `it reaches back ${inThousands(JOURNAL_LENGTH)} requests`,
  budget: `requests and history take ${inMiB(KEPT_BYTES)} of memory, which is the limit`,
  cleared: 'the requests were cleared',
  copied: 'the namespace became a copy of another one',
  size: 'replaced pets took too much memory to keep',
  busy: `there was always a request in progress for ${inThousands(MAX_COMMANDS)} commands`,
  stored: 'the data file contains pets and keys, but no requests',
}

/** The id of the request or the control call. */
export const idOf = ({ call, exchange }: Command): string => exchange?.id ?? call?.id ?? ''

export function pointOf(command: Command, side: Side): Point {
  const { at, began, ended, exchange } = command
  return side === 'before'
    ? { command, side, position: began, real: at }
    : { command, side, position: ended + 1, real: at + (exchange?.ms ?? 0) }
}

/** A point as the control API shows it. */
export function pointView(command: Command): PointView {
  const { exchange, at, call = {}, refusal } = command
  const { shownAt, shownAfter, what = '', line, caller, keyName, isFrozen } = call
  return {
    id: idOf(command),
    at: iso(exchange?.at ?? shownAt ?? at),
    receivedAt: iso(exchange?.receivedAt ?? at),
    what: exchange ? whatOf(exchange) : refusal ? `not stored: ${what}` : what,
    ...(line && { line }),
    ...(caller && { caller }),
    ...(keyName && { keyName }),
    ...(shownAfter !== undefined && { after: iso(shownAfter) }),
    ...(isFrozen && { frozen: true }),
  }
}

/** `GET /v1/pets?limit=1 200`; keys masked. */
export const whatOf = (exchange: Exchange): string =>
  `${exchange.method} ${exchange.secrets.mask(targetOf(exchange))} ${statusWord(exchange.status)}`
