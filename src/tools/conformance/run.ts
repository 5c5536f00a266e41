import { AdvisedError } from '../../text/advised-error.ts'
import { withoutSlashes } from '../../text/url.ts'
import { iso } from '../../time/instant.ts'
import { type CheckResult, type ConformanceReport, OUTCOMES } from '../../views/conformance.ts'
import { type Check, type CheckRun, needing, runCheck } from './check.ts'
import { CREATION } from './checks/creation.ts'
import { everyResponse } from './checks/every-response.ts'
import { EXHAUSTION } from './checks/exhaustion.ts'
import { CONNECTION, GET_PET, listChecks } from './checks/reading.ts'
import { AUTHENTICATION, refusalChecks, UNSPECIFIED } from './checks/refusals.ts'
import { type ClientOptions, createPacedClient } from './client.ts'
import { type NewPetSamples, newPets } from './new-pets.ts'
import { listRules } from './received-pets.ts'

export interface ConformanceOptions extends ClientOptions, Pick<CheckRun, 'validate'> {
  /** Valid bodies of createPet, made from `contract`. */
  readonly samples: NewPetSamples
  /** Whether to send requests that add pets, or with which a faulty service could add some. */
  readonly allowWrites?: boolean
  /** Whether the quota of the key may be used up. */
  readonly exhaustLimits?: boolean
  /** Called with each result when it is known. */
  readonly onResult?: (result: CheckResult) => void
}

/**
 * Checks a running service against the interface: a few dozen requests, one after the other, at a rate that it
 * allows. Rejects with an AdvisedError if the first request gets no response.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { contract, validate, onResult = () => {}, allowWrites, exhaustLimits, signal } = options
  const baseUrl = withoutSlashes(options.baseUrl)
  const at = iso(Date.now())
  const run: CheckRun = {
    ...createPacedClient({ ...options, baseUrl }),
    baseUrl,
    validate,
    contract,
    list: listRules(contract),
    newPets: newPets(contract.newPet, options.samples),
    mark: 7e8 + Math.floor(Math.random() * 1e8),
  }
  const { history, stopped } = run
  const given = { '--allow-writes': allowWrites, '--exhaust-limits': exhaustLimits }
  const checks: CheckResult[] = []
  for (const check of checksOf(run)) {
    const { needs } = check
    const result = await runCheck(check, run, needs && !given[needs] ? needs : undefined)
    const [failure] = result.failures
    if (failure && history.length === 0)
      throw new AdvisedError(`${options.baseUrl} did not answer: ${failure.received}`, IS_IT_RUNNING)
    checks.push(result)
    onResult(result)
  }
  const countOf = (wanted: string) => checks.filter(({ outcome }) => outcome === wanted).length
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, countOf(outcome)]))
  const [unchecked = null] = signal.aborted ? [signal.reason.message] : stopped.values()
  const { length: requests } = history
  return { baseUrl, at, requests, counts: counts as ConformanceReport['counts'], checks, unchecked }
}

const IS_IT_RUNNING = 'Check that the service is running and that the address is correct'

/** Every check, in order: those that read, those that write, those that inspect all responses. */
const checksOf = (run: CheckRun): readonly Check[] => [
  ...CONNECTION,
  ...listChecks(run),
  ...GET_PET,
  ...AUTHENTICATION,
  ...UNSPECIFIED,
  ...needing('--allow-writes', [...CREATION, ...refusalChecks(run.newPets)]),
  ...needing('--exhaust-limits', EXHAUSTION),
  ...everyResponse(run.contract),
]
