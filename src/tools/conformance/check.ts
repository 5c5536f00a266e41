import type { RecordShape } from '../../contract/openapi/record-shape.ts'
import type { ContractValidator } from '../../prism/validator.ts'
import type { NewPets } from './new-pets.ts'
import type { PacedClient } from './paced-client.ts'
import type { ServiceResponse } from './service-response.ts'

/** Validates a response against the contract. */
export type ValidateResponse = ContractValidator['validateResponse']

/** What all checks of a run share. */
export interface CheckRun {
  readonly baseUrl: string
  /** A number unique to this run; it marks what the run writes. */
  readonly mark: number
  readonly validate: ValidateResponse
  readonly petShape: RecordShape
  readonly newPets: NewPets
}

/** The tools of a check. */
export interface CheckContext extends PacedClient, CheckRun {
  /** Records a failure if `holds` is false; `received` defaults to the response in one line. */
  expect(holds: boolean, answer: ServiceResponse, expected: string, received?: string): boolean
  /** Records that something was checked; `expect` and `validate` do this too. */
  checked(): void
  /** Records behaviour that the interface leaves open. */
  observe(what: string): void
  /** Records what the check could not determine, or other useful facts. */
  note(what: string): void
  skip(reason: string): never
}

/** One check of a service against the interface: data and a small function. */
export interface Check {
  readonly id: string
  /** The section of the interface: `4.1`, or several: `2, 7`. */
  readonly section: string
  readonly title: string
  /** It sends requests that change data, or could on a faulty service. */
  readonly writes?: true
  /** It uses up the quota of the key. */
  readonly exhausts?: true
  /** The interface leaves this open: the check only observes. */
  readonly observes?: true
  readonly run: (context: CheckContext) => Promise<void> | void
}
