import { AdvisedError } from '../text/advised-error.ts'

/** The text is not a recording, or not one that this version reads. */
export class RecordingError extends AdvisedError {
  override readonly name = 'RecordingError'
}
