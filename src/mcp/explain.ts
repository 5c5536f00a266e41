import type { ControlError } from '../client/control-error.ts'
import type { JournalEntry, JournalMessage, Report } from '../contract/generated/control.types.d.ts'
import { shorten } from '../text/shorten.ts'

/** The reason of a response, and what to do next. Contains no text of a client. */
export const explain = ({ reason: { text, short, fix, quotes } }: JournalEntry) => ({
  why: quotes ? `It was answered with: ${short}. See answered.why.` : text,
  ...(fix !== undefined && { fix }),
})

/** The longest body in a list, in characters. */
const MAX_SHOWN = 500

/** An exchange for an agent. Text that a client could have chosen is under `received` and `answered` only. */
export function viewOf(entry: JournalEntry, isWhole = false): object {
  const { request, response, path, query, method, warnings, findings, reason, effect, changed } = entry
  const { id, at, receivedAt, namespace, branch, key, plan, operationId, status, ms, decision } = entry
  const message = ({ headers, body }: JournalMessage) =>
    isWhole ? { headers, body } : { body: shorten(body, MAX_SHOWN) }
  return {
    id,
    at,
    receivedAt,
    namespace,
    plan,
    operationId,
    status,
    ms,
    decision,
    ...(branch && { branch }),
    ...explain(entry),
    ...(effect && { effect }),
    ...(changed && { changed }),
    findings: findings.map(({ kind }) => kind),
    received: { method, path, query, key, ...message(request), warnings },
    answered: { ...(reason.quotes && { why: reason.text }), ...message(response) },
  }
}

/** A report for an agent. Text that a client could have chosen is under `received` only. */
export const reportOf = ({ earlyRetries, ignoredInputs, tests, ...counts }: Report): object => ({
  ...counts,
  earlyRetries: {
    count: earlyRetries.count,
    first: earlyRetries.first.map(({ key, ...when }) => ({ ...when, received: { key } })),
  },
  ignoredInputs: {
    count: ignoredInputs.count,
    first: ignoredInputs.first.map(({ input, ...where }) => ({ ...where, received: { input } })),
  },
  ...(tests && { tests: tests.map(({ test, ...report }) => ({ ...reportOf(report), received: { test } })) }),
})

/** The next step for each error code. */
const FIXES = new Map(
  Object.entries({
    invalid_body: 'Correct the arguments that the message names.',
    invalid_parameter: 'Correct the arguments that the message names.',
    invalid_arguments: 'Correct the arguments; the schema of the tool describes them.',
    verification_failed:
      'Compare "nearest" with what was expected; if the client is still running, use "within".',
    not_received:
      'Compare "nearest" with the match; check that the client uses the base URL and key of this namespace.',
    not_found: 'List what exists (list_requests, list_faults, find_sandbox) and use one of those.',
    history_gone: 'Use a request or a branch that still exists: list_requests with "branch": "*" names them.',
    invalid_control_token:
      'Start petstore-sandbox mcp with the token: --control-token or PETSTORE_SANDBOX_CONTROL_TOKEN.',
    service_unavailable: 'Remove the cause that the message names, then retry.',
    internal_error: 'Read the log of the sandbox.',
    sandbox_unreachable:
      'Start a sandbox with start_sandbox, or pass the address of one to find_sandbox as "url".',
  }),
)

/** An error as the result of a tool: what failed and what to do next. */
export function failureOf(error: unknown): object {
  const { name, message, body }: Error & Partial<Pick<ControlError, 'body'>> = Object(error)
  const { nearest, ...shown } = name === 'ControlError' && body ? body : { code: codeOf(name), message }
  const fix = FIXES.get(shown.code) ?? 'Read the message and change the arguments.'
  return { ...shown, fix, ...(nearest && { nearest: nearest.map((entry) => viewOf(entry)) }) }
}

function codeOf(name: string): string {
  if (name === 'Unreachable') return 'sandbox_unreachable'
  return /^(InvalidArguments|InvalidValue|UsageError)$/.test(name) ? 'invalid_arguments' : 'failed'
}
