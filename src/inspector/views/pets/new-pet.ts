import type { Field } from '../../data/document.ts'

/**
 * The JSON of a pet as it was typed, field by field: a text is a text, anything else goes in as it stands, so that no
 * digit is lost. What is left empty is left out, unless it is required. Whether it is right is for the sandbox to say.
 */
export function petOf(fields: readonly Field[], typed: Readonly<Record<string, string>>): string {
  const members = fields.flatMap(({ name, type, isRequired }) => {
    const text = typed[name] ?? ''
    if (text === '' && !isRequired) return []
    return `${JSON.stringify(name)}:${type !== 'string' && isJson(text) ? text : JSON.stringify(text)}`
  })
  return `{${members.join(',')}}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The text typed into a field. */
export const kindOf = ({ type, format }: Field): string =>
  [format ?? type ?? 'JSON']
    .flat()
    .join(' or ')
    .replace(/^(array|object)$/, 'JSON $1')
