const SCALAR = /"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/g

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Indented JSON with every digit and escape unchanged; undefined if the text is not JSON, or nested too deeply. */
export function pretty(text: string): string | undefined {
  const scalars: string[] = []
  // Each text and number is replaced by a placeholder while the JSON is indented, so that it stays unchanged.
  const named = text.replace(SCALAR, (scalar) => `"s${scalars.push(scalar) - 1}"`)
  try {
    JSON.parse(text)
    const indented = JSON.stringify(JSON.parse(named), undefined, 2)
    return indented.replace(/"s(\d+)"/g, (_, index) => scalars[Number(index)] ?? '')
  } catch {
    return undefined
  }
}

const LONG_INTEGER = /^-?\d{16,}$/

/** JSON in which integers beyond 2^53 are strings, so that parsing loses no digit. */
export const keepDigits = (text: string): string =>
  /\d{16}/.test(text)
    ? text.replace(SCALAR, (scalar) => (LONG_INTEGER.test(scalar) ? `"${scalar}"` : scalar))
    : text
