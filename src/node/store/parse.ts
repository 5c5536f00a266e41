import { parseJson } from '../../contract/openapi/json.ts'

/** Only numbers with this many digits may lose some in JSON.parse. */
const MANY_DIGITS = /\d{16}/

/**
 * Parses and validates a text with every digit. JSON.parse is tried first where it keeps all digits, because it is
 * several times faster; the exact parser decides in all other cases, and words every error.
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
