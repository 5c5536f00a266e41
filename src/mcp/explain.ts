import type { JournalEntry, JournalMessage } from '../contract/generated/control.types.d.ts'

/** Why a request was answered as it was, and what to do next: the sandbox's own words, nothing that a client sent. */
export interface Explanation {
  readonly why: string
  readonly fix?: string
}

const BY_CODE: Readonly<Record<string, Explanation>> = {
  missing_api_key: {
    why: 'The request had no API key.',
    fix: 'Send "Authorization: Bearer <key>" with a key that create_world or find_sandbox gives.',
  },
  invalid_api_key: {
    why: 'The API key is not known in this namespace, is revoked or has expired.',
    fix: 'Use a key that create_world or find_sandbox gives; the part behind the dot names the namespace.',
  },
  rate_limit_exceeded: {
    why: 'The plan of the key allows no more requests in this window.',
    fix: 'Wait as long as Retry-After says, advance the clock with turn_clock, or refill with set_limits.',
  },
  api_key_banned: {
    why: 'The key went on sending after it was told to wait, so it is banned for a time.',
    fix: 'Make the client wait as long as Retry-After says; lift the ban with set_limits, or advance the clock with turn_clock.',
  },
  pet_not_found: {
    why: 'There is no pet with this id in the namespace.',
    fix: 'Seed it with seed_pets, or use an id that listPets gives.',
  },
  route_not_found: {
    why: 'The path leads nowhere.',
    fix: 'The API is under /v1; its OpenAPI document is at /openapi.json.',
  },
  method_not_allowed: { why: 'The path does not take this method.', fix: 'Use a method that Allow names.' },
  unsupported_media_type: {
    why: 'The body has a media type that the operation does not take.',
    fix: 'Send Content-Type: application/json.',
  },
  body_too_large: { why: 'The body is larger than the API takes.', fix: 'Send a smaller body.' },
  endpoint_removed: {
    why: 'The operation was deprecated and is removed at this time of the clock.',
    fix: 'Use its successor, which Link names; or set the clock to before its removal with turn_clock.',
  },
  invalid_json: { why: 'The body is not JSON.', fix: 'Correct the body; answered.body says where.' },
}

const INVALID: Explanation = {
  why: 'The request does not hold to the interface.',
  fix: 'Correct what answered.body names.',
}

export function explain({ status, decision, findings, response }: JournalEntry): Explanation {
  if (decision.startsWith('fault:')) {
    const timedOut = findings.some(({ kind }) => kind === 'hold-timeout')
    return timedOut
      ? { why: 'A fault rule held it, and its timeout was over before it was released.' }
      : {
          why: 'A fault rule acted on it.',
          fix: 'This is what the test asked for; remove the rule with clear_faults.',
        }
  }
  if (decision === 'forced') return { why: 'The client asked for this answer with Prefer.' }
  if (status > 0 && status < 400) return { why: 'It was carried out.' }
  const known = BY_CODE[codeOf(response)]
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

/** Bodies of a list are shown as far as they tell what they are. */
const SHOWN = 500

/**
 * An exchange for an agent. What a client sent, or could make the API repeat, stands under `received` and `answered`
 * and nowhere else.
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
