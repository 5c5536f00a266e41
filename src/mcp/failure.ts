import type { JournalEntry } from '../contract/generated/control.types.d.ts'
import type { ErrorBody } from '../world/api-error.ts'
import { viewOf } from './explain.ts'

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
    history_gone: 'Use a later request: list_requests has their ids.',
    invalid_control_token:
      'Start petstore-sandbox mcp with the token: --control-token or PETSTORE_SANDBOX_CONTROL_TOKEN.',
    service_unavailable: 'Free memory or disk space as the message says, then retry.',
    internal_error: 'Read the log of the sandbox.',
    sandbox_unreachable:
      'Start a sandbox with start_sandbox, or pass the address of one to find_sandbox as "url".',
  }),
)

/** An error as the result of a tool: what failed and what to do next. */
export function failureOf(error: unknown): object {
  const { name, message, body } = error as Error & { body?: ErrorBody & { nearest?: JournalEntry[] } }
  const { nearest, ...told } = name === 'ControlError' && body ? body : { code: codeOf(name), message }
  const fix = FIXES.get(told.code) ?? 'Read the message and change the arguments.'
  return { ...told, fix, ...(nearest && { nearest: nearest.map((entry) => viewOf(entry)) }) }
}

function codeOf(name: string): string {
  if (name === 'Unreachable') return 'sandbox_unreachable'
  return name === 'InvalidArguments' || name === 'UsageError' ? 'invalid_arguments' : 'failed'
}
