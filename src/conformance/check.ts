import type { PacedClient } from './paced-client.ts'
import type { ServiceResponse } from './service-response.ts'

/** One thing in which an answer does not hold to the contract; `path` is that of a member or a header's name. */
export interface ResponseViolation {
  readonly where: string
  readonly path?: string
  readonly message: string
}

/** Holds a response against the contract. */
export type ValidateResponse = (
  operationId: string,
  response: { readonly status: number; readonly headers: readonly string[]; readonly body: string },
) => readonly ResponseViolation[]

/** What a check has at hand. */
export interface CheckContext extends PacedClient {
  readonly baseUrl: string
  /** A number that no earlier run has used; what is written is marked with it. */
  readonly mark: number
  readonly validate: ValidateResponse
  /** Notes a failure where it does not hold; `came` is the answer in one line unless given. */
  expect(holds: boolean, answer: ServiceResponse, expected: string, came?: string): boolean
  /** That there was something to check; `expect` and `judge` say so themselves. */
  looked(): void
  /** What was seen where the interface shows nothing. */
  seen(what: string): void
  /** What the check could not tell, or what else is worth knowing. */
  note(what: string): void
  skip(reason: string): never
}

/** One check of a service against the interface: data and a small function. */
export interface Check {
  readonly id: string
  /** Of the interface: `4.1`, or several: `2, 7`. */
  readonly section: string
  readonly title: string
  /** It sends what could change something, if only on a faulty service. */
  readonly writes?: true
  /** It uses up the quota of the key. */
  readonly exhausts?: true
  /** The interface leaves this open: there is something to tell, nothing to hold. */
  readonly observes?: true
  readonly run: (context: CheckContext) => Promise<void> | void
}
