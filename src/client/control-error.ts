import { AdvisedError } from '../text/advised-error.ts'
import type { ErrorBody } from '../world/api-error.ts'

/** An error response of the control API. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly code: string
  readonly status: number
  /** The whole body, which may have more members than a message. */
  readonly body: ErrorBody
  /** The version of the sandbox, if known. */
  sandboxVersion?: string
  constructor(body: ErrorBody) {
    super(body.message)
    this.code = body.code
    this.status = body.status
    this.body = body
  }
}

/** No sandbox answers there. The message is for people. */
export class Unreachable extends AdvisedError {
  override readonly name = 'Unreachable'
}
