import { writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../config/usage-error.ts'
import { didYouMean } from '../contract/decisions/nearest.ts'
import { makeFolder } from '../node/store/make-folder.ts'
import type { Io } from './io.ts'

const REPORT_FORMS = ['junit', 'json', 'markdown'] as const
type ReportForm = (typeof REPORT_FORMS)[number]

/** A report to write. */
export interface ReportFile {
  readonly form: ReportForm
  /** The path as it was given. */
  readonly file: string
}

/** `--report`, which can be given several times. */
export const REPORTS = {
  '--report <form=file>': {
    summary: 'write a report: junit=<file>, json=<file> or markdown=<file>; repeatable',
    read: (text: string, files: readonly ReportFile[] = []) => [...files, readReportFile(text)],
  },
}

/** Writes each report; missing folders are created. */
export function writeReports(
  files: readonly ReportFile[],
  texts: Readonly<Record<ReportForm, () => string>>,
  { cwd }: Io,
): void {
  for (const { form, file } of files) {
    const path = resolve(cwd, file)
    try {
      makeFolder(dirname(path))
      writeFileSync(path, texts[form]())
    } catch (error) {
      throw new Error(
        `The report ${file} could not be written: ${(error as Error).message}. Use another file`,
      )
    }
  }
}

function readReportFile(text: string): ReportFile {
  const [, name = '', file = ''] = /^([^=]*)=(.*)$/.exec(text) ?? []
  const form = REPORT_FORMS.find((candidate) => candidate === name)
  if (form && file !== '') return { form, file }
  const hint = form ? '' : didYouMean(name, REPORT_FORMS)
  throw new UsageError(
    `--report: "${text}" is not a valid report`,
    `${hint} use a format and a file, such as junit=report.xml`.trim(),
  )
}
