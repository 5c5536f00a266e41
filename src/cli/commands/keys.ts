/** Commands for API keys and their limits. */
import type { ControlClient } from '../../client/control.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { KeyView, WindowView } from '../../contract/generated/control.types.d.ts'
import { stringifyJson } from '../../contract/openapi/json.ts'
import { amount } from '../../text/in-thousands.ts'
import { printable } from '../../text/printable.ts'
import { formatDistance } from '../../time/duration.ts'
import { parseInstant } from '../../time/instant.ts'
import { quotaText } from '../../views/diff.ts'
import { splitToken } from '../../world/keys/bearer-token.ts'
import { PLAN_NAMES } from '../../world/plan.ts'
import { type Given, group, type Io } from '../command.ts'
import { type Output, remote } from '../remote.ts'
import { readAs, readInteger } from '../values.ts'

/** The virtual time of the client's namespace, in milliseconds since the epoch. */
const nowOf = async (client: ControlClient): Promise<number> =>
  Date.parse((await client.call('GET', '/clock')).value.now)

export const keys = group(
  {
    list: remote({
      summary: 'list the keys of the namespace (the default)',
      reads: true,
      views: true,
      async call(client) {
        const [{ text, value }, now] = await Promise.all([client.call('GET', '/keys'), nowOf(client)])
        return { text, value: { keys: value, now } }
      },
      output: ({ keys, now }) => ({
        head: ['~KEY', 'PLAN', 'SOURCE', '~STATE'],
        rows: keys.map((key) => [key.key, key.plan, key.source, stateOf(key, now)]),
      }),
    }),
    create: remote({
      summary: 'create a key; only the key is printed to stdout',
      takes: {
        '<plan>': { summary: 'plan of the key', choices: PLAN_NAMES },
        '--key <key>': 'the key to create (default: a generated one)',
        '--expires-at <instant>': {
          summary: 'when the key expires, such as 2030-12-05T00:00:00Z, or a date (00:00 UTC)',
          read: readAs(parseInstant),
        },
      },
      async call(client, { plan, key, expiresAt }, { io }) {
        const answer = await client.call('POST', '/keys', { body: { plan, key, expiresAt } })
        const end = answer.value.expiresAt
        const expiry = end === null ? 'never expires' : endInWords(end, await nowOf(client))
        io.talk(`A ${plan} key for namespace ${client.namespace}; it ${expiry}.\n`)
        return answer
      },
      output: ({ key }) => `${printable(key)}\n`,
    }),
    revoke: remote({
      summary: 'revoke a key in the namespace',
      takes: { '<key>': 'API key' },
      keyed: true,
      call: (client, { key }) => client.call('DELETE', '/keys/{key}', { path: { key } }),
      output: (_, { client, given }) => `Revoked ${given.key} in namespace ${client.namespace}.\n`,
    }),
  },
  ['keys', 'keys create pro', 'keys create free --expires-at 2030-01-01T00:00:00Z', 'keys revoke psk_free'],
)

function stateOf({ revoked, expiresAt }: KeyView, now: number): string {
  if (revoked) return 'revoked'
  if (expiresAt === null) return 'valid'
  return `${hasExpired(expiresAt, now) ? 'expired' : 'expires'} ${distance(expiresAt, now)} (${expiresAt})`
}

const hasExpired = (expiresAt: string, now: number): boolean => Date.parse(expiresAt) <= now

const ALL_REFUSED = 'every request with it gets 401, and none counts'

const endInWords = (end: string, now: number): string =>
  hasExpired(end, now) ? `expired ${end}: ${ALL_REFUSED}` : `expires ${end}`

const distance = (instant: string, now: number): string => formatDistance(Date.parse(instant), now)

const CHANGES = {
  '--leave <count>': {
    summary: 'set the remaining requests of this minute',
    conflicts: ['refill', 'ban', 'lift'],
    // The sandbox compares it with the limit of the plan.
    read: readInteger(0),
  },
  '--refill': { summary: 'restore the full quota of both windows', conflicts: ['ban', 'lift'] },
  '--ban [seconds]': {
    summary: 'ban the key now, by default for as long as the decision ban.seconds says',
    conflicts: ['lift'],
    // As in the control document.
    read: readInteger(1, 31_536_000, 'seconds'),
  },
  '--lift': 'lift the ban of the key',
}

