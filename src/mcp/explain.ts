import type { Decision, JournalEntry, JournalMessage } from '../contract/generated/control.types.d.ts'

/** The reason for a response, and what to do next. It contains no text of a client. */
export interface Explanation {
  readonly why: string
  readonly fix?: string
}

const BY_CODE: Readonly<Record<string, Explanation>> = {
  missing_api_key: {
    why: 'The request had no API key.',
    fix: 'Send "Authorization: Bearer <key>" with a key from create_world or find_sandbox.',
  },
  invalid_api_key: {
    why: 'The API key is unknown in this namespace, revoked or expired.',
    fix: 'Use a key from create_world or find_sandbox; the part after the dot names the namespace.',
  },
  rate_limit_exceeded: {
    why: 'The plan of the key allows no more requests in this window.',
    fix: 'Wait for the time in Retry-After, advance the clock with turn_clock, or refill with set_limits.',
  },
  api_key_banned: {
    why: 'The key is banned for a time, because the client did not wait after earlier refusals.',
    fix: 'Make the client wait for the time in Retry-After; lift the ban with set_limits, or advance the clock with turn_clock.',
  },
  pet_not_found: {
    why: 'There is no pet with this id in the namespace.',
    fix: 'Add it with seed_pets, or use an id from listPets.',
  },
  route_not_found: {
    why: 'No operation has this path.',
    fix: 'The API is under /v1; its OpenAPI document is at /openapi.json.',
  },
  method_not_allowed: { why: 'The path does not support this method.', fix: 'Use a method listed in Allow.' },
  unsupported_media_type: {
    why: 'The operation does not accept the media type of the body.',
    fix: 'Send Content-Type: application/json.',
  },
  body_too_large: { why: 'The body is larger than the API accepts.', fix: 'Send a smaller body.' },
  endpoint_removed: {
    why: 'The deprecated operation is removed at the current time of the clock.',
    fix: 'Use its successor, named in Link, or set the clock to before its removal with turn_clock.',
  },
  invalid_json: { why: 'The body is not JSON.', fix: 'Correct the body; answered.body says where.' },
}

/** The codes of decisions that tell it; the code of the body may have been renamed. */
const CODE_OF: Readonly<Partial<Record<Decision, string>>> = {
  'refused:window': 'rate_limit_exceeded',
  'refused:ban': 'api_key_banned',
}

const INVALID: Explanation = {
  why: 'The request violates the interface.',
  fix: 'Correct what answered.body names.',
}

export function explain({ status, decision, findings, response }: JournalEntry): Explanation {
  if (decision.startsWith('fault:')) {
    const timedOut = findings.some(({ kind }) => kind === 'hold-timeout')
    return timedOut
      ? { why: 'A fault rule held the request until its timeout, because it was not released.' }
      : {
          why: 'A fault rule acted on the request.',
          fix: 'This is intended by the test; to end it, remove the rule with clear_faults.',
        }
  }
  if (decision === 'forced') return { why: 'The client requested this response with Prefer.' }
  if (status > 0 && status < 400) return { why: 'The request was executed.' }
  const code = CODE_OF[decision] ?? codeOf(response)
  const known = Object.hasOwn(BY_CODE, code) && BY_CODE[code]
  if (known) return known
  return status >= 500 ? { why: 'The sandbox failed to answer.', fix: 'Read its log.' } : INVALID
}

function codeOf({ body }: JournalMessage): string {
  try {
    return String((JSON.parse(body) as { code?: unknown }).code)
  } catch {
    return ''
  }
}

/** Bodies in a list are truncated. */
const SHOWN = 500

/**
 * An exchange for an agent. Text that a client sent, or could make the API repeat, is under `received` and `answered`
 * only.
 */
export function viewOf(entry: JournalEntry, isWhole = false): object {
  const { request, response, path, query, method, warnings, findings } = entry
  const { id, at, namespace, key, plan, operationId, status, ms, decision } = entry
  const message = ({ headers, body }: JournalMessage) =>
    isWhole ? { headers, body } : { body: body.length > SHOWN ? `${body.slice(0, SHOWN)}…` : body }
  return {
    ...{ id, at, namespace, plan, operationId, status, ms, decision },
    ...explain(entry),
    findings: findings.map(({ kind }) => kind),
    received: { method, path, query, key, ...message(request), warnings },
    answered: message(response),
  }
}
