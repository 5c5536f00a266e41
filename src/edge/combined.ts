import type { Report } from '../contract/generated/control.types.d.ts'
import { parseJson, stringifyJson } from '../contract/openapi/json.ts'
import { jsonReply, textReply, withNewNamespace, writtenReply } from '../control/reply.ts'
import { type ComparedState, diffOf } from '../past/state-diff.ts'
import { inThousands } from '../text/in-thousands.ts'
import { ApiError } from '../world/api-error.ts'
import { splitToken } from '../world/keys/bearer-token.ts'
import { CONTROL_PATH } from '../world/traffic/address.ts'
import { fieldValue, isRead, type Reply, type Request } from '../world/traffic/message.ts'
import { inNamespace, sumReports } from '../world/traffic/tally.ts'
import { urlOfTarget } from './route.ts'
import type { WorldAnswer } from './runtime.ts'

/** The limits of worlds that a call reads, of worlds that it asks at once, and of requests that it lists. */
const MAX_WORLDS = 1000
const MAX_CONCURRENT = 50
const MAX_REQUESTS = 1000

/** The worlds that a call reads. */
export interface Asked {
  /** The name of the called world. */
  readonly own: string
  /** Whether the called world does not exist. */
  readonly isNew: boolean
  /** The names of all worlds. */
  readonly names: () => readonly string[]
  /** The answer of the called world. */
  readonly askOwn: (target: string) => Promise<WorldAnswer>
  /** The answer of any world; 404 if it does not exist. */
  readonly ask: (name: string, target: string, accept?: string) => Promise<WorldAnswer>
}

type Combined = (asked: Asked) => Promise<Reply>

/** Combines the answers of several worlds to a call; undefined if the called world answers alone. */
export function combined({ method, target, headers }: Request): Combined | undefined {
  if (!isRead({ method }) || !target.startsWith(CONTROL_PATH)) return undefined
  const { pathname, searchParams } = urlOfTarget(target)
  const path = pathname.slice(CONTROL_PATH.length)
  if (path === '/namespaces') return (asked) => list(asked, searchParams.get('namespace'))
  if (searchParams.get('namespace') === '*') {
    if (path === '/report') return report
    if (path === '/requests') return (asked) => requests(asked, searchParams, fieldValue(headers, 'accept'))
  }
  const [a, b, of] = ['a', 'b', 'of'].map((name) => searchParams.get(name))
  if (path === '/diff' && a && b && (isOther(a) || isOther(b))) return marked((asked) => diff(asked, a, b))
  if (path === '/state' && of && isOther(of))
    return marked(async (asked) => replyOf(await stateOf(asked, of)))
  return undefined
}

/** Says with a header field that the called world does not exist. */
const marked =
  (act: Combined): Combined =>
  async (asked) => {
    const reply = await act(asked)
    return asked.isNew ? withNewNamespace(reply) : reply
  }

const isOther = (state: string): boolean => state.startsWith(OTHER)
const OTHER = 'namespace:'

/** `given`: the namespace that the call names. */
async function list(asked: Asked, given: string | null): Promise<Reply> {
  const rows: unknown[] = []
  const names = asked.names()
  for await (const [, { status, body }] of answers(asked, names, (name) => named('/namespaces', name)))
    if (status === 200) rows.push(...(parseJson(body) as unknown[]))
  const reply = jsonReply(200, rows)
  return given === null || names.includes(given) ? reply : withNewNamespace(reply)
}

const report: Combined = async (asked) => {
  const reports: Report[] = []
  for await (const [name, answer] of answers(asked, bounded(asked), (name) => named('/report', name))) {
    if (answer.status === 200) reports.push(inNamespace(name, parseJson(answer.body) as Report))
    else if (answer.status !== 404) return replyOf(answer)
  }
  const uncovered = new Set(reports.flatMap((each) => each.uncovered))
  return jsonReply(200, sumReports(reports, [...uncovered]))
}

interface Listed {
  readonly receivedAt?: string
  readonly startedDateTime?: string
}

async function requests(asked: Asked, given: URLSearchParams, accept: string | undefined): Promise<Reply> {
  const limit = Math.min(Number(given.get('limit') ?? MAX_REQUESTS) || MAX_REQUESTS, MAX_REQUESTS)
  const targetOf = (name: string) => {
    const query = new URLSearchParams([...given].filter(([key]) => key !== 'namespace' && key !== 'branch'))
    if (!query.has('limit')) query.set('limit', String(limit))
    return named(`/requests?${query}`, name)
  }
  let entries: Listed[] = []
  let archive: { readonly log: object } | undefined
  let dropped = 0
  const { namespace } = splitToken(given.get('key') ?? '')
  const names = bounded(asked).filter((name) => namespace === undefined || name === namespace)
  for await (const [, answer] of answers(asked, names, targetOf, accept)) {
    if (answer.status === 404 && !given.has('before')) continue
    if (answer.status !== 200) return replyOf(answer)
    const found = parseJson(answer.body) as Listed[] | { readonly log: { readonly entries: Listed[] } }
    if (!Array.isArray(found)) archive ??= found
    dropped += answer.dropped
    const more = Array.isArray(found) ? found : found.log.entries
    entries = [...entries, ...more].sort((one, other) => instantOf(one) - instantOf(other)).slice(-limit)
  }
  const headers = ['Vary', 'Accept', 'X-Sandbox-Dropped', String(dropped)]
  if (!archive) return jsonReply(200, entries, headers)
  return textReply(200, stringifyJson({ log: { ...archive.log, entries } }), 'application/har+json', headers)
}

const instantOf = ({ receivedAt, startedDateTime = receivedAt }: Listed): number =>
  Date.parse(startedDateTime ?? '')

async function diff(asked: Asked, a: string, b: string): Promise<Reply> {
  const [before, after] = [await stateOf(asked, a), await stateOf(asked, b)]
  const refused = [before, after].find(({ status }) => status !== 200)
  if (refused) return replyOf(refused)
  const read = ({ body }: WorldAnswer) => parseJson(body) as ComparedState
  return jsonReply(200, diffOf(read(before), read(after)))
}

function stateOf({ own, askOwn, ask }: Asked, state: string): Promise<WorldAnswer> {
  if (!isOther(state)) return askOwn(named(`/state?of=${encodeURIComponent(state)}`, own))
  const name = state.slice(OTHER.length)
  return ask(name, named('/state?of=now', name))
}

const named = (path: string, name: string): string =>
  `${CONTROL_PATH}${path}${path.includes('?') ? '&' : '?'}namespace=${name}`

const replyOf = ({ status, body }: WorldAnswer): Reply => writtenReply(status, body)

function bounded({ names }: Asked): readonly string[] {
  const all = names()
  if (all.length <= MAX_WORLDS) return all
  throw new ApiError(
    'service_unavailable',
    `There are ${inThousands(all.length)} namespaces, and one call reads at most ${inThousands(MAX_WORLDS)}. Name one with ?namespace=<name>, or drop some with DELETE ${CONTROL_PATH}/namespaces/{name}.`,
  )
}

/** The answers of worlds, in the order of `names`. */
async function* answers(
  { ask }: Asked,
  names: readonly string[],
  targetOf: (name: string) => string,
  accept?: string,
): AsyncGenerator<readonly [name: string, answer: WorldAnswer]> {
  for (let at = 0; at < names.length; at += MAX_CONCURRENT) {
    const some = names.slice(at, at + MAX_CONCURRENT)
    const asked = async (name: string) => [name, await ask(name, targetOf(name), accept)] as const
    yield* await Promise.all(some.map(asked))
  }
}
