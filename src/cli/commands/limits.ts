import type { Command } from 'commander'
import type { ControlAnswer, ControlClient } from '../../client/control.ts'
import type { LimitsView, WindowView } from '../../client/world.ts'
import { stringifyJson } from '../../contract/json.ts'
import { formatDistance } from '../../domain/duration.ts'
import type { KeyView } from '../../domain/key.ts'
import { UNLIMITED } from '../../domain/plan.ts'
import { printable } from '../../domain/printable.ts'
import { textTable } from '../../views/text-table.ts'
import { addressed } from '../addressed.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { nowOf } from '../now.ts'
import { remote, type Told } from '../remote.ts'

export function register(command: Command, io: Io): void {
  command.argument('[key]', 'a key; without one, every key that is valid')
  remote(command, io, (client, _, key) => (key === undefined ? all(client, io) : one(client, io, key)), {
    reads: true,
  })
  addExamples(command, 'limits psk_free', 'limits', 'limits psk_free --json')
}

const limitsOf = (client: ControlClient, key: string): Promise<ControlAnswer> =>
  client.call('GET', `/keys/${encodeURIComponent(key)}/limits`)

async function one(given: ControlClient, io: Io, name: string): Promise<Told> {
  const { client, key } = addressed(given, name)
  const answer = await limitsOf(client, key)
  // Asked afterwards, so that no window looks longer than it is.
  const now = await nowOf(client)
  const { plan, minute, day, ban } = answer.value as LimitsView
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
  const view = (value as KeyView[]).find((candidate) => addressed(client, candidate.key).key === key)
  if (view?.revoked) return 'revoked'
  const { expiresAt = null } = view ?? {}
  if (expiresAt === null || Date.parse(expiresAt) > now) return undefined
  return `expired ${formatDistance(Date.parse(expiresAt), now)} at ${expiresAt}`
}

type KeyLimits = LimitsView & { readonly key: string }

/** One call a key; their answers are joined, each with its key. */
async function all(client: ControlClient, io: Io): Promise<Told> {
  const { value } = await client.call('GET', '/keys')
  const keys = (value as KeyView[]).filter(({ revoked }) => !revoked)
  const limits = await Promise.all(
    keys.map(async ({ key }): Promise<KeyLimits> => {
      const answer = await limitsOf(client, addressed(client, key).key)
      return { key, ...(answer.value as LimitsView) }
    }),
  )
  const now = await nowOf(client)
  const expired = keys.filter(({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) <= now)
  const valid = limits.filter((view) => !expired.some(({ key }) => key === view.key))
  return { answer: { value: valid, text: stringifyJson(valid) }, people: tableOf(valid, now, io) }
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
