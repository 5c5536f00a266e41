import type { Report } from './types.ts'

/** What `exec --fail-on` can ask for, and how often the report has it broken. */
export const GATES: Readonly<
  Record<
    string,
    { readonly title: string; readonly count: (report: Report) => number; readonly filter?: string }
  >
> = {
  deprecated: {
    title: 'calls of deprecated operations',
    count: (report) => report.deprecatedCalls,
    filter: 'is:deprecated',
  },
  'rate-limited': {
    title: 'requests beyond a limit',
    count: (report) => report.rateLimited,
    filter: 'decision:refused:window',
  },
  'early-retry': {
    title: 'retries before Retry-After had passed',
    count: (report) => report.earlyRetries.count,
    filter: 'status:429',
  },
  banned: { title: 'bans', count: (report) => report.bans, filter: 'decision:refused:ban' },
  'invalid-request': {
    title: 'invalid requests',
    count: (report) => report.invalidRequests,
    filter: 'decision:refused:request',
  },
  'ignored-input': {
    title: 'inputs that were ignored',
    count: (report) => report.ignoredInputs.count,
    filter: '"was ignored"',
  },
  duplicate: {
    title: 'possible duplicates',
    count: (report) => report.possibleDuplicates,
    filter: '"possible duplicate"',
  },
  uncovered: { title: 'operations that were never called', count: (report) => report.uncovered.length },
  'server-error': {
    title: 'server errors that nobody asked for',
    count: (report) => report.serverErrors,
    filter: 'status:5xx',
  },
}

/** The names of the gates that hold now: what can be asked for without failing. */
export const holding = (report: Report): string[] =>
  Object.entries(GATES)
    .filter(([, { count }]) => count(report) === 0)
    .map(([name]) => name)
