import type { Entry } from './types.ts'

/** Sends a request once more, as it was or edited. */
export function Resend(_: { entry: Entry }) {
  return null
}
