import { printable } from '../text/printable.ts'
import type { TestFindings } from './report/run-summary.ts'
import { findingsInWords } from './run-summary.ts'

/** The findings of each test as annotations, which GitHub Actions reads from the output of a step. */
export const annotations = (tests: readonly TestFindings[]): string =>
  tests
    .map(
      (test) => `::warning title=${property(test.test)}::${data(`${test.test}: ${findingsInWords(test)}`)}\n`,
    )
    .join('')

const ESCAPED: Readonly<Record<string, string>> = {
  '%': '%25',
  '\r': '%0D',
  '\n': '%0A',
  ':': '%3A',
  ',': '%2C',
}

const encoded = (text: string, characters: RegExp): string =>
  printable(text.replace(characters, (character) => ESCAPED[character] as string))

/** As `escapeData` and `escapeProperty` of @actions/core have it. */
const data = (text: string): string => encoded(text, /[%\r\n]/g)
const property = (text: string): string => encoded(text, /[%\r\n:,]/g)
