import { setTimeout } from 'node:timers/promises'
import type { Contract } from '../../contract/openapi/contract.ts'
import { withoutSlashes } from '../../text/without-slashes.ts'
import { iso } from '../../time/instant.ts'
import { type CheckResult, type ConformanceReport, OUTCOMES } from '../../views/report/conformance-report.ts'
import type { Check, CheckRun, ValidateResponse } from './check.ts'
import { CONNECTION, LIST_ANSWERS } from './checks/connection.ts'
import { CREATION } from './checks/create-pet.ts'
import { everyResponse } from './checks/every-response.ts'
import { EXHAUSTION } from './checks/exhaustion.ts'
import { GET_PET } from './checks/get-pet.ts'
import { listChecks } from './checks/list-pets.ts'
import { AUTHENTICATION, refusalChecks, UNSPECIFIED } from './checks/refusals.ts'
import { type NewPetSamples, newPets } from './new-pets.ts'
import { createPacedClient, type Pace } from './paced-client.ts'
import { runCheck } from './run-check.ts'
import { createService, type FetchFunction, NoResponse } from './service.ts'

export { NoResponse }

export interface ConformanceOptions extends Partial<Pace> {
  /** The address of the service; it should end in /v1. */
  readonly baseUrl: string
  readonly key: string
  readonly contract: Contract
  /** Validates a response against that contract. */
  readonly validate: ValidateResponse
  /** Made from that contract. */
  readonly samples: NewPetSamples
  /** Whether requests may be sent that add pets, or could on a faulty service. */
  readonly allowWrites?: boolean
  /** Whether the quota of the key may be used up. */
  readonly exhaustLimits?: boolean
  readonly fetch?: FetchFunction
  /** Called with each result at once. */
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
  for (const check of checksOf(run)) {
    const result = await runCheck(check, run, client, missingOption(check, options))
    if (client.history.length === 0) refuseNoResponse(result)
    checks.push(result)
    onResult(result)
  }
  const count = (outcome: CheckResult['outcome']) =>
    checks.filter((check) => check.outcome === outcome).length
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)]))
  const { length: requests } = client.history
  const unchecked = checks.find(({ id }) => id === LIST_ANSWERS)?.reason ?? null
  return { baseUrl, at, requests, counts: counts as ConformanceReport['counts'], checks, unchecked }
}

/** Every check, in the order in which they run: those that read, those that write, those that inspect all responses. */
const checksOf = ({ petShape, newPets }: CheckRun): readonly Check[] => [
  ...CONNECTION,
  ...listChecks(petShape),
  ...GET_PET,
  ...AUTHENTICATION,
  ...UNSPECIFIED,
  ...CREATION,
  ...refusalChecks(newPets),
  ...EXHAUSTION,
  ...everyResponse(petShape),
]

/** The option that a check needs and that was not given. */
function missingOption({ writes, exhausts }: Check, options: ConformanceOptions): string | undefined {
  if (writes && !options.allowWrites) return '--allow-writes'
  return exhausts && !options.exhaustLimits ? '--exhaust-limits' : undefined
}

function refuseNoResponse({ failures: [failure] }: CheckResult): void {
  if (failure) throw new NoResponse(failure.request, failure.received)
}
