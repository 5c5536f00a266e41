import { decoded } from '../../text/url.ts'
import { fieldElements } from './message.ts'

/** The longest name of a test that is kept, in characters. */
const LONGEST_TEST_NAME = 200

const MEMBER = /^test\.name\s*=\s*([^;]*)/

/** The test that a request belongs to: `test.name` of its W3C Baggage header, percent-decoded. */
export function testNameIn(headers: readonly string[]): string | undefined {
  for (const member of fieldElements(headers, 'baggage')) {
    const [, encoded] = MEMBER.exec(member) ?? []
    if (encoded !== undefined) return readTestName(decoded(encoded))
  }
  return undefined
}

/** A name in the form that is stored; undefined if it is empty then. */
export function readTestName(text: string): string | undefined {
  const name = text.trim()
  if (name === '') return undefined
  // `Array.from` splits no character in two; the slice bounds its work.
  return Array.from(name.slice(0, 2 * LONGEST_TEST_NAME))
    .slice(0, LONGEST_TEST_NAME)
    .join('')
}
