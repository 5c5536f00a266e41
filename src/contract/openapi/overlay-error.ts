import { AdvisedError } from '../../text/advised-error.ts'
/** An overlay that cannot be used, with file and reason. */
export class OverlayError extends AdvisedError {
  override readonly name = 'OverlayError'
}
