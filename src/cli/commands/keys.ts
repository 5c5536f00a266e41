import type { Command } from 'commander'
import type { ControlClient } from '../../client/control.ts'
import { at } from '../../config/usage-error.ts'
import type { KeyView, PlanName } from '../../contract/generated/control.types.d.ts'
import { formatDistance } from '../../time/duration.ts'
import { iso, parseInstant } from '../../time/instant.ts'
import { textTable } from '../../views/text-table.ts'
import { PLAN_NAMES } from '../../world/plan.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { keyAddress } from '../key-address.ts'
import { nowOf } from '../namespace-time.ts'
import { type RemoteOutput, remote } from '../remote.ts'

interface CreateOptions {
  readonly key?: string
  readonly expiresAt?: string
}

export function register(command: Command, io: Io): void {
  remote(
    command.command('list', { isDefault: true }).description('list the keys of the namespace (the default)'),
    io,
    (client) => list(client, io),
    { reads: true, views: true },
  )
  const create = command.command('create').description('issue a key; stdout gets the key only')
  create
    .addArgument(create.createArgument('<plan>', 'plan of the key').choices(PLAN_NAMES))
    .option('--key <key>', 'the key (default: generated)')
    .option('--expires-at <instant>', 'when the key expires, such as 2030-12-05T00:00:00Z')
  remote<CreateOptions, [PlanName]>(create, io, (client, options, plan) => issue(client, io, plan, options))
  remote(
    command.command('revoke').description('make a key invalid in the namespace').argument('<key>'),
    io,
    (client, _, key = '') => revoke(client, key),
  )
  addExamples(
    command,
    'keys',
    'keys create pro',
    'keys create free --expires-at 2030-01-01T00:00:00Z',
    'keys revoke psk_free',
  )
}

async function issue(
  client: ControlClient,
  io: Io,
  plan: PlanName,
  { key, expiresAt }: CreateOptions,
): Promise<RemoteOutput> {
  const until = expiresAt === undefined ? undefined : iso(at('--expires-at', () => parseInstant(expiresAt)))
  const answer = await client.call('POST', '/keys', {
    body: { plan, ...(key !== undefined && { key }), ...(until !== undefined && { expiresAt: until }) },
  })
  const made = answer.value
  io.talk(`A ${made.plan} key for namespace ${client.namespace}; it expires ${made.expiresAt ?? 'never'}.\n`)
  return { answer, people: `${made.key}\n` }
}

async function revoke(given: ControlClient, name: string): Promise<RemoteOutput> {
  const { client, key } = keyAddress(given, name)
  const answer = await client.call('DELETE', '/keys/{key}', { params: { path: { key } } })
  return { answer, people: `Revoked ${key} in namespace ${client.namespace}.\n` }
}

async function list(client: ControlClient, { paint, columns }: Io): Promise<RemoteOutput> {
  const [answer, now] = await Promise.all([client.call('GET', '/keys'), nowOf(client)])
  const rows = answer.value.map((key) => [key.key, key.plan, key.source, stateOf(key, now)])
  return { answer, people: textTable(['~KEY', 'PLAN', 'SOURCE', '~STATE'], rows, paint.strong, columns) }
}

function stateOf({ revoked, expiresAt }: KeyView, now: number): string {
  if (revoked) return 'revoked'
  if (expiresAt === null) return 'valid'
  const expires = Date.parse(expiresAt)
  return `${expires <= now ? 'expired' : 'expires'} ${formatDistance(expires, now)} (${expiresAt})`
}
