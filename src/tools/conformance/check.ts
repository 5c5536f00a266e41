import type { RecordShape } from '../../contract/openapi/record-shape.ts'
import type { ContractValidator } from '../../prism/validator.ts'
import type { ServiceResponse } from './exchange.ts'
import type { NewPets } from './new-pets.ts'
import type { PacedClient } from './paced-client.ts'

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

/** The option without which a check is skipped. */
export type NeededOption = '--allow-writes' | '--exhaust-limits'

export interface Check {
  readonly id: string
  /** The section of the interface: `4.1`, or several: `2, 7`. */
  readonly section: string
  readonly title: string
  readonly run: (context: CheckContext) => unknown
  readonly needs?: NeededOption
  /** Set if the interface leaves the behaviour open: the check only observes. */
  readonly observes?: true
}

/** A check, written like a test. */
export const check = (id: string, section: string, title: string, run: Check['run']): Check => ({
  id,
  section,
  title,
  run,
})

/** Checks that run only with an option: they send requests that change data or use up the quota. */
export const needing = (needs: NeededOption, checks: readonly Check[]): Check[] =>
  checks.map((each) => ({ ...each, needs }))

/** A check of behaviour that the interface leaves open: it reports an observation and never fails. */
export const observing = (...named: Parameters<typeof check>): Check => ({
  ...check(...named),
  observes: true,
})
