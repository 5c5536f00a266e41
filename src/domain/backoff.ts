import type { JournalEntry } from './exchange.ts'
import { SECOND } from './instant.ts'

/** How one client behaved after it was told to wait. */
export interface Backoff {
  /** How often it was told. */
  readonly refusals: number
  /** What it did wrong, in words, oldest first. */
  readonly faults: readonly string[]
}

/**
 * Judges the requests of one key, oldest first: after a 429 or 503 with Retry-After the next one comes when that
 * time has passed, and of refusals in a row each is followed by a pause that is no shorter than the one before
 * (interface, section 8: clients wait, and back off exponentially).
 */
export function judgeBackoff(entries: readonly JournalEntry[]): Backoff {
  const faults: string[] = []
  let refusals = 0
  let lastPause = 0
  for (const [i, entry] of entries.entries()) {
    const wait = toldToWait(entry)
    if (wait === undefined) {
      lastPause = 0
      continue
    }
    refusals++
    const retry = entries[i + 1]
    if (!retry) break
    const pause = Date.parse(retry.at) - Date.parse(entry.at)
    if (pause < wait)
      faults.push(`${retry.id} retried ${seconds(wait - pause)} before Retry-After had passed`)
    else if (pause < lastPause) {
      faults.push(
        `${retry.id} came ${seconds(pause)} after a refusal, sooner than the ${seconds(lastPause)} of the one before`,
      )
    }
    lastPause = pause
  }
  return { refusals, faults }
}

/** For how long, in milliseconds; undefined where it was not told to. */
function toldToWait({ status, response }: JournalEntry): number | undefined {
  const retryAfter = response.headers['retry-after']
  return (status === 429 || status === 503) && retryAfter ? Number(retryAfter) * SECOND : undefined
}

const seconds = (milliseconds: number): string => `${(milliseconds / SECOND).toFixed(1)} s`
