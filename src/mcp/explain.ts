import type { JournalEntry, JournalMessage } from '../contract/generated/control.types.d.ts'
import { shorten } from '../text/shorten.ts'

/** The reason of a response, and what to do next. Contains no text of a client. */
export const explain = ({ reason: { text, short, fix, quotes } }: JournalEntry) => ({
  why: quotes ? `It was answered with: ${short}. See answered.why.` : text,
  ...(fix !== undefined && { fix }),
})

/** The longest body in a list, in characters. */
const SHOWN = 500

/** An exchange for an agent. Text that a client could have chosen is under `received` and `answered` only. */
export function viewOf(entry: JournalEntry, isWhole = false): object {
  const { request, response, path, query, method, warnings, findings, reason } = entry
  const { id, at, namespace, key, plan, operationId, status, ms, decision, effect, changed } = entry
  const message = ({ headers, body }: JournalMessage) =>
    isWhole ? { headers, body } : { body: shorten(body, SHOWN) }
  return {
    ...{ id, at, namespace, plan, operationId, status, ms, decision },
    ...explain(entry),
    ...(effect && { effect }),
    ...(changed && { changed }),
    findings: findings.map(({ kind }) => kind),
    received: { method, path, query, key, ...message(request), warnings },
    answered: { ...(reason.quotes && { why: reason.text }), ...message(response) },
  }
}
