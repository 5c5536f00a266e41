import type { JournalEntry } from './exchange.ts'
import { SECOND } from './instant.ts'
import type { Report } from './report.ts'

/** What a gate counts, and which of the journal's entries it is about. */
interface Gate {
  readonly title: string
  readonly count: (report: Report) => number
  readonly names: (report: Report, entries: readonly JournalEntry[]) => readonly string[]
}

const entriesWhere =
  (applies: (entry: JournalEntry) => boolean): Gate['names'] =>
  (_, entries) =>
    entries.filter(applies).map(describe)

const isAsked = ({ decision }: JournalEntry): boolean =>
  decision === 'forced' || decision.startsWith('fault:')

const hasCode = ({ response }: JournalEntry, code: string): boolean =>
  response.body.includes(`"code":"${code}"`)

/** What `exec --fail-on` can ask for, by name. */
export const GATES = {
  deprecated: {
    title: 'calls of deprecated operations',
    count: (report) => report.deprecatedCalls,
    names: entriesWhere(({ response }) => response.headers.deprecation !== undefined),
  },
  'rate-limited': {
    title: 'requests beyond a limit',
    count: (report) => report.rateLimited,
    names: entriesWhere(({ decision }) => decision === 'refused:window'),
  },
  'early-retry': {
    title: 'retries before Retry-After had passed',
    count: (report) => report.earlyRetries.count,
    names: ({ earlyRetries }) =>
      earlyRetries.first.map(
        ({ key, at, earlyMs }) =>
          `${at} ${key} retried ${(earlyMs / SECOND).toFixed(1)} s before Retry-After had passed`,
      ),
  },
  banned: {
    title: 'bans',
    count: (report) => report.bans,
    names: entriesWhere(({ decision }) => decision === 'refused:ban'),
  },
  'invalid-request': {
    title: 'invalid requests',
    count: (report) => report.invalidRequests,
    names: entriesWhere(
      (entry) =>
        !isAsked(entry) && ([400, 405, 413, 415].includes(entry.status) || hasCode(entry, 'route_not_found')),
    ),
  },
  'ignored-input': {
    title: 'inputs that were ignored',
    count: (report) => report.ignoredInputs.count,
    names: ({ ignoredInputs }) =>
      ignoredInputs.first.map(({ id, at, operationId, input }) => `${at} ${id} ${operationId}: ${input}`),
  },
  duplicate: {
    title: 'possible duplicates',
    count: (report) => report.possibleDuplicates,
    names: entriesWhere(({ warnings }) =>
      warnings.some((warning) => warning.startsWith('possible duplicate')),
    ),
  },
  uncovered: {
    title: 'operations that were never called',
    count: (report) => report.uncovered.length,
    names: ({ uncovered }) => uncovered,
  },
  'server-error': {
    title: 'server errors that nobody asked for',
    count: (report) => report.serverErrors,
    names: entriesWhere((entry) => !isAsked(entry) && entry.status >= 500),
  },
} as const satisfies Record<string, Gate>

export type GateName = keyof typeof GATES

export const GATE_NAMES = Object.keys(GATES) as GateName[]

/** A gate as it held or not. */
export interface GateResult {
  readonly gate: GateName
  readonly title: string
  readonly count: number
  /** The first of what it found, in words. */
  readonly offenders: readonly string[]
}

/** Every gate with what it found; one holds where the count is zero. */
export const judgeGates = (
  gates: readonly GateName[],
  report: Report,
  entries: readonly JournalEntry[],
): GateResult[] =>
  gates.map((gate) => ({
    gate,
    title: GATES[gate].title,
    count: GATES[gate].count(report),
    offenders: GATES[gate].count(report) > 0 ? GATES[gate].names(report, entries).slice(0, 20) : [],
  }))

function describe({ at, id, namespace, method, path, query, status }: JournalEntry): string {
  const target = query ? `${path}?${query}` : path
  return `${at} ${id} ${method} ${target} ${status}${namespace === 'default' ? '' : ` [${namespace}]`}`
}
