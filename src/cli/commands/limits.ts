import type { Command } from 'commander'
import type { ControlAnswer, ControlClient } from '../../client/control.ts'
import type { LimitsView, WindowView } from '../../client/world.ts'
import { stringifyJson } from '../../contract/json.ts'
import { formatDistance } from '../../domain/duration.ts'
import type { KeyView } from '../../domain/key.ts'
import { UNLIMITED } from '../../domain/plan.ts'
import { textTable } from '../../views/text-table.ts'
import { addressed } from '../addressed.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { nowOf } from '../now.ts'
import { remote, type Told } from '../remote.ts'

export function register(command: Command, io: Io): void {
  command.argument('[key]', 'a key; without one, every key that is valid')
  remote(command, io, (client, _, key) => (key === undefined ? all(client, io) : one(client, io, key)))
  addExamples(command, 'limits psk_free', 'limits', 'limits psk_free --json')
}

const limitsOf = (client: ControlClient, key: string): Promise<ControlAnswer> =>
  client.call('GET', `/keys/${encodeURIComponent(key)}/limits`)

async function one(given: ControlClient, io: Io, name: string): Promise<Told> {
  const { client, key } = addressed(given, name)
  const [answer, now] = await Promise.all([limitsOf(client, key), nowOf(client)])
  return { answer, people: table([[key, answer.value as LimitsView]], now, io) }
}

/** One call a key; their answers are joined, each with its key. */
async function all(client: ControlClient, io: Io): Promise<Told> {
  const [{ value }, now] = await Promise.all([client.call('GET', '/keys'), nowOf(client)])
  const valid = (value as KeyView[]).filter(
    ({ revoked, expiresAt }) => !revoked && (expiresAt === null || now < Date.parse(expiresAt)),
  )
  const limits = await Promise.all(
    valid.map(async ({ key }) => [key, (await limitsOf(client, key)).value as LimitsView] as const),
  )
  const joined = limits.map(([key, view]) => ({ key, ...view }))
  return { answer: { value: joined, text: stringifyJson(joined) }, people: table(limits, now, io) }
}

function table(limits: readonly (readonly [string, LimitsView])[], now: number, { paint }: Io): string {
  const rows = limits.map(([key, { plan, minute, day, ban }]) => [
    key,
    plan,
    ...window(minute, now),
    ...window(day, now),
    ban ? paint.bad(`lifted ${formatDistance(Date.parse(ban.until), now)} (${ban.until})`) : '-',
  ])
  return textTable(['KEY', 'PLAN', '>MINUTE', 'RESETS', '>DAY', 'RESETS', 'BAN'], rows, paint.strong)
}

const window = ({ limit, remaining, resetsAt }: WindowView, now: number): [string, string] => [
  limit === UNLIMITED ? 'unlimited' : `${remaining} of ${limit}`,
  formatDistance(Date.parse(resetsAt), now),
]
