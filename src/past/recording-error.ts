import { AdvisedError } from '../text/advised-error.ts'

/** The text is not a recording, or has a format that this version does not read; or a recording cannot be written. */
export class RecordingError extends AdvisedError {
  override readonly name = 'RecordingError'
}
