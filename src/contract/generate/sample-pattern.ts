import type { SchemaObject } from '../openapi/document.ts'

/** Characters without a meaning of their own in a pattern. */
const CHARACTERS = [...'aA1 _€éαяあ中']

/** Some texts of the format `byte` (Base64), which the generator does not know. */
const BASE64 = '^([A-Za-z0-9]{4}){2,8}$'

/**
 * A schema from whose pattern texts can be generated. The generator reads `\p{L}` as the letter p; so a character with
 * the property replaces it. A property that no known character has stays.
 */
export function withSamplePattern(schema: SchemaObject): SchemaObject {
  const { pattern, format } = schema
  if (typeof pattern === 'string')
    return { ...schema, pattern: pattern.replace(/\\(?:[pP]\{[\w=]+\}|.)/g, sampleOf) }
  return format === 'byte' ? { ...schema, pattern: BASE64 } : schema
}

/** Other escapes, such as `\d`, have two characters and stay. */
const sampleOf = (escaped: string): string =>
  (escaped.length > 2 && CHARACTERS.find((each) => matches(escaped, each))) || escaped

function matches(property: string, character: string): boolean {
  try {
    return new RegExp(`^${property}$`, 'u').test(character)
  } catch {
    // There is no such property: compiling the schema reports it.
    return false
  }
}
