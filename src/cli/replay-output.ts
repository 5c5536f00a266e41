import type { Replay } from '../past/difference.ts'
import { printableLines } from '../text/printable.ts'
import { iso } from '../time/instant.ts'
import { junit } from '../views/junit.ts'
import { markdownCode } from '../views/markdown.ts'
import { replaySuite } from '../views/replay.ts'
import type { Io } from './io.ts'
import { type ReportFile, writeReports } from './report-files.ts'

export interface ReplayOutput {
  /** The recording, as it was given. */
  readonly name: string
  readonly json?: boolean | undefined
  readonly report: readonly ReportFile[]
}

/** Prints the result of a replay, and writes its reports. `text`: the result for people. */
export function printReplay(
  result: Replay,
  text: string,
  { name, json, report }: ReplayOutput,
  io: Io,
): void {
  const texts = {
    json: () => `${JSON.stringify(result, undefined, 2)}\n`,
    junit: () => junit([replaySuite(name, result, iso(Date.now()))]),
    markdown: () => markdownCode(text),
  }
  writeReports(report, texts, io)
  io.out(json ? `${JSON.stringify(result)}\n` : printableLines(text))
}
