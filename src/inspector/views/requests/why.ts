import type { Entry } from '../../data/types.ts'
import { UNLIMITED } from '../../data/unlimited.ts'
import { distance } from '../../text/time.ts'

export type Tone = 'plain' | 'warn' | 'bad'

/** One thing about a request that deserves a look, in words. */
export interface RowMark {
  readonly text: string
  readonly tone: Tone
}

/** The words in the row of a request: its reason in short, and the findings that say more. */
export function findingsOf(entry: Entry): RowMark[] {
  const { short } = entry.reason
  const more = entry.findings
    .filter(({ text }) => text !== entry.why)
    .map(({ kind, text }): RowMark => ({ text, tone: kind === 'hold-timeout' ? 'bad' : 'warn' }))
  return short === '' ? more : [{ text: short, tone: toneOf(entry) }, ...more]
}

function toneOf({ decision, status, effect }: Entry): Tone {
  if (effect || status >= 500 || decision === 'refused:ban') return 'bad'
  return decision === 'refused:window' ? 'warn' : 'plain'
}

/** Why it was answered so, what the client should have done, and what else is noteworthy. */
export function why(entry: Entry, now: number): string {
  const { until, fix } = entry.reason
  const more = entry.findings
    .filter(({ text }) => text !== entry.why)
    .map(({ text }) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`)
  const left = until === undefined ? [] : [`That is ${distance(Date.parse(until), now)}.`]
  return [entry.why, ...left, ...(fix === undefined ? [] : [fix]), ...more].join(' ')
}

/** Requests left, as the response said; undefined where there is no limit, or no valid key that has one. */
export function remainingOf({ decision, response: { headers } }: Entry): number | undefined {
  if (decision === 'refused:key') return undefined
  const [limit, left] = [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'] ?? '']
  // A proxied service may send something else.
  return Number(limit) === UNLIMITED || !/^\d{1,15}$/.test(left) ? undefined : Number(left)
}
