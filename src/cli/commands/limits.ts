import type { Command } from 'commander'
import type { ControlResponse } from '../../client/call.ts'
import type { ControlClient } from '../../client/control.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { LimitsView, WindowView } from '../../contract/generated/control.types.d.ts'
import { stringifyJson } from '../../contract/openapi/json.ts'
import { printable } from '../../text/printable.ts'
import { formatDistance } from '../../time/duration.ts'
import { textTable } from '../../views/text-table.ts'
import { UNLIMITED } from '../../world/plan.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { keyAddress } from '../key-address.ts'
import { nowOf } from '../namespace-time.ts'
import { type RemoteOutput, remote } from '../remote.ts'

export function register(command: Command, io: Io): void {
  command
    .argument('[key]', 'API key (default: every valid key)')
    .option('--leave <count>', 'set how many requests are left in this minute')
    .option('--refill', 'restore the full quota of both windows')
    .option('--ban [seconds]', 'ban the key from now on')
    .option('--lift', 'lift the ban of the key')
  const action = (client: ControlClient, turns: Turns, key?: string) => {
    const turn = turnOf(turns)
    if (turns.at !== undefined && turn !== READ)
      throw new UsageError(
        '--at shows an earlier state, which cannot be changed',
        'Leave it out to change limits',
      )
    if (key !== undefined) return one(client, io, key, turn)
    if (turn !== READ) throw new UsageError('A change needs a key', 'Name it: limits <key> --leave 1')
    return all(client, io)
  }
  remote<Turns>(command, io, action, { reads: true, views: true })
  addExamples(command, 'limits psk_free', 'limits', 'limits psk_free --leave 1', 'limits psk_free --ban 60')
}

/** A change of the limits of a key. */
interface Turns {
  readonly leave?: string
  readonly refill?: true
  readonly ban?: string | true
  readonly lift?: true
  readonly at?: string
}

type Turn = (client: ControlClient, at: KeyParams) => Promise<ControlResponse<LimitsView>>

interface KeyParams {
  readonly params: { readonly path: { readonly key: string } }
}

const READ: Turn = ({ call }, at) => call('GET', '/keys/{key}/limits', at)
const REFILL: Turn = ({ call }, at) => call('DELETE', '/keys/{key}/limits', at)
const LIFT: Turn = ({ call }, at) => call('DELETE', '/keys/{key}/ban', at)

const leave =
  (remaining: number): Turn =>
  ({ call }, at) =>
    call('PUT', '/keys/{key}/limits', { ...at, body: { remaining } })

const banFor = (ban: string | true): Turn => {
  const body = ban === true ? {} : { seconds: number('--ban', ban) }
  return ({ call }, at) => call('PUT', '/keys/{key}/ban', { ...at, body })
}

function turnOf(turns: Turns): Turn {
  const asked: Turn[] = [
    ...(turns.leave === undefined ? [] : [leave(number('--leave', turns.leave))]),
    ...(turns.refill ? [REFILL] : []),
    ...(turns.ban === undefined ? [] : [banFor(turns.ban)]),
    ...(turns.lift ? [LIFT] : []),
  ]
  if (asked.length > 1)
    throw new UsageError('--leave, --refill, --ban and --lift exclude each other', 'Use one of them')
  return asked[0] ?? READ
}

const keyParams = (key: string): KeyParams => ({ params: { path: { key } } })

function number(flag: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new UsageError(`${flag}: "${text}" is not a valid number`, 'use one such as 1')
}

async function one(given: ControlClient, io: Io, name: string, turn: Turn): Promise<RemoteOutput> {
  const { client, key } = keyAddress(given, name)
  const answer = await turn(client, keyParams(key))
  // Read afterwards, so that no window appears longer than it is.
  const now = await nowOf(client)
  const { plan, minute, day, ban } = answer.value
  const invalid = await invalidity(client, key, now)
  if (invalid !== undefined) {
    const headline = `${printable(key)}, plan ${plan}, ${io.paint.bad(invalid)}`
    return { answer, people: `${headline}: every request with it gets 401, and none counts\n` }
  }
  const rows = Object.entries({ minute, day }).map(([name, { limit, remaining, resetsAt }]) => [
    name,
    amount(limit),
    amount(remaining),
    formatDistance(Date.parse(resetsAt), now),
    resetsAt,
  ])
  const table = textTable(
    ['WINDOW', '>LIMIT', '>REMAINING', 'RESETS', 'AT'],
    rows,
    io.paint.strong,
    io.columns,
  )
  const banned = ban
    ? io.paint.bad(`banned, lifted ${formatDistance(Date.parse(ban.until), now)} at ${ban.until}`)
    : 'not banned'
  return { answer, people: `${printable(key)}, plan ${plan}, ${banned}\n${table}` }
}

/** Why a key is not valid; undefined for one that is. */
async function invalidity(client: ControlClient, key: string, now: number): Promise<string | undefined> {
  const { value } = await client.call('GET', '/keys')
  const view = value.find((candidate) => keyAddress(client, candidate.key).key === key)
  if (view?.revoked) return 'revoked'
  const { expiresAt = null } = view ?? {}
  if (expiresAt === null || Date.parse(expiresAt) > now) return undefined
  return `expired ${formatDistance(Date.parse(expiresAt), now)} at ${expiresAt}`
}

type KeyLimits = LimitsView & { readonly key: string }

/** One call per key; the responses are joined, each with its key. */
async function all(client: ControlClient, io: Io): Promise<RemoteOutput> {
  const { value } = await client.call('GET', '/keys')
  const keys = value.filter(({ revoked }) => !revoked)
  const limits = await Promise.all(
    keys.map(async ({ key }): Promise<KeyLimits> => {
      const answer = await READ(client, keyParams(keyAddress(client, key).key))
      return { key, ...answer.value }
    }),
  )
  const now = await nowOf(client)
  const expired = keys.filter(({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) <= now)
  const valid = limits.filter((view) => !expired.some(({ key }) => key === view.key))
  return { answer: { text: stringifyJson(valid) }, people: tableOf(valid, now, io) }
}

function tableOf(limits: readonly KeyLimits[], now: number, { paint, columns }: Io): string {
  const rows = limits.map(({ key, plan, minute, day, ban }) => [
    key,
    plan,
    ...window(minute, now),
    ...window(day, now),
    ban ? { text: `lifted ${formatDistance(Date.parse(ban.until), now)}`, paint: paint.bad } : '-',
  ])
  return textTable(
    ['~KEY', 'PLAN', '>MINUTE', 'RESETS', '>DAY', 'RESETS', 'BAN'],
    rows,
    paint.strong,
    columns,
  )
}

const window = ({ limit, remaining, resetsAt }: WindowView, now: number): [string, string] => [
  limit === UNLIMITED ? amount(limit) : `${remaining} of ${limit}`,
  formatDistance(Date.parse(resetsAt), now),
]

const amount = (requests: number): string => (requests === UNLIMITED ? 'unlimited' : String(requests))
