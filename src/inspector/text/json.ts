const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Indented JSON with every digit and escape unchanged; undefined if the text is not JSON. */
export function pretty(text: string): string | undefined {
  if (!isJson(text)) return undefined
  const tokens = text.match(TOKEN) ?? []
  let depth = 0
  let out = ''
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (token === '{' || token === '[') {
      const isEmpty = next === '}' || next === ']'
      out += isEmpty ? token : `${token}\n${'  '.repeat(++depth)}`
    } else if (token === '}' || token === ']') {
      const isEmpty = tokens[index - 1] === '{' || tokens[index - 1] === '['
      out += isEmpty ? token : `\n${'  '.repeat(--depth)}${token}`
    } else if (token === ',') out += `,\n${'  '.repeat(depth)}`
    else out += token === ':' ? ': ' : token
  }
  return out
}

const LONG_INTEGER = /^-?\d{16,}$/

/** JSON in which integers beyond 2^53 are strings, so that parsing loses no digit. */
export const keepDigits = (text: string): string =>
  /\d{16}/.test(text)
    ? text.replace(TOKEN, (token) => (LONG_INTEGER.test(token) ? `"${token}"` : token))
    : text
