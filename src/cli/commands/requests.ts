/** Commands that show, report and verify requests. */
import type { ControlClient, ControlResponse } from '../../client/control.ts'
import { ControlError } from '../../client/control-error.ts'
import type { RequestFilter } from '../../client/world.ts'
import { readText } from '../../config/readers.ts'
import { refuseWithout } from '../../config/usage-error.ts'
import type { JournalEntry, StatusChoice, Times } from '../../contract/generated/control.types.d.ts'
import { isObject, jsonOf, parseJson } from '../../contract/openapi/json.ts'
import { InvalidValue } from '../../text/advised-error.ts'
import { plural } from '../../text/plural.ts'
import { printableJson } from '../../text/printable.ts'
import { shorten } from '../../text/shorten.ts'
import { isOfStatus, statusWord } from '../../text/status-word.ts'
import { entryLine } from '../../views/exchange-line.ts'
import { reportText } from '../../views/report-text.ts'
import { readNamespace } from '../../world/keys/bearer-token.ts'
import { targetOf } from '../../world/traffic/address.ts'
import { notesOf } from '../../world/traffic/journal-entry.ts'
import { sumReports } from '../../world/traffic/tally.ts'
import type { Given, Io } from '../command.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import { remote, type Table } from '../remote.ts'
import { jsonText, readDuration, readInteger, readJson } from '../values.ts'

const TAKES = {
  '--follow': {
    summary: 'print requests as they happen, until interrupted',
    conflicts: ['key', 'limit', 'before', 'search', 'har', 'resend'],
  },
  '--status <status>': {
    summary: 'only those with this status, such as 404, 4xx, or 0 for no response',
    read: statusOf,
  },
  '--operation <operationId>': 'only those of this operation',
  '--key <key>': { summary: 'only those with this API key', read: readText },
  '--limit <count>': { summary: 'only the last ones', read: readInteger(1, 1000) },
  '--before <request>': 'only those before this request',
  '--search <text>': 'only those that contain this text, such as in the path, a header or a body',
  '--resend <request>': {
    summary: 'send this request again, with its key',
    read: readText,
    conflicts: ['status', 'operation', 'key', 'limit', 'before', 'search', 'har'],
  },
  '--edits <json>': {
    summary: 'with --resend: changes of method, path, query, headers or body',
    read: readEdits,
  },
  '--into <namespace>': {
    summary: 'with --resend: namespace to send it to, with the same key',
    read: readNamespace,
  },
  '--branch <branch>': 'with --resend: the branch of the request, if a rewind undid it',
  '--har': 'print them as HAR 1.2',
} as const

type Filter = Partial<Given<typeof TAKES>>

export const requests = remote({
  takes: TAKES,
  examples: [
    'requests --status 429',
    'requests --follow',
    "requests --namespace '*'",
    `requests --resend req_000001 --edits '{"query":"limit=1"}'`,
    'requests --resend req_000001 --into w2',
    'requests --har > requests.har',
  ],
  reads: true,
  keyed: true,
  async call(client, given, { io }): Promise<{ text: string; value: string | Table } | undefined> {
    const { resend: id, edits, into, branch, har } = given
    if (id !== undefined) {
      const { text, value } = await client.call('POST', '/requests/{id}/resend', {
        path: { id },
        body: { edits, into, branch },
      })
      return { text, value: tableOf([value], false) }
    }
    refuseWithout('--resend <request>', { edits, into, branch })
    if (given.follow) {
      await follow(client, given, io)
      return undefined
    }
    const answer = await read(client, given)
    tellDropped(answer, io)
    const value = har
      ? `${printableJson(answer.text.trimEnd())}\n`
      : tableOf(answer.value, client.namespace === '*')
    return { text: answer.text, value }
  },
  output: (output) => output,
})

/** The sandbox validates the members. */
function readEdits(text: string) {
  const edits = jsonOf(text)
  if (isObject(edits)) return edits
  throw new InvalidValue(
    `"${shorten(text, 60)}" is not a JSON object`,
    `use one such as '{"query":"limit=1"}'`,
  )
}

function tableOf(entries: readonly JournalEntry[], isAll: boolean): Table {
  const head = ['ID', 'AT', 'METHOD', '~PATH', '>STATUS', 'PLAN', '>MS', '~WHY']
  const rows = entries.map((entry) => [
    ...(isAll ? [entry.namespace] : []),
    entry.id,
    entry.at,
    entry.method,
    targetOf(entry),
    statusWord(entry.status),
    entry.plan ?? '-',
    String(entry.ms),
    notesOf(entry),
  ])
  return { head: isAll ? ['~NAMESPACE', ...head] : head, rows, none: 'No matching requests' }
}

/** Reads the journal. The sandbox validates the query. */
function read(client: ControlClient, { operation: operationId, search: q, har, ...given }: Filter) {
  const { status, key, limit, before } = given
  const query: RequestFilter = { operationId, status, key, limit, before, q }
  return client.call('GET', '/requests', { query, ...(har && { accept: 'application/har+json' }) })
}

/** Prints how many entries the journal has dropped. */
function tellDropped({ headers }: ControlResponse, { talk }: Io): void {
  const dropped = Number(headers.get('x-sandbox-dropped') ?? 0)
  const are = plural(dropped, 'older entry is', 'older entries are')
  if (dropped > 0)
    talk(`${are} dropped: the journal keeps the last 1,000 of a namespace, and 64 MiB of all namespaces.\n`)
}

