import type { RecordShape } from '../../contract/openapi/record-shape.ts'
import type { CheckFailure, CheckOutcome, CheckResult } from '../../views/report/conformance-report.ts'
import type { Check, CheckContext, ValidateResponse } from './check.ts'
import type { NewPets } from './new-pets.ts'
import { type PacedClient, Skipped } from './paced-client.ts'
import { clean, shown } from './quote.ts'
import { NoResponse } from './service.ts'

/** Shared by all checks of a run. */
export interface CheckRun {
  readonly client: PacedClient
  readonly baseUrl: string
  readonly mark: number
  readonly validate: ValidateResponse
  readonly petShape: RecordShape
  readonly newPets: NewPets
}

/** How many failures of one check are listed: a missing header is usually missing on every response. */
const MOST_FAILURES = 20

/** A check that checked nothing has not passed. */
const NOTHING_CHECKED = 'no response had anything to check'

/** Runs one check. It rejects only for internal errors, never because of the service. */
export async function runCheck(check: Check, run: CheckRun): Promise<CheckResult> {
  const { id, section, title } = check
  const failures: CheckFailure[] = []
  const observations: string[] = []
  let checks = 0
  const context = contextOf(run, failures, observations, () => checks++)
  const began = performance.now()
  const skipped = await skippedBecause(check, context, failures)
  const isEmpty = !check.observes && checks === 0 && observations.length === 0
  const reason = skipped ?? (isEmpty ? NOTHING_CHECKED : undefined)
  return {
    id,
    section,
    title,
    outcome: outcomeOf(failures, reason, check.observes === true || checks === 0),
    ...(reason !== undefined && failures.length === 0 && { reason }),
    failures: failures.slice(0, MOST_FAILURES),
    moreFailures: Math.max(0, failures.length - MOST_FAILURES),
    observations,
    ms: Math.round(performance.now() - began),
  }
}

/** The result of a check that is not run, because it needs an option that was not given. */
export const skip = ({ id, section, title }: Check, needs: string): CheckResult => ({
  id,
  section,
  title,
  outcome: 'skipped',
  reason: `it needs ${needs}`,
  needs,
  failures: [],
  moreFailures: 0,
  observations: [],
  ms: 0,
})

async function skippedBecause(
  check: Check,
  context: CheckContext,
  failures: CheckFailure[],
): Promise<string | undefined> {
  try {
    await check.run(context)
    return undefined
  } catch (error) {
    if (error instanceof Skipped) return error.message
    if (!(error instanceof NoResponse)) throw error
    failures.push({ request: error.request, received: error.message, expected: 'an answer' })
    return undefined
  }
}

function outcomeOf(
  failures: readonly CheckFailure[],
  reason: string | undefined,
  onlyObserved: boolean,
): CheckOutcome {
  if (failures.length > 0) return 'failed'
  if (reason !== undefined) return 'skipped'
  return onlyObserved ? 'observed' : 'passed'
}

function contextOf(
  { client, validate, ...run }: CheckRun,
  failures: CheckFailure[],
  observations: string[],
  checked: () => void,
): CheckContext {
  return {
    ...client,
    ...run,
    validate(operationId, response) {
      checked()
      return validate(operationId, response)
    },
    checked,
    expect(holds, answer, expected, given = shown(answer)) {
      checked()
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
}
