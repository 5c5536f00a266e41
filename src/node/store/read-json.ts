import fs from 'node:fs'
import { readJson } from '../../fixtures/json.ts'
import { type ParsedText, ParseError } from '../../fixtures/parsed-text.ts'
import { withoutMark } from '../../text/utf8.ts'
import type { Slices } from '../../time/slices.ts'
import { notText } from '../files/not-text.ts'
import { reasonOf, unreadable } from './data-file-error.ts'
import { checkRegular } from './replace-file.ts'
import { ValidationError } from './validation.ts'

/** Throws a ValidationError. */
type Validate<T> = (value: unknown, bytes: Buffer) => T

/**
 * The content of a JSON file, which may have a million pets; each step takes a turn of its own. Rejects with a
 * DataFileError that names the line.
 */
export async function readJsonFile<T>(path: string, validate: Validate<T>, slices: Slices): Promise<T> {
  checkRegular(path)
  const bytes = await fs.promises.readFile(path)
  const problem = notText(bytes)
  if (problem) throw unreadable(path, problem.reason, problem.line)
  const text = withoutMark(bytes.toString())
  let parsed: ParsedText | undefined
  try {
    await slices.turn()
    parsed = await readJson(text, () => slices.turn())
    await slices.turn()
    return validate(parsed.value, bytes)
  } catch (error) {
    if (error instanceof ParseError) throw unreadable(path, error.message, error.problems[0]?.line)
    const { path: place, fix } = error instanceof ValidationError ? error : {}
    const [line] = (place && (await parsed?.linesOf([place]))) ?? []
    throw unreadable(path, reasonOf(error), line, place?.includes('pets'), fix)
  }
}
