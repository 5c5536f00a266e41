import { printableLines } from '../text/printable.ts'

/** A test case of JUnit XML, which CI services read. It passed unless `failure` or `skipped` is set. */
export interface JUnitCase {
  readonly suite: string
  readonly name: string
  readonly ms?: number
  /** `message`: one line; `details`: any number of lines. */
  readonly failure?: { readonly message: string; readonly details: string }
  readonly skipped?: string
  readonly output?: string
}

export interface JUnitSuite {
  readonly name: string
  /** ISO 8601. */
  readonly at: string
  readonly cases: readonly JUnitCase[]
}

/** Test suites as JUnit XML. A test case has no properties, since the schema of Jenkins (xUnit) does not allow them. */
export const junit = (suites: readonly JUnitSuite[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(suiteXml).join('')}</testsuites>\n`

function suiteXml({ name, at, cases }: JUnitSuite): string {
  const failures = cases.filter(({ failure }) => failure).length
  const skipped = cases.filter(({ failure, skipped }) => skipped !== undefined && !failure).length
  const time = seconds(cases.reduce((sum, { ms = 0 }) => sum + ms, 0))
  const counts = { tests: cases.length, failures, errors: 0, skipped }
  const attributes = attributesOf({ name, ...counts, time, timestamp: at.slice(0, 19) })
  return `  <testsuite${attributes}>\n${cases.map(caseXml).join('')}  </testsuite>\n`
}

function caseXml({ suite, name, ms = 0, failure, skipped, output }: JUnitCase): string {
  const parts = [
    failure && `<failure${attributesOf({ message: failure.message })}>${escaped(failure.details)}</failure>`,
    skipped !== undefined && !failure && `<skipped${attributesOf({ message: skipped })}/>`,
    output && `<system-out>${escaped(output)}</system-out>`,
  ].filter(Boolean)
  const attributes = attributesOf({ classname: suite, name, time: seconds(ms) })
  if (parts.length === 0) return `    <testcase${attributes}/>\n`
  return `    <testcase${attributes}>\n${parts.map((part) => `      ${part}\n`).join('')}    </testcase>\n`
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

const attributesOf = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

// XML 1.0 cannot represent these characters, not even escaped.
const UNWRITABLE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

const escaped = (text: string): string =>
  printableLines(text.replace(UNWRITABLE, '\uFFFD').replaceAll('\t', ' ').replaceAll('\r', '')).replace(
    /[&<>"]/g,
    (character) => ENTITIES[character] ?? character,
  )
