import type { Error as ErrorBody, VerificationFailure } from '../contract/generated/control.types.d.ts'
import { AdvisedError } from '../text/advised-error.ts'
import { requestLine } from '../views/request-line.ts'

type ControlErrorBody = ErrorBody & Partial<Pick<VerificationFailure, 'nearest' | 'actual' | 'uncertain'>>

/** An error response of the control API. The message names the nearest requests, if there are any. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly code: string
  readonly status: number
  /** The whole body. `nearest`: the requests that match best, if a verification or a wait has failed; the best is first. */
  readonly body: ControlErrorBody
  /** The version of the sandbox, if known. */
  sandboxVersion?: string
  constructor(body: ControlErrorBody) {
    const { message, nearest = [] } = body
    const lines = nearest.map((entry) => `\n  ${requestLine(entry)}`)
    super([message, ...(lines.length > 0 ? ['\nNearest:', ...lines] : [])].join(''))
    this.code = body.code
    this.status = body.status
    this.body = body
  }
}

/** No sandbox answers there. The message is for people. */
export class Unreachable extends AdvisedError {
  override readonly name = 'Unreachable'
}
