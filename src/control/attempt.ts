import { type Eventually, orElse } from '../time/eventually.ts'
import { ApiError, internalError } from '../world/api-error.ts'
import type { Reply } from '../world/traffic/message.ts'
import type { ControlDeps } from './context.ts'
import { refusalReply } from './reply.ts'

/** The reply of `act`; the refusal if it throws or rejects. `refused` is then called with the error. */
export function attempt(
  { onFailure }: Pick<ControlDeps, 'onFailure'>,
  act: () => Eventually<Reply>,
  refused = (_error: unknown) => {},
): Eventually<Reply> {
  return orElse(act, (error) => {
    refused(error)
    // An invalid fixture is answered as an invalid request.
    if (error instanceof Error && error.name === 'FixtureError')
      return refusalReply(new ApiError('invalid_body', error.message))
    if (error instanceof ApiError)
      return { ...refusalReply(error), ...(error.code === 'body_too_large' && { close: true }) }
    onFailure(error)
    return refusalReply(internalError())
  })
}