export const limits = remote({
  takes: { '[key]': 'API key (default: every valid key)', ...CHANGES },
  examples: ['limits psk_free', 'limits', 'limits psk_free --leave 1', 'limits psk_free --ban 60'],
  reads: (given) => !isChange(given),
  views: true,
  keyed: true,
  async call(client, given, { io }): Promise<{ text: string; value: Output }> {
    const { key, at } = given
    if (isChange(given) && at !== undefined)
      throw new UsageError(
        '--at shows an earlier state, which cannot be changed',
        'Leave it out to change limits',
      )
    if (isChange(given) && key === undefined)
      throw new UsageError('A change needs a key', 'Name it, such as limits psk_free')
    return key === undefined ? limitsOfEachKey(client, io) : limitsOfKey(client, key, given, io)
  },
  output: (output) => output,
})

type ChangeGiven = Given<typeof CHANGES>

const isChange = ({ leave, refill, ban, lift }: ChangeGiven): boolean =>
  [leave, refill, ban, lift].some((given) => given !== undefined)

/** Changes or reads the limits of a key. */
async function changedLimits({ call }: ControlClient, key: string, given: ChangeGiven) {
  const { leave: remaining, refill, ban, lift } = given
  const path = { key }
  if (remaining !== undefined) return call('PUT', '/keys/{key}/limits', { path, body: { remaining } })
  if (refill) return call('DELETE', '/keys/{key}/limits', { path })
  if (ban !== undefined)
    return call('PUT', '/keys/{key}/ban', { path, body: { seconds: ban === true ? undefined : ban } })
  return lift ? call('DELETE', '/keys/{key}/ban', { path }) : call('GET', '/keys/{key}/limits', { path })
}

async function limitsOfKey(client: ControlClient, key: string, given: ChangeGiven, { paint }: Io) {
  const { text, value } = await changedLimits(client, key, given)
  // Read after the limits, so that no window seems to last longer than it does.
  const now = await nowOf(client)
  const { plan, minute, day, ban, valid = true } = value
  const name = printable(`${key}, plan ${plan}`)
  const banned = ban
    ? paint.bad(`banned, lifted ${distance(ban.until, now)} at ${printable(ban.until)}`)
    : 'not banned'
  if (!valid) {
    const { value: views } = await client.call('GET', '/keys')
    const view = views.find((candidate) => splitToken(candidate.key).key === key)
    const state = view ? stateOf(view, now) : 'gone'
    return { text, value: `${name}${ban ? `, ${banned}` : ''}, ${paint.bad(state)}: ${ALL_REFUSED}\n` }
  }
  const rows = Object.entries({ minute, day }).map(([window, { limit, remaining, resetsAt }]) => [
    window,
    amount(limit),
    amount(remaining),
    distance(resetsAt, now),
    resetsAt,
  ])
  const head = ['WINDOW', '>LIMIT', '>REMAINING', 'RESETS', 'AT']
  return { text, value: [`${name}, ${banned}\n`, { head, rows }] }
}

/** The limits of every valid key, with the key. */
async function limitsOfEachKey(client: ControlClient, { paint }: Io) {
  const { value } = await client.call('GET', '/keys')
  const now = await nowOf(client)
  const valid = value.flatMap(({ key, limits }) => (limits && !('valid' in limits) ? { key, ...limits } : []))
  const rows = valid.map(({ key, plan, minute, day, ban }) => [
    key,
    plan,
    ...windowCells(minute, now),
    ...windowCells(day, now),
    ban ? { text: `lifted ${distance(ban.until, now)}`, paint: paint.bad } : '-',
  ])
  const head = ['~KEY', 'PLAN', '>MINUTE', 'RESETS', '>DAY', 'RESETS', 'BAN']
  return { text: stringifyJson(valid), value: { head, rows } }
}

const windowCells = (view: WindowView, now: number) => [quotaText(view), distance(view.resetsAt, now)]
