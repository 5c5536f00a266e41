import type { Command } from 'commander'
import type { ControlResponse } from '../../client/call.ts'
import type { ControlClient } from '../../client/control.ts'
import type { RequestFilter } from '../../client/world.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { JournalEntry, ResendRequest } from '../../contract/generated/control.types.d.ts'
import { parseJson } from '../../contract/openapi/json.ts'
import { printableJson } from '../../text/printable.ts'
import { statusWord } from '../../text/status-word.ts'
import { textTable } from '../../views/text-table.ts'
import { notesOf } from '../../world/traffic/journal-entry.ts'
import { followRequests } from '../follow.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { keyAddress } from '../key-address.ts'
import { type RemoteOutput, remote } from '../remote.ts'

type Edits = NonNullable<ResendRequest['edits']>

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
  readonly edits?: string
  readonly into?: string
}

export function register(command: Command, io: Io): void {
  command
    .option('--follow', 'print requests as they happen, until interrupted')
    .option('--status <status>', 'only those that got this status; 0 = none')
    .option('--operation <operationId>', 'only those of this operation')
    .option('--key <key>', 'only those with this API key')
    .option('--limit <count>', 'only the last ones')
    .option('--before <request>', 'only those before this one')
    .option('--search <text>', 'only those that contain this text in path, headers or bodies')
    .option('--resend <request>', 'send this one again, with its key')
    .option(
      '--edits <json>',
      'beside --resend: what to send otherwise, of method, path, query, headers and body',
    )
    .option('--into <namespace>', 'beside --resend: send it to this namespace, with the same key')
    .option('--har', 'print them as HAR 1.2')
  remote<RequestFlags & { readonly json?: boolean }>(
    command,
    io,
    async (client, flags) => {
      const { resend: id, edits, into } = flags
      const changes = {
        ...(edits !== undefined && { edits: editsOf(edits) }),
        ...(into !== undefined && { into }),
      }
      if (id !== undefined) return resend(client, id, changes, io)
      const alone = Object.keys(changes)[0]
      if (alone !== undefined)
        throw new UsageError(`--${alone} needs --resend <request>`, `Add it, or leave out --${alone}`)
      if (!flags.follow) return show(client, flags, io)
      if (flags.har || flags.limit !== undefined || flags.key !== undefined) {
        throw new UsageError(
          '--follow prints requests from now on and cannot be combined with --har, --limit or --key',
          'Leave them out',
        )
      }
      await followRequests(client, flags, io)
      return undefined
    },
    { reads: true },
  )
  addExamples(
    command,
    'requests --status 429',
    'requests --follow',
    "requests --namespace '*'",
    `requests --resend req_000001 --edits '{"query":"limit=1"}'`,
    'requests --resend req_000001 --into w2',
    'requests --har > requests.har',
  )
}

async function show(given: ControlClient, flags: RequestFlags, io: Io): Promise<RemoteOutput> {
  const { operation, status, limit, har } = flags
  const { client, key } = keyAddress(given, flags.key)
  // Not validated here: the sandbox does it.
  const query = { operationId: operation, status, key, limit, before: flags.before, q: flags.search }
  const answer = await client.call('GET', '/requests', {
    params: { query: query as RequestFilter },
    ...(har && { accept: 'application/har+json' }),
  })
  tellDropped(answer, io)
  if (har) return { answer, people: `${printableJson(answer.text.trimEnd())}\n` }
  const entries = answer.value
  const isAll = client.namespace === '*'
  const where = isAll ? 'any namespace' : `namespace ${client.namespace}`
  if (entries.length === 0) return { answer, people: `No such requests in ${where}.\n` }
  return { answer, people: tableOf(entries, isAll, io) }
}

/** Parses `--edits`; the sandbox validates its members. */
function editsOf(text: string): Edits {
  const edits = parsed(text)
  if (typeof edits === 'object' && edits !== null && !Array.isArray(edits)) return edits
  throw new UsageError(
    `--edits: "${text.slice(0, 60)}" is not a JSON object`,
    `use one such as '{"query":"limit=1"}'`,
  )
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

async function resend(
  client: ControlClient,
  id: string,
  changes: ResendRequest,
  io: Io,
): Promise<RemoteOutput> {
  const answer = await client.call('POST', '/requests/{id}/resend', {
    params: { path: { id } },
    ...(Object.keys(changes).length > 0 && { body: changes }),
  })
  return { answer, people: tableOf([answer.value], false, io) }
}

function tableOf(entries: readonly JournalEntry[], isAll: boolean, { paint, columns }: Io): string {
  const headings = ['ID', 'AT', 'METHOD', '~PATH', '>STATUS', 'PLAN', '>MS', '~WHY']
  const rows = entries.map((entry) => [...(isAll ? [entry.namespace] : []), ...cells(entry)])
  return textTable(isAll ? ['~NAMESPACE', ...headings] : headings, rows, paint.strong, columns)
}

/** Reports how many entries the journal has dropped. */
function tellDropped({ headers }: ControlResponse, { talk }: Io): void {
  const dropped = Number(headers.get('x-sandbox-dropped') ?? 0)
  if (!(dropped > 0)) return
  const are = dropped === 1 ? '1 older entry is' : `${dropped} older entries are`
  talk(`${are} dropped: the journal keeps the last 1,000 of a namespace, and 64 MiB over all.\n`)
}

const cells = (entry: JournalEntry): string[] => [
  entry.id,
  entry.at,
  entry.method,
  entry.query ? `${entry.path}?${entry.query}` : entry.path,
  statusWord(entry.status),
  entry.plan ?? '-',
  String(entry.ms),
  notesOf(entry).join('; '),
]
