import type { CheckFailure, CheckOutcome, CheckResult } from '../../views/report/conformance-report.ts'
import type { Check, CheckContext, CheckRun } from './check.ts'
import { type PacedClient, Skipped } from './paced-client.ts'
import { clean, shown } from './quote.ts'
import { NoResponse } from './service.ts'

/** How many failures of one check are listed: a missing header is usually missing on every response. */
const MOST_FAILURES = 20

/** A check that checked nothing has not passed. */
const NOTHING_CHECKED = 'no response had anything to check'

/**
 * Runs one check. It rejects only for internal errors, never because of the service. `needs`: the option without which
 * the check is skipped, where it was not given.
 */
export async function runCheck(
  { id, section, title, observes, run: carryOut }: Check,
  run: CheckRun,
  client: PacedClient,
  needs: string | undefined,
): Promise<CheckResult> {
  const failures: CheckFailure[] = []
  const observations: string[] = []
  let checks = 0
  const context: CheckContext = {
    ...client,
    ...run,
    validate(of, response) {
      checks++
      return run.validate(of, response)
    },
    checked: () => void checks++,
    expect(holds, answer, expected, given = shown(answer)) {
      checks++
      const { request } = answer
      const received = clean(given, answer)
      const isKnown = failures.some((failure) => failure.request === request && failure.received === received)
      if (!holds && !isKnown) failures.push({ request, received, expected })
      return holds
    },
    observe: (what) => void observations.push(`not shown in the interface; seen: ${what}`),
    note: (what) => void observations.push(what),
    skip(reason) {
      throw new Skipped(reason)
    },
  }
  const began = performance.now()
  let reason: string | undefined
  try {
    if (needs !== undefined) context.skip(`it needs ${needs}`)
    await carryOut(context)
    if (!observes && checks === 0 && observations.length === 0) reason = NOTHING_CHECKED
  } catch (error) {
    if (error instanceof Skipped) reason = error.message
    else if (error instanceof NoResponse)
      failures.push({ request: error.request, received: error.message, expected: 'an answer' })
    else throw error
  }
  const unfailed: CheckOutcome =
    reason !== undefined ? 'skipped' : observes || checks === 0 ? 'observed' : 'passed'
  return {
    id,
    section,
    title,
    outcome: failures.length > 0 ? 'failed' : unfailed,
    ...(reason !== undefined && failures.length === 0 && { reason }),
    ...(needs !== undefined && { needs }),
    failures: failures.slice(0, MOST_FAILURES),
    moreFailures: Math.max(0, failures.length - MOST_FAILURES),
    observations,
    ms: Math.round(performance.now() - began),
  }
}
