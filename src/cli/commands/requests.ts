import type { Command } from 'commander'
import type { ControlClient } from '../../client/control.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { JournalEntry } from '../../domain/exchange.ts'
import { printable } from '../../views/line.ts'
import { textTable } from '../../views/text-table.ts'
import { addressed } from '../addressed.ts'
import { followRequests } from '../follow.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote, type Told } from '../remote.ts'

interface RequestFlags {
  readonly follow?: boolean
  readonly har?: boolean
  readonly status?: string
  readonly operation?: string
  readonly key?: string
  readonly limit?: string
  readonly before?: string
  readonly search?: string
  readonly resend?: string
}

export function register(command: Command, io: Io): void {
  command
    .option('--follow', 'print requests as they happen, until interrupted')
    .option('--status <status>', 'only those that got this status; 0 = none')
    .option('--operation <operationId>', 'only those of this operation')
    .option('--key <key>', 'only those with this API key')
    .option('--limit <count>', 'only the last ones')
    .option('--before <request>', 'only those that came before this one')
    .option('--search <text>', 'only those with this text in path, headers or bodies')
    .option('--resend <request>', 'send this one again, with its key')
    .option('--har', 'print them as HAR 1.2')
  remote<RequestFlags & { readonly json?: boolean }>(command, io, async (client, flags) => {
    if (flags.resend !== undefined) return resend(client, flags.resend, io)
    if (!flags.follow) return show(client, flags, io)
    if (flags.har || flags.limit !== undefined || flags.key !== undefined) {
      throw new UsageError('--follow prints what happens from now on: leave out --har, --limit and --key')
    }
    await followRequests(client, flags, io)
    return undefined
  })
  addExamples(command, 'requests --status 429', 'requests --follow', 'requests --har > requests.har')
}

async function show(given: ControlClient, flags: RequestFlags, { paint }: Io): Promise<Told> {
  const { operation, status, limit, har } = flags
  const { client, key } = flags.key === undefined ? { client: given } : addressed(given, flags.key)
  const answer = await client.call('GET', '/requests', {
    query: { operationId: operation, status, key, limit, before: flags.before, q: flags.search },
    ...(har && { accept: 'application/har+json' }),
  })
  if (har) return { answer, people: `${answer.text.trimEnd()}\n` }
  const entries = answer.value as JournalEntry[]
  if (entries.length === 0) return { answer, people: `No such requests in namespace ${client.namespace}.\n` }
  return { answer, people: tableOf(entries, paint) }
}

async function resend(client: ControlClient, id: string, { paint }: Io): Promise<Told> {
  const answer = await client.call('POST', `/requests/${encodeURIComponent(id)}/resend`)
  return { answer, people: tableOf([answer.value as JournalEntry], paint) }
}

function tableOf(entries: readonly JournalEntry[], paint: Io['paint']): string {
  const headings = ['ID', 'AT', 'METHOD', 'PATH', '>STATUS', 'PLAN', 'DECISION', '>MS', 'WARNINGS']
  return textTable(headings, entries.map(cells), paint.strong)
}

const cells = (entry: JournalEntry): string[] => [
  entry.id,
  entry.at,
  entry.method,
  printable(entry.query ? `${entry.path}?${entry.query}` : entry.path),
  entry.status === 0 ? 'none' : String(entry.status),
  entry.plan ?? '-',
  entry.decision,
  String(entry.ms),
  printable(entry.warnings.join('; ')),
]
