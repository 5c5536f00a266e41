import type { JournalEntry } from '../contract/generated/control.types.d.ts'
import type { ErrorBody } from '../domain/api-error.ts'
import { viewOf } from './explain.ts'

/** What an agent does next, by the code of an error of the control API. */
const FIXES: Readonly<Record<string, string>> = {
  invalid_body: 'Correct the arguments that the message names.',
  invalid_parameter: 'Correct the arguments that the message names.',
  verification_failed:
    'Compare "nearest" with what was expected; where the client is still at work, give "within".',
  not_received:
    'Compare "nearest" with the match; check that the client uses the base URL and key of this namespace.',
  not_found: 'List what there is (list_requests, list_faults, find_sandbox) and use one of those.',
  invalid_control_token:
    'Give petstore-sandbox mcp the token: --control-token or PETSTORE_SANDBOX_CONTROL_TOKEN.',
  service_unavailable: 'Free room as the message says, then try again.',
  internal_error: 'Read the log of the sandbox.',
}

const UNREACHABLE = 'Start one with start_sandbox, or say where it is: find_sandbox with "url".'

/** What a tool was given does not hold to its schema. */
export class InvalidArguments extends Error {
  override readonly name = 'InvalidArguments'
}

/** An error as a tool gives it: what went wrong and what to do next. */
export function failureOf(error: unknown): object {
  const { name, message, body } = error as Error & { body?: ErrorBody & { nearest?: JournalEntry[] } }
  if (name === 'ControlError' && body) {
    const { nearest, ...rest } = body
    return {
      ...rest,
      fix: FIXES[body.code] ?? 'Read the message and change the arguments.',
      ...(nearest && { nearest: nearest.map((entry) => viewOf(entry)) }),
    }
  }
  if (name === 'Unreachable') return { code: 'sandbox_unreachable', message, fix: UNREACHABLE }
  if (error instanceof InvalidArguments) {
    return { code: 'invalid_arguments', message, fix: 'Correct the arguments by the schema of the tool.' }
  }
  return { code: 'failed', message, fix: 'Read the message and change the arguments.' }
}
