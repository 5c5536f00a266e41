import type { Contract } from '../../contract/openapi/contract.ts'
import { isObject } from '../../contract/openapi/json.ts'
import type { ContractValidator } from '../../prism/validator.ts'
import type { CheckFailure, CheckOutcome, CheckResult } from '../../views/conformance.ts'
import { NoResponse, type PacedClient, Skipped } from './client.ts'
import { clean, responseText, type ServiceResponse } from './exchange.ts'
import type { NewPets } from './new-pets.ts'
import type { ListRules, ReceivedPet } from './received-pets.ts'

/** The parts that all checks of a run share. */
export interface CheckRun extends PacedClient {
  readonly baseUrl: string
  /** A number unique to this run; it marks what the run writes. */
  readonly mark: number
  /** Validates a response against the contract. */
  readonly validate: ContractValidator['validateResponse']
  readonly contract: Contract
  readonly list: ListRules
  readonly newPets: NewPets
}

/** The tools of a check. */
export type CheckContext = ReturnType<typeof createContext>

/** The option without which a check is skipped. */
export type NeededOption = '--allow-writes' | '--exhaust-limits'

export interface Check extends Pick<CheckResult, 'id' | 'section' | 'title'> {
  readonly run: (context: CheckContext) => unknown
  readonly needs?: NeededOption
  /** Set if the interface leaves the behaviour open: the check only observes. */
  readonly observes?: true
}

/** A check, written like a test. */
export function check(id: string, section: string, title: string, run: Check['run']): Check {
  return { id, section, title, run }
}

/** Checks that run only with an option: they send requests that change data or use up the quota. */
export const needing = (needs: NeededOption, checks: readonly Check[]): Check[] =>
  checks.map((each) => ({ ...each, needs }))

/** A check of behaviour that the interface leaves open: it reports an observation and never fails. */
export const observing = (...named: Parameters<typeof check>): Check => ({
  ...check(...named),
  observes: true,
})

/** The run as one check sees it, with the results of this check; `found.count` is the number of things it checked. */
function createContext(run: CheckRun) {
  const failures: CheckFailure[] = []
  const observations: string[] = []
  const found = { failures, observations, count: 0 }
  const skip = (reason: string): never => {
    throw new Skipped(reason)
  }
  /** The pets of a response to listPets. Skips the check if there is no list, which another check reports. */
  const petsIn = ({ status, json, request }: ServiceResponse): ReceivedPet[] =>
    status === 200 && Array.isArray(json) ? json.filter(isObject) : skip(`${request} did not give a list`)
  return {
    ...run,
    found,
    skip,
    petsIn,
    /** The pets of the longest list that the interface allows. */
    allPets: async (): Promise<ReceivedPet[]> => petsIn(await run.once({ send: run.list.complete })),
    /** The pet of a response to createPet. */
    createdPet: ({ status, json, request }: ServiceResponse): ReceivedPet =>
      status === 201 && isObject(json) && json.id !== undefined
        ? json
        : skip(`${request} did not answer 201 with a pet that has an id`),
    validate(...sent: Parameters<CheckRun['validate']>) {
      found.count++
      return run.validate(...sent)
    },
    /** Records that something was checked; `expect` and `validate` do this too. */
    checked: () => void found.count++,
    /** Records a failure if `holds` is false; `given` defaults to the response in one line. */
    expect(holds: boolean, answer: ServiceResponse, expected: string, given = responseText(answer)): boolean {
      found.count++
      const { request } = answer
      const received = clean(given, answer)
      const isKnown = failures.some((failure) => failure.request === request && failure.received === received)
      if (!holds && !isKnown) failures.push({ request, received, expected: clean(expected, answer) })
      return holds
    },
    /** Records behaviour that the interface leaves open. */
    observe: (what: string) => void observations.push(`not specified by the interface; observed: ${what}`),
    /** Records what the check could not determine, or other useful facts. */
    note: (what: string) => void observations.push(what),
  }
}

/** The limit of listed failures per check: a header that is missing is usually missing in every response. */
const MAX_FAILURES = 20

/**
 * Runs one check. Rejects for internal errors only, never because of the service. `missing`: the option that the check
 * needs, if it was not given.
 */
export async function runCheck(
  { id, section, title, observes, run: carryOut }: Check,
  run: CheckRun,
  missing: NeededOption | undefined,
): Promise<CheckResult> {
  const context = createContext(run)
  const { found } = context
  const { failures, observations } = found
  const began = performance.now()
  let reason: string | undefined
  try {
    if (missing !== undefined) throw new Skipped(`it needs ${missing}`)
    await carryOut(context)
    if (!observes && found.count === 0 && observations.length === 0)
      reason = 'no response had anything to check'
  } catch (error) {
    if (error instanceof Skipped) reason = error.message
    else if (error instanceof NoResponse)
      failures.push({ request: error.request, received: error.message, expected: 'an answer' })
    else throw error
  }
  let outcome: CheckOutcome = observes || found.count === 0 ? 'observed' : 'passed'
  if (reason !== undefined) outcome = 'skipped'
  if (failures.length > 0) outcome = 'failed'
  const why = { ...(outcome === 'skipped' && { reason }), ...(missing !== undefined && { needs: missing }) }
  const kept = failures.slice(0, MAX_FAILURES)
  const details = { failures: kept, moreFailures: failures.length - kept.length, observations }
  return { id, section, title, outcome, ...why, ...details, ms: Math.round(performance.now() - began) }
}
