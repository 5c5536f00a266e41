/** An overlay that cannot be used, with file and reason. */
export class OverlayError extends Error {
  override readonly name = 'OverlayError'
}
