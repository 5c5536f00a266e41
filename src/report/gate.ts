import type { JournalEntry, Report } from '../contract/generated/control.types.d.ts'
import { isServerError } from '../domain/traffic/server-error.ts'
import { retriedEarly } from './backoff.ts'

/** What a gate counts, and which of the journal's entries it is about. */
interface Gate {
  readonly title: string
  readonly count: (report: Report) => number
  readonly offenders: (report: Report, entries: readonly JournalEntry[]) => readonly string[]
}

type Why = (entry: JournalEntry) => string

const entriesWhere =
  (applies: (entry: JournalEntry) => boolean, why: Why): Gate['offenders'] =>
  (_, entries) =>
    entries.filter(applies).map((entry) => `${requestLine(entry)}: ${why(entry)}`)

const isAsked = ({ decision }: JournalEntry): boolean =>
  decision === 'forced' || decision.startsWith('fault:')

const INVALID = [400, 405, 413, 415]

const isInvalid = (entry: JournalEntry): boolean =>
  INVALID.includes(entry.status) ||
  (entry.status === 404 &&
    (entry.operationId === null || entry.response.body.includes('"code":"route_not_found"')))

const DUPLICATE = 'possible duplicate'

/** What the answer's Error body says, or else the status. */
function messageOf({ response, status }: JournalEntry): string {
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(response.body)?.[1]
  return message === undefined ? `answered with ${status}` : (JSON.parse(`"${message}"`) as string)
}

/** What `exec --fail-on` can ask for, by name. */
export const GATES = {
  deprecated: {
    title: 'calls of deprecated operations',
    count: (report) => report.deprecatedCalls,
    offenders: entriesWhere(
      ({ response, operationId }) => operationId !== null && response.headers.deprecation !== undefined,
      ({ operationId }) => `${operationId} is deprecated`,
    ),
  },
  'rate-limited': {
    title: 'requests beyond a limit',
    count: (report) => report.rateLimited,
    offenders: entriesWhere(({ decision }) => decision === 'refused:window', messageOf),
  },
  'early-retry': {
    title: 'retries before Retry-After had passed',
    count: (report) => report.earlyRetries.count,
    offenders: earlyRetries,
  },
  banned: {
    title: 'bans',
    count: (report) => report.bans,
    offenders: entriesWhere(({ decision }) => decision === 'refused:ban', messageOf),
  },
  'invalid-request': {
    title: 'invalid requests',
    count: (report) => report.invalidRequests,
    offenders: entriesWhere((entry) => !isAsked(entry) && isInvalid(entry), messageOf),
  },
  'ignored-input': {
    title: 'inputs that were ignored',
    count: (report) => report.ignoredInputs.count,
    offenders: ({ ignoredInputs }, entries) =>
      ignoredInputs.first.map(({ id, at, operationId, input }) => {
        const entry = entries.find((candidate) => candidate.id === id && candidate.at === at)
        const what = entry ? requestLine(entry) : `${at} ${id} ${operationId}`
        return `${what}: ${input} is not known and was ignored`
      }),
  },
  duplicate: {
    title: 'possible duplicates',
    count: (report) => report.possibleDuplicates,
    offenders: entriesWhere(
      ({ warnings }) => warnings.some((warning) => warning.startsWith(DUPLICATE)),
      ({ warnings }) => warnings.find((warning) => warning.startsWith(DUPLICATE)) as string,
    ),
  },
  uncovered: {
    title: 'operations that were never called',
    count: (report) => report.uncovered.length,
    offenders: ({ uncovered }) => uncovered.map((operation) => `${operation} was never called`),
  },
  'server-error': {
    title: 'server errors that nobody asked for',
    count: (report) => report.serverErrors,
    offenders: entriesWhere((entry) => !isAsked(entry) && isServerError(entry.status), messageOf),
  },
} as const satisfies Record<string, Gate>

export type GateName = keyof typeof GATES

export const GATE_NAMES = Object.keys(GATES) as GateName[]

/** A gate as it held or not. */
export interface GateResult {
  readonly gate: GateName
  readonly title: string
  /** How often it was broken; it holds at zero. */
  readonly count: number
  /** The first of what broke it, in words. */
  readonly offenders: readonly string[]
}

/** So many offenders of a gate are named; the others are counted. */
const MOST_OFFENDERS = 20

/** Every gate with what it found. `entries`: what the journals still hold, oldest first. */
export const evaluateGates = (
  gates: readonly GateName[],
  report: Report,
  entries: readonly JournalEntry[],
): GateResult[] =>
  gates.map((gate) => {
    const { title, count, offenders } = GATES[gate]
    const found = count(report)
    return {
      gate,
      title,
      count: found,
      offenders: found > 0 ? offenders(report, entries).slice(0, MOST_OFFENDERS) : [],
    }
  })

/** The report knows them by key and time; which request it was, the journal tells. */
function earlyRetries(report: Report, entries: readonly JournalEntry[]): string[] {
  const requests = new Map<string, JournalEntry[]>()
  for (const entry of entries) {
    if (entry.plan !== null) requests.set(entry.at, [...(requests.get(entry.at) ?? []), entry])
  }
  return report.earlyRetries.first.map(({ key, at, earlyMs }) => {
    const entry = requests.get(at)?.shift()
    return `${entry ? requestLine(entry) : `${at} ${key}`}: ${retriedEarly(earlyMs)}`
  })
}

/** The key that a request came with, as it may be shown, and which it is. */
export const keyText = ({ key, plan, namespace }: JournalEntry): string =>
  [key ?? 'no key', plan, namespace === 'default' ? '' : namespace].filter(Boolean).join(' ')

/** `2026-11-19T12:34:56.000Z req_000001 GET /v1/pets 200`. */
export function requestLine({ at, id, namespace, method, path, query, status }: JournalEntry): string {
  const target = query ? `${path}?${query}` : path
  return `${at} ${id} ${method} ${target} ${status}${namespace === 'default' ? '' : ` [${namespace}]`}`
}
