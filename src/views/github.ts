import { printable } from '../text/printable.ts'
import { escapeCommands } from '../text/workflow-commands.ts'
import type { GateResult } from './report/gate.ts'
import type { TestFindings } from './report/run-summary.ts'
import { countText, findingsInWords, offenderLines } from './run-summary.ts'

/** Workflow commands for GitHub Actions: an error for each failed gate, a warning for each test with findings. */
export const annotations = (tests: readonly TestFindings[], gates: readonly GateResult[]): string =>
  [
    ...gates
      .filter(({ count }) => count > 0)
      .map((gate) => annotation('error', `gate ${gate.gate}`, [countText(gate), ...offenderLines(gate)])),
    ...tests.map((test) => annotation('warning', test.test, [findingsInWords(test)])),
  ].join('')

const annotation = (kind: 'error' | 'warning', title: string, lines: readonly string[]): string =>
  `::${kind} title=${encoded(title, /[%\r\n:,]/g)}::${lines.map((line) => encoded(line, /[%\r\n]/g)).join('%0A')}\n`

/** The escapes of `escapeData` and `escapeProperty` in @actions/core. */
const encoded = (text: string, characters: RegExp): string =>
  escapeCommands(printable(text.replace(characters, (character) => `%${hex(character).toUpperCase()}`)))

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')