/** Prints requests as they are recorded, one per line, until sandbox or user ends this, or the output is closed. */
async function follow(
  client: ControlClient,
  { status, operation, json }: Filter & { json?: true | undefined },
  io: Io,
): Promise<void> {
  // The sandbox validates it.
  if (operation !== undefined) await read(client, { operation, limit: 1 })
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  process.stdout.once('error', interrupt)
  try {
    for await (const { event, data } of client.events(interrupted.signal)) {
      if (event !== 'request') continue
      const entry = parseJson(data) as JournalEntry
      if (status !== undefined && !isOfStatus(entry.status, status)) continue
      if (operation !== undefined && entry.operationId !== operation) continue
      const remaining = entry.response.headers['x-ratelimit-remaining']
      const left = remaining === undefined ? undefined : Number(remaining)
      const line = entryLine(entry, notesOf(entry), left, io.paint, io.columns)
      io.out(`${json ? printableJson(data) : line}\n`)
    }
    io.talk('The sandbox has ended.\n')
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    process.stdout.off('error', interrupt)
  }
}

export const report = remote({
  examples: [
    'report',
    "report --namespace '*'",
    'report --json',
    'report --at req_000123 --side before',
    "report --namespace '*' --url http://localhost:4011 --url http://localhost:4012",
  ],
  several: true,
  reads: true,
  views: true,
  async call(_, __, { clients }) {
    const answers = await Promise.all(clients.map((client) => client.call('GET', '/report')))
    const [only] = answers
    if (only && answers.length === 1) return only
    const reports = answers.map(({ value }) => value)
    const value = sumReports(reports, [...new Set(reports.flatMap(({ uncovered }) => uncovered))])
    return { text: JSON.stringify(value), value }
  },
  output: (report, { io }) => reportText(report, io.paint, io.columns),
})

/** The nearest requests are missing only if the journal has none. */
const adviceOn = ({ nearest = [] }: ControlError['body']): string =>
  nearest.length > 0
    ? 'Compare the nearest requests with what was expected'
    : 'The journal has no request: check the base URL and the key of the client'

export const verify = remote({
  takes: {
    '--operation <operationId>': 'only requests of this operation, such as createPet',
    '--method <method>': { summary: 'only those with this method', read: readText },
    '--path <path>':
      'only those to this path; /pets is /v1/pets as well as /pets; a trailing * matches anything',
    '--status <status>': TAKES['--status <status>'],
    '--key <key>': TAKES['--key <key>'],
    '--body <json>': {
      summary: 'only those whose body contains these members',
      read: readJson('use an object such as {"name":"Kit"}'),
    },
    '--times <count>': {
      summary: 'expected number: "exactly 1", "at least 2" or "at most 3" (default: at least 1)',
      read: timesOf,
    },
    '--within <duration>': { summary: 'how long to wait, in real time, at most 60s', read: readDuration },
  },
  examples: [
    'verify --operation createPet --status 201 --times "exactly 1"',
    `verify --operation createPet --body '{"name":"Kit"}'`,
    'verify --operation createPet --within 5s',
    'verify --status 429 --times "exactly 0" --namespace worker-1',
  ],
  // With --within, the namespace need not exist: its client may be about to create it.
  reads: ({ within }) => within === undefined,
  keyed: true,
  async call(client, given, { io }) {
    const { operation: operationId, method, path, status, key, body, times = { atLeast: 1 }, within } = given
    const match = { operationId, method, path, status, key, body }
    try {
      return await client.call('POST', '/requests/verify', { body: { match, times, within } })
    } catch (error) {
      if (!(error instanceof ControlError) || error.code !== 'verification_failed') throw error
      const text = `${io.talkPaint.bad('petstore-sandbox:')} ${error.message}\n`
      io.talk(given.json ? jsonText({ ...error.body, fix: adviceOn(error.body) }) : text)
      throw new Exit(GATE_FAILED)
    }
  },
  output: ({ matched }) => `Passed: ${plural(matched, 'matching request')}.\n`,
})

/** `exactly 1`, `at least 2`, `atMost 3`; a number alone is exact. */
const TIMES = /^(?:exactly\s*|(?<least>at[\s-]?least\s*)|(?<most>at[\s-]?most\s*))?(?<count>\d+)$/i

function timesOf(text: string): Times {
  const { least, most, count } = TIMES.exec(text.trim())?.groups ?? {}
  if (least !== undefined) return { atLeast: Number(count) }
  if (most !== undefined) return { atMost: Number(count) }
  if (count !== undefined) return { exactly: Number(count) }
  throw new InvalidValue(`"${text}" is not a valid count`, 'use "exactly 1", "at least 1" or "at most 1"')
}

function statusOf(text: string): StatusChoice {
  if (/^(0|[1-5]\d\d)$/.test(text)) return Number(text)
  if (/^[1-5]xx$/i.test(text)) return `${Number(text[0])}xx`
  const use = 'use one such as 201, a class such as 4xx, or 0 for no response'
  throw new InvalidValue(`"${text}" is not a valid status`, use)
}
