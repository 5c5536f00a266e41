import { parseJson } from '../openapi/json.ts'

/** Only such a number may have more digits than JSON.parse keeps. */
const MANY_DIGITS = /\d{16}/

/**
 * JSON.parse where it keeps every digit, since it is several times faster. Otherwise, and where the result is not
 * what it should be, the exact parser decides; it also words every error.
 */
export function exactly<T>(text: string, shape: (value: unknown) => T): T {
  if (!MANY_DIGITS.test(text)) {
    try {
      return shape(JSON.parse(text))
    } catch {
      // Decided below.
    }
  }
  return shape(parseJson(text))
}
