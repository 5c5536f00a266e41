import type { JournalEntry } from '../../contract/generated/control.types.d.ts'
import { secondsText } from '../../time/duration.ts'
import { SECOND } from '../../time/instant.ts'
import { retriedEarly } from '../../world/traffic/findings.ts'

/** Tolerance for inexact timers: a pause counts as shorter only by more than this share of the one before. */
const TOLERANCE = 0.1

/**
 * Checks the requests of one key, oldest first. After a 429 or 503 with Retry-After, the next request must not come
 * before that time has passed. After several refusals in a row, no pause may be shorter than the one before, unless
 * Retry-After was shorter (interface, section 8: clients wait, and back off exponentially). `refusals`: the number of
 * responses with Retry-After; `early`: the requests that came too early, oldest first; `pauses`: those in each run of
 * two or more refusals, in milliseconds.
 */
export function analyseBackoff(entries: readonly JournalEntry[]) {
  const early: { readonly entry: JournalEntry; readonly why: string }[] = []
  const runs: number[][] = []
  let refusals = 0
  let before = { wait: 0, pause: 0 }
  let run: number[] = []
  for (const [i, entry] of entries.entries()) {
    const wait = retryAfterOf(entry)
    if (wait === undefined) {
      before = { wait: 0, pause: 0 }
      run = []
      continue
    }
    refusals++
    const retry = entries[i + 1]
    if (!retry) break
    const pause = Date.parse(retry.at) - Date.parse(entry.at)
    const why = checkPause(pause, wait, before)
    if (why) early.push({ entry: retry, why })
    before = { wait, pause }
    run.push(pause)
    if (run.length === 2) runs.push(run)
  }
  return { refusals, early, pauses: runs }
}

/** `waited 1.0 s, 2.0 s, 4.0 s after refusals in a row: growing`. */
export function pausesInWords(pauses: readonly number[]): string {
  const isGrowing = pauses.every((pause, i) => pause > (pauses[i - 1] ?? -Infinity))
  const shown = pauses.slice(0, MAX_PAUSES).map(secondsText).join(', ')
  const more = pauses.length > MAX_PAUSES ? `, … (${pauses.length} in all)` : ''
  return `waited ${shown}${more} after refusals in a row: ${isGrowing ? 'growing' : 'not growing'}`
}

const MAX_PAUSES = 10

function checkPause(pause: number, wait: number, before: { wait: number; pause: number }) {
  if (pause < wait) return retriedEarly(wait - pause)
  const hasShrunk = pause < before.pause * (1 - TOLERANCE)
  if (!hasShrunk || wait < before.wait) return undefined
  return `came ${secondsText(pause)} after a refusal, sooner than the ${secondsText(before.pause)} of the one before`
}

/** The wait in the Retry-After of a response, in milliseconds; undefined if it has none. */
function retryAfterOf({ status, response }: JournalEntry): number | undefined {
  const retryAfter = Number(response.headers['retry-after'])
  return (status === 429 || status === 503) && retryAfter > 0 ? retryAfter * SECOND : undefined
}
