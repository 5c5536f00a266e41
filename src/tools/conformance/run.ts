import { setTimeout } from 'node:timers/promises'
import type { Contract } from '../../contract/openapi/contract.ts'
import { withoutSlashes } from '../../text/without-slashes.ts'
import { iso } from '../../time/instant.ts'
import {
  type CheckFailure,
  type CheckOutcome,
  type CheckResult,
  type ConformanceReport,
  OUTCOMES,
} from '../../views/report/conformance-report.ts'
import {
  type Check,
  type CheckContext,
  type CheckRun,
  type NeededOption,
  needing,
  type ValidateResponse,
} from './check.ts'
import { CREATION } from './checks/creation.ts'
import { everyResponse } from './checks/every-response.ts'
import { EXHAUSTION } from './checks/exhaustion.ts'
import { CONNECTION, GET_PET, LIST_ANSWERS, listChecks } from './checks/reading.ts'
import { AUTHENTICATION, refusalChecks, UNSPECIFIED } from './checks/refusals.ts'
import { type NewPetSamples, newPets } from './new-pets.ts'
import { createPacedClient, type Pace, type PacedClient, Skipped } from './paced-client.ts'
import { clean, shown } from './quote.ts'
import { createService, type FetchFunction, NoResponse } from './service.ts'

export { NoResponse }

export interface ConformanceOptions extends Partial<Pace> {
  /** The address of the service; it should end in /v1. */
  readonly baseUrl: string
  readonly key: string
  readonly contract: Contract
  /** Validates a response against `document`. */
  readonly validate: ValidateResponse
  /** Valid bodies of createPet, made from `document`. */
  readonly samples: NewPetSamples
  /** Whether to send requests that add pets, or that a faulty service could treat so. */
  readonly allowWrites?: boolean
  /** Whether the quota of the key may be used up. */
  readonly exhaustLimits?: boolean
  readonly fetch?: FetchFunction
  /** Called with each result when it is known. */
  readonly onResult?: (result: CheckResult) => void
}

/**
 * Checks a running service against the interface: a few dozen requests, one after the other, at a rate that it
 * allows. Rejects with a NoResponse if the first request gets no response.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { contract, validate, onResult = () => {}, sleep = setTimeout, onWait = () => {} } = options
  const baseUrl = withoutSlashes(options.baseUrl)
  const at = iso(Date.now())
  const service = createService({ ...options, baseUrl, fetch: options.fetch ?? fetch })
  const client = createPacedClient(service, { sleep, onWait })
  const { petShape } = contract
  const run: CheckRun = {
    baseUrl,
    validate,
    petShape,
    newPets: newPets(contract.newPet, options.samples),
    mark: 7e8 + Math.floor(Math.random() * 1e8),
  }
  const checks: CheckResult[] = []
  const given: Readonly<Record<NeededOption, boolean | undefined>> = {
    '--allow-writes': options.allowWrites,
    '--exhaust-limits': options.exhaustLimits,
  }
  for (const check of checksOf(run)) {
    const { needs } = check
    const result = await runCheck(check, run, client, needs && !given[needs] ? needs : undefined)
    const [failure] = result.failures
    if (failure && client.history.length === 0) throw new NoResponse(failure.request, failure.received)
    checks.push(result)
    onResult(result)
  }
  const count = (outcome: CheckResult['outcome']) =>
    checks.filter((check) => check.outcome === outcome).length
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)]))
  const unchecked = checks.find(({ id }) => id === LIST_ANSWERS)?.reason ?? null
  const { length: requests } = client.history
  return { baseUrl, at, requests, counts: counts as ConformanceReport['counts'], checks, unchecked }
}

/** Every check, in order: those that read, those that write, those that inspect all responses. */
const checksOf = ({ petShape, newPets }: CheckRun): readonly Check[] => [
  ...CONNECTION,
  ...listChecks(petShape),
  ...GET_PET,
  ...AUTHENTICATION,
  ...UNSPECIFIED,
  ...needing('--allow-writes', [...CREATION, ...refusalChecks(newPets)]),
  ...needing('--exhaust-limits', EXHAUSTION),
  ...everyResponse(petShape),
]

/** The limit of listed failures per check: a header that is missing is usually missing in every response. */
const MAX_FAILURES = 20

/** The reason of a check that found nothing to check, and so has not passed. */
const NOTHING_CHECKED = 'no response had anything to check'

/**
 * Runs one check. Rejects for internal errors only, never because of the service. `needs`: the option that the check
 * needs, if it was not given.
 */
async function runCheck(
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
    observe: (what) => void observations.push(`not specified by the interface; observed: ${what}`),
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
    failures: failures.slice(0, MAX_FAILURES),
    moreFailures: Math.max(0, failures.length - MAX_FAILURES),
    observations,
    ms: Math.round(performance.now() - began),
  }
}
