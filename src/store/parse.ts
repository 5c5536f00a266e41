/** JSON.parse that keeps every digit of an integer; throws a SyntaxError that names a position. */
export type ParseJson = (text: string) => unknown

/**
 * Tries the fast JSON.parse first. Where it rounds an integer, the result is one that no int64 check takes;
 * then the exact parser decides, and it also words every error.
 */
export function exactly<T>(text: string, parse: ParseJson, shape: (value: unknown) => T): T {
  try {
    return shape(JSON.parse(text))
  } catch {
    return shape(parse(text))
  }
}
