import { accessSync, appendFileSync, constants, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../config/usage-error.ts'
import { didYouMean } from '../contract/decisions/nearest.ts'
import { makeFolder } from '../node/files/make-folder.ts'
import { InvalidValue } from '../text/advised-error.ts'
import { unwritableReason } from '../text/error.ts'
import { type JUnitSuite, junit } from '../views/junit.ts'
import type { Io } from './command.ts'
import { guarded, jsonText } from './values.ts'

export const REPORT_FORMS = ['junit', 'json', 'markdown'] as const

/** The form of a report, and the path that the user gave. */
type ReportFile = ReturnType<typeof readReportFile>

/** The option `--report`, which is repeatable. */
export const REPORTS = {
  '--report <form=file>': {
    summary: 'write a report: junit=<file>, json=<file> or markdown=<file>; repeatable',
    read: (text: string, files: readonly ReportFile[] = []) => [...files, readReportFile(text)],
  },
}

/** The result of a run in each format of `--report`. */
interface Result {
  readonly json: object
  readonly suite: JUnitSuite
  readonly markdown: string
}

/**
 * Throws a UsageError if a report cannot be written. Called before a run, which may take long. `others`: the
 * other files of the run, which a report must not replace.
 */
export function checkReports(
  files: readonly ReportFile[] = [],
  { cwd }: Io,
  others: readonly (string | undefined)[] = [],
): void {
  const paths = new Set(others.map((file) => file && resolve(cwd, file)))
  for (const { file } of files) {
    const path = resolve(cwd, file)
    if (paths.has(path))
      throw new UsageError(`--report: ${file} is named twice`, 'give each report a file of its own')
    paths.add(path)
    checkWritable('--report', file, path)
  }
}

/** Throws a UsageError if a file of an option cannot be written. `path`: the resolved path. */
export function checkWritable(flag: string, file: string, path: string): void {
  guarded(flag, file, () => {
    makeFolder(dirname(path))
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory()) throw new UsageError(`${flag}: ${file} is a folder`, 'name a file in it')
    // With the slash, a file in place of the folder is an error.
    accessSync(found ? path : `${dirname(path)}/`, constants.W_OK)
  })
}

/**
 * Writes each report and creates missing folders; one that cannot be written does not stop the others. `hasFailed`:
 * whether the run has failed already.
 */
export function writeReports(files: readonly ReportFile[], result: Result, hasFailed: boolean, io: Io): void {
  const { json, suite, markdown } = result
  const textOf = { json: () => jsonText(json, 2), junit: () => junit([suite]), markdown: () => markdown }
  const problems: Error[] = []
  for (const { form, file } of files) {
    const path = resolve(io.cwd, file)
    try {
      makeFolder(dirname(path))
      // All commands of a step share this file: GitHub Actions asks them to append.
      if (path === io.env.GITHUB_STEP_SUMMARY) appendFileSync(path, `\n${textOf[form]()}`)
      else writeFileSync(path, textOf[form]())
    } catch (error) {
      const problem = `The report ${file} could not be written: ${unwritableReason(error)}`
      problems.push(new Error(`${problem}. Use another file`))
    }
  }
  for (const [i, problem] of problems.entries()) tellOrFail(problem, hasFailed || i < problems.length - 1, io)
}

/** Throws the error, or prints it if the run has failed already: the first failure decides the exit code. */
export function tellOrFail(error: Error, hasFailed: boolean, io: Io): void {
  if (!hasFailed) throw error
  io.talk(`petstore-sandbox: ${error.message}\n`)
}

function readReportFile(text: string) {
  const [, name = '', file = ''] = /^([^=]*)=(.*)$/.exec(text) ?? []
  const form = REPORT_FORMS.find((candidate) => candidate === name)
  if (form && file !== '') return { form, file }
  const hint = form ? '' : didYouMean(name, REPORT_FORMS)
  throw new InvalidValue(
    `"${text}" is not a valid report`,
    `${hint} Use a format and a file, such as junit=report.xml`,
  )
}
