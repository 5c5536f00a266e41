import type { JournalEntry } from '../contract/generated/control.types.d.ts'
import type { ErrorBody } from '../world/api-error.ts'
import { viewOf } from './explain.ts'
import { InvalidArguments } from './tool.ts'

/** The next step, by the error code of the control API. */
const FIXES: Readonly<Record<string, string>> = {
  invalid_body: 'Correct the arguments that the message names.',
  invalid_parameter: 'Correct the arguments that the message names.',
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
}

const UNREACHABLE = 'Start a sandbox with start_sandbox, or pass the address of one to find_sandbox as "url".'

/** An error as the result of a tool: what failed and what to do next. */
export function failureOf(error: unknown): object {
  const { name, message, body } = error as Error & { body?: ErrorBody & { nearest?: JournalEntry[] } }
  if (name === 'ControlError' && body) {
    const { nearest, ...rest } = body
    return {
      ...rest,
      fix:
        (Object.hasOwn(FIXES, body.code) && FIXES[body.code]) || 'Read the message and change the arguments.',
      ...(nearest && { nearest: nearest.map((entry) => viewOf(entry)) }),
    }
  }
  if (name === 'Unreachable') return { code: 'sandbox_unreachable', message, fix: UNREACHABLE }
  if (error instanceof InvalidArguments || name === 'UsageError') {
    return {
      code: 'invalid_arguments',
      message,
      fix: 'Correct the arguments; the schema of the tool describes them.',
    }
  }
  return { code: 'failed', message, fix: 'Read the message and change the arguments.' }
}
